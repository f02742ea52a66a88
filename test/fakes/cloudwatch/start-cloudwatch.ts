import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";
import { cbor, dateToTag } from "@smithy/core/cbor";
import { getMetricData } from "./get-metric-data";
import { putMetricData } from "./put-metric-data";
import { metricKey, type MetricIdentity, type Sample } from "./samples";
import { ServiceError } from "./service-error";

/** One request as it came over the wire. */
export interface SeenRequest {
  readonly operation: string;
  /** From the signature's credential scope. */
  readonly region: string;
  readonly input: unknown;
  /** By Smithy's RPC v2, as AWS's SDK for Go asks. */
  readonly isCbor?: true;
}

/** What to answer instead of the truth: an error of the service, a raw answer, or nothing at all ("hang"). */
export type Instead =
  | { readonly code: string; readonly status?: number; readonly message?: string }
  | { readonly raw: string; readonly status?: number }
  | "hang";

export interface FakeCloudWatch {
  readonly url: string;
  readonly requests: readonly SeenRequest[];
  /** Adds high-resolution samples: seconds since the epoch and value. */
  put(metric: MetricIdentity, samples: readonly (readonly [seconds: number, value: number])[], unit?: string): void;
  /** The next so many requests (that `where` picks) get this instead. */
  answer(instead: Instead, times?: number, where?: (request: SeenRequest) => boolean): void;
  close(): Promise<void>;
}

/**
 * CloudWatch as its JSON protocol (AWS JSON 1.0, GraniteServiceVersion20100801) serves GetMetricData and PutMetricData,
 * on loopback. `now` decides what is retained; `maxDatapoints` makes pages small.
 */
export async function startCloudWatch(
  options: { readonly now?: () => number; readonly maxDatapoints?: number } = {},
): Promise<FakeCloudWatch> {
  const samples = new Map<string, Sample[]>();
  const requests: SeenRequest[] = [];
  const instead: { answer: Instead; times: number; where: (request: SeenRequest) => boolean }[] = [];
  const { now = Date.now, maxDatapoints = 100_800 } = options;

  const answerTo = (request: SeenRequest): unknown => {
    if (request.operation === "PutMetricData") return putMetricData(request.input, samples, now());
    if (request.operation === "GetMetricData") return getMetricData(request.input, { samples, now, maxDatapoints });
    throw new ServiceError("UnknownOperationException", `The operation ${request.operation} is not served.`);
  };
  const serve = (seen: SeenRequest, response: ServerResponse): void => {
    requests.push(seen);
    const injected = instead.find(({ times, where }) => times > 0 && where(seen));
    if (injected !== undefined) injected.times -= 1;
    if (injected?.answer === "hang") return;
    try {
      if (injected !== undefined) sendInstead(response, injected.answer);
      else if (seen.isCbor === true) sendCbor(response, answerTo(seen) as Answer);
      else send(response, 200, JSON.stringify(answerTo(seen)));
    } catch (error) {
      const { code, message, status } =
        error instanceof ServiceError ? error : new ServiceError("InternalFailure", String(error), 500);
      sendInstead(response, { code, message, status });
    }
  };

  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const seen = decode(request, Buffer.concat(chunks));
      if (seen instanceof ServiceError) sendInstead(response, seen);
      else serve(seen, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    put(metric, added, unit = "None") {
      const list = added.map(([at, value]): Sample => ({ at: at * 1000, value, count: 1, unit, resolution: 1 }));
      samples.set(metricKey(metric), [...(samples.get(metricKey(metric)) ?? []), ...list]);
    },
    answer(answer, times = 1, where = () => true) {
      instead.push({ answer, times, where });
    },
    close: () =>
      new Promise((resolve, reject) => {
        server.close((error) => (error === undefined ? resolve() : reject(error)));
        server.closeAllConnections();
      }),
  };
}

function decode(request: IncomingMessage, body: Buffer): SeenRequest | ServiceError {
  const scope = /Credential=[^/]+\/\d{8}\/([a-z0-9-]+)\/monitoring\/aws4_request/.exec(
    request.headers.authorization ?? "",
  );
  if (scope === null)
    return new ServiceError("MissingAuthenticationToken", "Request is missing Authentication Token", 403);
  if (request.headers["smithy-protocol"] === "rpc-v2-cbor") {
    const operation = (request.url ?? "").split("/").at(-1) ?? "";
    return { operation, region: scope[1] ?? "", input: withSeconds(cbor.deserialize(body)), isCbor: true };
  }
  const [service, operation = ""] = (request.headers["x-amz-target"]?.toString() ?? "").split(".");
  if (service !== "GraniteServiceVersion20100801" || request.headers["content-type"] !== "application/x-amz-json-1.0") {
    return new ServiceError(
      "UnknownOperationException",
      "Expected AWS JSON 1.0 for GraniteServiceVersion20100801",
      404,
    );
  }
  const text = request.headers["content-encoding"] === "gzip" ? gunzipSync(body).toString() : body.toString();
  return { operation, region: scope[1] ?? "", input: JSON.parse(text) as unknown };
}

function sendInstead(response: ServerResponse, answer: Exclude<Instead, "hang">): void {
  if ("raw" in answer) return send(response, answer.status ?? 200, answer.raw);
  response.setHeader("x-amzn-query-error", `${answer.code};${(answer.status ?? 400) < 500 ? "Sender" : "Receiver"}`);
  const body = { __type: `com.amazonaws.cloudwatch#${answer.code}`, message: answer.message ?? answer.code };
  send(response, answer.status ?? 400, JSON.stringify(body));
}

function send(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { "content-type": "application/x-amz-json-1.0" });
  response.end(body);
}

/** As JSON has them: an instant in seconds since the epoch. */
function withSeconds(value: unknown): unknown {
  if (value instanceof Date) return value.getTime() / 1000;
  if (Array.isArray(value)) return value.map(withSeconds);
  if (typeof value !== "object" || value === null) return value;
  if ("tag" in value && "value" in value) return Number(value.value);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withSeconds(member)]));
}

interface Answer {
  readonly MetricDataResults?: readonly { readonly Timestamps: readonly number[] }[];
}

function sendCbor(response: ServerResponse, answer: Answer): void {
  const results = (answer.MetricDataResults ?? []).map((result) => ({
    ...result,
    Timestamps: result.Timestamps.map((seconds) => dateToTag(new Date(seconds * 1000))),
  }));
  response.writeHead(200, { "content-type": "application/cbor", "smithy-protocol": "rpc-v2-cbor" });
  response.end(cbor.serialize({ ...answer, MetricDataResults: results }));
}
