import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { BatchWriteItemCommand, type DynamoClient } from "../../lib/aws/http/dynamodb-commands";
import type { Item } from "../../lib/table/items/attributes";
import { memoryTable, type Request } from "../../test/faults/world/memory-table";
import { serveAsks, startBackend } from "./backend-process";
import { access } from "./deployment";
import { indexOf, lengthOf, type Load } from "./fleet";
import { cpuMs } from "./processes";

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
  /** What was counted since the last call. From now on, with the CPU time of this process. */
  count(pid?: number): Promise<Counted>;
  stop(): Promise<void>;
}

export interface Counted {
  /** To the table, and what it sent. */
  readonly requests: number;
  readonly kilobytes: number;
  /** HPAs that the messages wake. */
  readonly woken: number;
  /** When the last message came, and the CPU time of the process by then. */
  readonly sentAt: number;
  readonly cpuMs: number;
}

export const awsBackend = "aws-backend";
export const table = "ebb";

type BackendCommand =
  | { readonly load: Load | "none" }
  | { readonly queue: string; readonly messages: number }
  | { readonly secret: string }
  | { readonly count: number | undefined };

export async function startAwsBackend(): Promise<AwsBackend> {
  const { started, ask, stop } = await startBackend<BackendCommand, string>(awsBackend);
  return {
    endpoint: started,
    setLoad: async (load) => void (await ask({ load })),
    setDepth: async (queue, messages) => void (await ask({ queue, messages })),
    setSecret: async (secret) => void (await ask({ secret })),
    count: async (count) => (await ask({ count })) as Counted,
    stop,
  };
}

/** What a packaged function gets from Lambda and serverless.yml, on this backend. */
export function environmentOf(endpoint: string, megabytes: number): Readonly<Record<string, string>> {
  return {
    AWS_ENDPOINT_URL: endpoint,
    AWS_REGION: access.region,
    AWS_ACCESS_KEY_ID: access.credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: access.credentials.secretAccessKey,
    AWS_CONFIG_FILE: "/dev/null",
    AWS_SHARED_CREDENTIALS_FILE: "/dev/null",
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(megabytes),
    TABLE_NAME: table,
    QUEUE_URL: `${endpoint}/123456789012/slots`,
    POWERTOOLS_METRICS_NAMESPACE: "ebb",
  };
}

/** In requests of as many as DynamoDB takes. */
export async function putItems(client: DynamoClient, tableName: string, items: readonly Item[]): Promise<void> {
  for (let at = 0; at < items.length; at += 25) {
    const puts = items.slice(at, at + 25).map((Item) => ({ PutRequest: { Item } }));
    await client.send(new BatchWriteItemCommand({ RequestItems: { [tableName]: puts } }));
  }
}

interface SqsInput {
  readonly QueueName?: string;
  readonly QueueUrl?: string;
  readonly Entries?: readonly { readonly Id: string; readonly MessageBody: string }[];
}

const nothing: Counted = { requests: 0, kilobytes: 0, woken: 0, sentAt: 0, cpuMs: 0 };

/** The process itself. `items`: what the table begins with. */
export async function serveAws(items: Iterable<Item> = []): Promise<void> {
  const stored = memoryTable({ now: () => Date.now() });
  for (const item of items) stored.execute({ action: "PutItem", input: { TableName: table, Item: asSent(item) } });
  let load: Load | "none" = { moves: 0, grown: 0 };
  const depths = new Map<string, number>();
  let secret = "";
  let [counted, pid]: [Counted, number | undefined] = [nothing, undefined];

  function accept(entries: NonNullable<SqsInput["Entries"]>): object {
    const names = entries.flatMap(({ MessageBody }) => (JSON.parse(MessageBody) as { names: string[] }).names);
    const woken = counted.woken + names.length;
    counted = { ...counted, woken, sentAt: Date.now(), cpuMs: pid === undefined ? 0 : cpuMs(pid) };
    return { Successful: entries.map(({ Id }) => ({ Id, MessageId: Id, MD5OfMessageBody: "" })), Failed: [] };
  }

  function answer(action: string, { QueueName, QueueUrl, Entries = [] }: SqsInput): object {
    const name = QueueName ?? QueueUrl?.split("/").at(-1) ?? "";
    if (action === "GetSecretValue") return { SecretString: secret };
    if (action === "GetQueueUrl") return { QueueUrl: `${endpoint}/123456789012/${name}` };
    if (action === "SendMessageBatch") return accept(Entries);
    if (action !== "GetQueueAttributes") throw new Error(`expected a request of sync or wake, got ${action}`);
    const length = String(depths.get(name) ?? (load === "none" ? 0 : lengthOf(indexOf(name), load)));
    return { Attributes: { ApproximateNumberOfMessages: length, ApproximateNumberOfMessagesNotVisible: "0" } };
  }

  function answerOfTable(request: Request): string {
    const text = JSON.stringify(stored.execute(request));
    const [requests, kilobytes] = [counted.requests + 1, counted.kilobytes + text.length / 1_024];
    counted = { ...counted, requests, kilobytes };
    return text;
  }

  const server = createServer((request, response) => {
    void textOf(request).then((body) => {
      const [service = "", action = ""] = String(request.headers["x-amz-target"]).split(".");
      try {
        const input = JSON.parse(body) as never;
        const isTable = service.startsWith("DynamoDB");
        send(
          response,
          200,
          isTable ? answerOfTable({ action, input } as Request) : JSON.stringify(answer(action, input)),
        );
      } catch (error) {
        const { name, message } = error as Error;
        const item = error instanceof ConditionalCheckFailedException ? { Item: error.Item } : {};
        const refusal = { __type: `com.amazonaws.dynamodb.v20120810#${name}`, message, ...item };
        send(response, 400, JSON.stringify(refusal));
      }
    });
  });
  server.keepAliveTimeout = 60_000; // longer than a slot, as AWS's
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  serveAsks(endpoint, (ask: BackendCommand): Counted => {
    const before = counted;
    if ("load" in ask) load = ask.load;
    else if ("queue" in ask) depths.set(ask.queue, ask.messages);
    else if ("secret" in ask) secret = ask.secret;
    else [counted, pid] = [nothing, ask.count];
    return before;
  });
}

/** Bytes as JSON has them. */
function asSent(item: Item): Item {
  const values = Object.entries(item).map(([name, value]) => [
    name,
    value.B === undefined ? value : { B: Buffer.from(value.B).toString("base64") },
  ]);
  return Object.fromEntries(values) as Item;
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}

function send(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { "content-type": "application/x-amz-json-1.0" }).end(body);
}
