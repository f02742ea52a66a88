import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { memoryTable, type Request } from "../../test/faults/world/memory-table";
import { serveAsks, startBackend } from "./backend-process";
import { indexOf, lengthOf, type Load } from "./fleet";

/**
 * DynamoDB, SQS and Secrets Manager on loopback, in a process of their own: what AWS does is not on ebb's account. The
 * table is in memory, and passes the contract that the service passes.
 */
export interface AwsBackend {
  readonly endpoint: string;
  /** "none": all queues are empty. */
  setLoad(load: Load | "none"): Promise<void>;
  /** Of one queue, whatever the load is. */
  setDepth(queue: string, messages: number): Promise<void>;
  setSecret(text: string): Promise<void>;
  /** Requests since the last call, by operation. */
  requests(): Promise<Readonly<Record<string, number>>>;
  stop(): Promise<void>;
}

export const awsBackend = "aws-far-end";

type BackendCommand =
  | { readonly load: Load | "none" }
  | { readonly queue: string; readonly messages: number }
  | { readonly secret: string }
  | "requests";

export async function startAwsBackend(): Promise<AwsBackend> {
  const { started, ask, stop } = await startBackend<BackendCommand, string>(awsBackend);
  return {
    endpoint: started,
    setLoad: async (load) => void (await ask({ load })),
    setDepth: async (queue, messages) => void (await ask({ queue, messages })),
    setSecret: async (secret) => void (await ask({ secret })),
    requests: async () => (await ask("requests")) as Record<string, number>,
    stop,
  };
}

/** The process itself. */
export async function serveAws(): Promise<void> {
  const table = memoryTable({ now: () => Date.now() });
  let load: Load | "none" = { moves: 0, grown: 0 };
  const depths = new Map<string, number>();
  let secret = "";
  let counts: Record<string, number> = {};

  function answer(service: string, action: string, input: object): object {
    if (service.startsWith("DynamoDB")) return table.execute({ action, input } as Request);
    if (action === "GetSecretValue") return { SecretString: secret };
    const { QueueName, QueueUrl } = input as { QueueName?: string; QueueUrl?: string };
    const name = QueueName ?? QueueUrl?.split("/").at(-1) ?? "";
    if (action === "GetQueueUrl") return { QueueUrl: `${endpoint}/123456789012/${name}` };
    if (action !== "GetQueueAttributes") throw new Error(`expected a request of sync, got ${service}.${action}`);
    const length = String(depths.get(name) ?? (load === "none" ? 0 : lengthOf(indexOf(name), load)));
    return { Attributes: { ApproximateNumberOfMessages: length, ApproximateNumberOfMessagesNotVisible: "0" } };
  }

  const server = createServer((request, response) => {
    void textOf(request).then((body) => {
      const [service = "", action = ""] = String(request.headers["x-amz-target"]).split(".");
      counts[action] = (counts[action] ?? 0) + 1;
      try {
        send(response, 200, answer(service, action, JSON.parse(body) as object));
      } catch (error) {
        const { name, message } = error as Error;
        const item = error instanceof ConditionalCheckFailedException ? { Item: error.Item } : {};
        send(response, 400, { __type: `com.amazonaws.dynamodb.v20120810#${name}`, message, ...item });
      }
    });
  });
  server.keepAliveTimeout = 60_000; // longer than a slot, as AWS's
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  serveAsks(endpoint, (ask: BackendCommand) => {
    const done = counts;
    if (ask === "requests") counts = {};
    else if ("load" in ask) load = ask.load;
    else if ("queue" in ask) depths.set(ask.queue, ask.messages);
    else secret = ask.secret;
    return done;
  });
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/x-amz-json-1.0" }).end(JSON.stringify(body));
}
