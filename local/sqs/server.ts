import { randomUUID } from "node:crypto";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { QueueAccount } from "./account";
import type { ActionInput } from "./actions";
import { actions } from "./actions";
import { SqsError, unknownOperation } from "./errors";

export interface SqsServer {
  /** "http://127.0.0.1:<port>" */
  readonly endpoint: string;
  queueUrl(name: string): string;
  close(): Promise<void>;
}

/**
 * The SQS API (AWS JSON 1.0) over an account's queues, on loopback. It does not check signatures: any credentials work.
 */
export async function startSqsServer(account: QueueAccount, port = 0): Promise<SqsServer> {
  let endpoint = "";
  const server = createServer((request, response) => {
    const gone = new AbortController();
    response.once("close", () => gone.abort());
    answer({ account, endpoint, request, signal: gone.signal })
      .then((output) => send(response, 200, output))
      .catch((error: unknown) => sendError(response, error));
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    endpoint,
    queueUrl: (name) => `${endpoint}/${account.id}/${name}`,
    close: () => close(server),
  };
}

interface Call {
  readonly account: QueueAccount;
  readonly endpoint: string;
  readonly request: IncomingMessage;
  readonly signal: AbortSignal;
}

async function answer({ account, endpoint, request, signal }: Call): Promise<unknown> {
  const target = /^AmazonSQS\.(\w+)$/.exec(String(request.headers["x-amz-target"]))?.[1] ?? "";
  const action = Object.hasOwn(actions, target) ? actions[target] : undefined;
  const input = await readInput(request);
  if (action === undefined) throw unknownOperation();
  return action({ account, input, endpoint, signal });
}

async function readInput(request: IncomingMessage): Promise<ActionInput> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString("utf8");
  try {
    return (text === "" ? {} : JSON.parse(text)) as ActionInput;
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : "";
    throw new SqsError("com.amazon.coral.service#SerializationException", "MalformedInput", message);
  }
}

function send(response: ServerResponse, code: number, output: unknown): void {
  const text = output === undefined ? "" : JSON.stringify(output);
  response.writeHead(code, {
    "content-type": "application/x-amz-json-1.0",
    "content-length": Buffer.byteLength(text),
    "x-amzn-requestid": randomUUID(),
  });
  response.end(text);
}

function sendError(response: ServerResponse, error: unknown): void {
  if (response.destroyed) return;
  if (error instanceof SqsError) {
    response.setHeader("x-amzn-query-error", `${error.queryCode};Sender`);
    return send(response, error.statusCode, { __type: error.type, message: error.message });
  }
  const message = error instanceof Error ? error.message : String(error);
  send(response, 500, { __type: "com.amazonaws.sqs#InternalFailure", message });
}

async function close(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeAllConnections();
  await closed;
}
