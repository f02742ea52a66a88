import { abortReason, onAbort } from "../../async/within-time";
import type { HttpAnswer } from "./answer-reader";
import { type Connections, openConnections, type PostLimits } from "./connections";
import { isMap, present } from "../../k8s/map";

export interface Posted {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal;
  readonly maxBytes?: number | undefined;
}

export type PostAnswer = Pick<HttpAnswer, "status" | "headers" | "body">;

/** Rejects like the SDK's handler: TimeoutError, AbortError, or Node's error with its code. */
export type Post = (request: Posted) => Promise<PostAnswer>;

/** Connections stay open between invocations. One that the service closed meanwhile is a reset, and is retried. */
export function openPost(limits: PostLimits): Post & { close(): void } {
  const byOrigin = new Map<string, Connections>();

  function connectionsTo(url: URL): Connections {
    const known = byOrigin.get(url.origin) ?? openConnections(url, limits);
    byOrigin.set(url.origin, known);
    return known;
  }

  const post: Post = ({ url, headers, body, signal, maxBytes }) =>
    new Promise((resolve, reject) => {
      if (signal.aborted) return reject(abortError(signal));
      const giveUp = connectionsTo(url).start({
        request: requestOf(url, headers, body),
        maxBytes,
        answered(answer) {
          unlisten();
          resolve(answer);
        },
        failed(error) {
          unlisten();
          reject(error);
        },
      });
      const unlisten = onAbort(signal, () => giveUp(abortError(signal)));
    });

  return Object.assign(post, { close: () => byOrigin.forEach((connections) => connections.close()) });
}

const headerText = /^[\t\x20-\x7e]*$/;

function requestOf(url: URL, headers: Posted["headers"], body: string): string {
  let head = `POST ${url.pathname} HTTP/1.1\r\n`;
  for (const [name, value] of Object.entries({ host: url.host, ...headers })) {
    if (!headerText.test(value)) throw new TypeError(`expected printable text in the header ${name}`);
    head += `${name}: ${value}\r\n`;
  }
  return `${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

export function abortError(signal: AbortSignal): Error {
  return Object.assign(new Error("the request was aborted", { cause: abortReason(signal) }), { name: "AbortError" });
}

export interface JsonCodec {
  encode(input: object): string;
  /** @throws SyntaxError */
  decode(text: string): unknown;
}

export function outputOf(
  { status, headers, body }: PostAnswer,
  codec: JsonCodec,
  clockSkewCorrected: boolean,
): unknown {
  const requestId = headers["x-amzn-requestid"];
  const $metadata = { httpStatusCode: status, ...present({ requestId }), clockSkewCorrected };
  const text = Buffer.from(body.buffer, body.byteOffset, body.length).toString("utf8");
  const output = text === "" ? {} : decoded(text, codec, $metadata);
  if (status < 300) return output;
  const { __type: type, code, message, Message: otherMessage = message, Item } = output;
  throw Object.assign(new Error(textOf(otherMessage) ?? "UnknownError"), {
    name: errorName(headers["x-amzn-errortype"] ?? code ?? type),
    $fault: status < 500 ? "client" : "server",
    $metadata,
    ...(isMap(Item) && { Item }),
  });
}

function decoded(text: string, codec: JsonCodec, $metadata: object): Readonly<Record<string, unknown>> {
  try {
    const output = codec.decode(text);
    if (isMap(output)) return output;
  } catch (error) {
    throw Object.assign(error as Error, { $metadata });
  }
  throw Object.assign(new SyntaxError("expected a map"), { $metadata });
}

/** "com.amazonaws.sqs#QueueDoesNotExist:http://…" → "QueueDoesNotExist" */
function errorName(code: unknown): string {
  return textOf(code)?.split(",")[0]?.split(":")[0]?.split("#").at(-1) || "Unknown";
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
