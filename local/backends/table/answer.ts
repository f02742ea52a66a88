import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { crc32 } from "node:zlib";
import { isMap } from "../../../lib/k8s/map";
import { errorText } from "../../../lib/model/fault";
import type { TableFiles } from "./files";
import { isOperationError, type Input, operationError } from "./operations/operation";
import { operations } from "./operations/operations";

/** AWS JSON 1.0. Never rejects. */
export async function answer(
  files: TableFiles,
  request: IncomingMessage,
  response: ServerResponse,
  body: Buffer,
): Promise<void> {
  try {
    send(response, 200, await run(files, request, body));
  } catch (error) {
    if (isOperationError(error)) return send(response, error.statusCode, error.body);
    const message = errorText(error);
    send(response, 500, { __type: "com.amazonaws.dynamodb.v20120810#InternalServerError", message });
  }
}

async function run(files: TableFiles, { headers }: IncomingMessage, body: Buffer): Promise<unknown> {
  const target = String(headers["x-amz-target"]);
  const name = /^DynamoDB_20120810\.(\w+)$/.exec(target)?.[1] ?? "";
  const operation = Object.hasOwn(operations, name) ? operations[name] : undefined;
  if (operation === undefined) {
    const all = Object.keys(operations).join(", ");
    throw operationError("UnknownOperationException", `the local table has no ${target.slice(0, 100)}; it has ${all}`);
  }
  return operation(files, readInput(body));
}

function readInput(body: Buffer): Input {
  let input: unknown;
  try {
    input = JSON.parse(body.toString("utf8"));
  } catch {
    input = undefined;
  }
  if (!isMap(input)) throw operationError("SerializationException", "expected a JSON object in the body");
  return input;
}

function send(response: ServerResponse, code: number, output: unknown): void {
  if (response.destroyed) return;
  const text = JSON.stringify(output);
  response.writeHead(code, {
    "content-type": "application/x-amz-json-1.0",
    "content-length": Buffer.byteLength(text),
    "x-amz-crc32": crc32(text),
    "x-amzn-requestid": randomUUID(),
  });
  response.end(text);
}
