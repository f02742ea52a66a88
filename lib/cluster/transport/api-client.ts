import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { isMap } from "../../k8s/map";
import { errorText, Fault, isFault } from "../../model/fault";
import { describe, faultOfNoAnswer, faultOfStatus, notAnAnswer, type Subject } from "./api-fault";
import type { Connection, Outgoing } from "./connection";
import type { Authenticator, Credential } from "../auth/credential";
import type { Answer, Call } from "./exchange";
import { openLane, type Lane } from "../../async/lane";
import { abortReason, OutOfTime, pause, withinTime } from "../../async/within-time";
import type { EpochMs } from "../../k8s/time";

export interface ApiRequest {
  readonly method: Call["method"];
  readonly subject: Subject;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly accept?: string;
  /** The answer may be large, so the server may compress it. For small answers, compression is not worth its time. */
  readonly large?: boolean;
  /** The kinds that are a valid answer. Anything else is Fault "badAnswer", never data. */
  readonly kinds: readonly string[];
  /** Reads with the same fate fail together within their API group. Without it, a read depends on the group alone. */
  readonly fate?: string;
  /** Its place among the reads of its HPA: reads of lower rank go first. Default 0. */
  readonly rank?: number;
  /** Gets the headers of the answer, whatever its status. */
  readonly onAnswer?: (headers: Answer["headers"]) => void;
}

export type ApiObject = Readonly<Record<string, unknown>> & { readonly kind: string };

/** Sends a request to the API server with credentials and retries, and checks the answer. Rejects with a Fault. */
export type ApiClient = (request: ApiRequest, signal: AbortSignal) => Promise<ApiObject>;

export interface ApiClientOptions {
  readonly connection: Connection;
  readonly authenticator: Authenticator;
  /** For messages: the endpoint. */
  readonly origin: string;
  /** For a whole call, including credentials and retries. */
  readonly timeoutMs: number;
  readonly maxBytes: number;
  /** Reads of one API group at a time. */
  readonly concurrency: number;
  readonly now: () => EpochMs;
}

/** Retries of one read: after a broken connection, and after a Retry-After. */
const MAX_RESETS = 2;
const MAX_WAITS = 3;
const MAX_WAIT_MS = 3_000;

/**
 * Every API group is an endpoint of its own: a server behind the API server (a metrics API, a conversion webhook) may
 * hang while the API server answers. Writes go out at once, because the scale was just read.
 */
export function apiClient(options: ApiClientOptions): ApiClient {
  const lanes = new Map<string, Lane>();
  const laneOf = (group: string): Lane => {
    const endpoint = isMetricsApi(group) ? `${group} of ${options.origin}` : options.origin;
    const lane = lanes.get(group) ?? openLane({ endpoint, limit: options.concurrency, now: options.now });
    lanes.set(group, lane);
    return lane;
  };

  return async (request, signal) => {
    const { method, subject, fate, rank = 0 } = request;
    if (method !== "GET") return ask(options, request, signal);
    const asking = { asked: describe(subject), signal, rank, ...(fate !== undefined && { id: fate }) };
    try {
      return await laneOf(subject.group).run(asking, (lent) => ask(options, request, lent));
    } catch (error) {
      if (isFault(error) || !signal.aborted) throw error;
      const why = `${options.origin}: ${abortReason(signal).message} (${describe(subject)})`;
      throw new Fault("timeout", why, { cause: error });
    }
  };
}

function isMetricsApi(group: string): boolean {
  return group === "metrics.k8s.io" || group.endsWith(".metrics.k8s.io");
}

function ask(options: ApiClientOptions, request: ApiRequest, signal: AbortSignal): Promise<ApiObject> {
  return withinTime(options.timeoutMs, signal, async (limit) => {
    const answer = await insist(options, request, limit);
    request.onAnswer?.(answer.headers);
    if (answer.status !== 200 && answer.status !== 201) throw faultOfStatus(answer, request.subject, options.origin);
    return readObject(await unpacked(answer, request, options), request);
  });
}

/**
 * Retries until there is a usable answer. A write is sent again only if it was certainly not done (401). A read is also
 * sent again after a reset (the server had closed a keep-alive connection), and after the time that the server asks
 * for.
 */
