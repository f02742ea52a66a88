import { isMap, present } from "../../k8s/map";
import type { PostAnswer } from "./post";

export interface JsonCodec {
  encode(input: object): string;
  /** @throws SyntaxError */
  decode(text: string): unknown;
}

/** Throws the failure like the SDK. */
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
