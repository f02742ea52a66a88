import { randomUUID } from "node:crypto";
import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import { type LocalCredential, newCredential } from "../../guard/signature";
import { guarded } from "../../guard/guarded";
import { closeServer, listenOnLoopback } from "../../guard/loopback";
import type { QueueAccount } from "./account";
import { isMap } from "../../../lib/k8s/map";
import { actions } from "./actions";
import { SqsError, unknownOperation, type ActionInput } from "./errors";

export interface SqsServer {
  /** "http://127.0.0.1:<port>" */
  readonly endpoint: string;
  readonly credential: LocalCredential;
  queueUrl(name: string): string;
  close(): Promise<void>;
}

interface SqsServerOptions {
  /** 0, the default: any free port. */
  readonly port?: number;
  readonly credential?: LocalCredential;
}

/** AWS JSON 1.0, on loopback. */
export async function startSqsServer(account: QueueAccount, options: SqsServerOptions = {}): Promise<SqsServer> {
  const { port = 0, credential = newCredential() } = options;
  let endpoint = "";
  const listener = guarded({ service: "sqs", credential }, (request, response, body) => {
    const gone = new AbortController();
    response.once("close", () => gone.abort());
    Promise.resolve()
      .then(() => answer({ account, endpoint, request, body, signal: gone.signal }))
      .then((output) => send(response, 200, output))
      .catch((error: unknown) => sendError(response, error));
  });
  const server = createServer(listener);
  endpoint = `http://127.0.0.1:${await listenOnLoopback(server, port)}`;
  return {
    endpoint,
    credential,
    queueUrl: (name) => `${endpoint}/${account.id}/${name}`,
    close: () => closeServer(server),
  };
}

interface Call {
  readonly account: QueueAccount;
  readonly endpoint: string;
  readonly request: IncomingMessage;
  readonly body: Buffer;
  readonly signal: AbortSignal;
}

function answer({ account, endpoint, request, body, signal }: Call): unknown {
  const target = String(request.headers["x-amz-target"]);
  const name = /^AmazonSQS\.(\w+)$/.exec(target)?.[1] ?? "";
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined;
  if (action === undefined) throw unknownOperation(target, Object.keys(actions));
  const input = readInput(body);
  return action({ account, input, endpoint, signal });
}

function readInput(body: Buffer): ActionInput {
  const text = body.toString("utf8");
  let input: unknown;
  try {
    input = text === "" ? {} : JSON.parse(text);
  } catch {
    input = undefined;
  }
  if (isMap(input)) return input;
  const message = "expected a JSON object in the body";
  throw new SqsError("com.amazon.coral.service#SerializationException", "MalformedInput", message);
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