async function insist(options: ApiClientOptions, request: ApiRequest, limit: AbortSignal): Promise<Answer> {
  const { connection, authenticator, origin } = options;
  const { subject } = request;
  const isRead = request.method === "GET";
  let resets = 0;
  let waits = 0;
  let waitedMs = 0;
  let renewed = false;
  for (;;) {
    const credential = await credentialFor(subject, options, limit);
    const answer = await connection.exchange(outgoing(request), credential, limit);
    if ("failure" in answer) {
      if (!isRead || answer.failure !== "reset" || resets >= MAX_RESETS) throw faultOfNoAnswer(answer, subject, origin);
      resets += 1;
      connection.dropIdle();
      continue;
    }
    if (answer.status === 401 && !renewed) {
      renewed = true;
      authenticator.invalidate(credential);
      continue;
    }
    const waitMs = isRead ? retryAfterMs(answer) : undefined;
    if (waitMs === undefined || waits >= MAX_WAITS || waitedMs + waitMs > MAX_WAIT_MS) return answer;
    waits += 1;
    waitedMs += waitMs;
    await pause(waitMs, limit).catch(() => {
      throw faultOfStatus(answer, subject, origin);
    });
  }
}

async function credentialFor(
  subject: Subject,
  { authenticator, origin }: ApiClientOptions,
  limit: AbortSignal,
): Promise<Credential> {
  try {
    return await authenticator.credential(limit);
  } catch (cause) {
    if (cause instanceof Fault) throw cause;
    if (!limit.aborted) throw cause;
    const why = cause instanceof OutOfTime ? `no credential within ${cause.afterMs / 1000} s` : "given up";
    throw new Fault("timeout", `${origin}: ${why} (${describe(subject)})`, { cause });
  }
}

function outgoing({ method, subject, query, body, accept, large }: ApiRequest): Outgoing {
  const search = new URLSearchParams(query).toString();
  const text = body === undefined ? undefined : JSON.stringify(body);
  return {
    method,
    path: search === "" ? subject.path : `${subject.path}?${search}`,
    headers: {
      Accept: accept ?? "application/json",
      "User-Agent": "ebb",
      ...(large === true ? { "Accept-Encoding": "gzip" } : {}),
      ...(text === undefined
        ? {}
        : {
            "Content-Type": contentTypes[method] ?? "application/json",
            "Content-Length": String(Buffer.byteLength(text)),
          }),
    },
    ...(text === undefined ? {} : { body: text }),
  };
}

/** A patch is a strategic merge, like client-go's. */
const contentTypes: Readonly<Partial<Record<Call["method"], string>>> = {
  PATCH: "application/strategic-merge-patch+json",
};

/** The Retry-After of a 429 or 503, in ms. */
function retryAfterMs({ status, headers }: Answer): number | undefined {
  if (status !== 429 && status !== 503) return undefined;
  const seconds = headers["retry-after"];
  return seconds !== undefined && /^\d+$/.test(seconds) ? Number(seconds) * 1000 : undefined;
}

const gunzipped = promisify(gunzip);

async function unpacked(answer: Answer, request: ApiRequest, { maxBytes }: ApiClientOptions): Promise<Answer> {
  const encoding = answer.headers["content-encoding"] ?? "identity";
  if (encoding === "identity") return answer;
  if (encoding !== "gzip") throw notAnAnswer(answer, request.subject, `gzip or no encoding instead of ${encoding}`);
  try {
    return { ...answer, body: await gunzipped(answer.body, { maxOutputLength: maxBytes }) };
  } catch (cause) {
    const why = errorText(cause);
    throw new Fault(
      "badAnswer",
      `expected a gzip body of at most ${maxBytes} bytes: ${why} (${describe(request.subject)})`,
      {
        cause,
      },
    );
  }
}

function readObject(answer: Answer, { subject, kinds }: ApiRequest): ApiObject {
  let value: unknown;
  try {
    value = JSON.parse(answer.body.toString("utf8"));
  } catch {
    throw notAnAnswer(answer, subject, `JSON of kind ${kinds.join(" or ")}`);
  }
  if (!isMap(value) || typeof value["kind"] !== "string" || !kinds.includes(value["kind"]))
    throw notAnAnswer(answer, subject, `an object of kind ${kinds.join(" or ")}`);
  return value as ApiObject;
}
