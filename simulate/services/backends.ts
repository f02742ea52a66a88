import {
  type BatchGetItemCommandInput,
  type BatchWriteItemCommandInput,
  ConditionalCheckFailedException,
  type QueryCommandInput,
} from "@aws-sdk/client-dynamodb";
import { dynamoJson } from "../../lib/aws/http/dynamodb-commands";
import { abortError, type Post, type PostAnswer, type Posted } from "../../lib/aws/http/post";
import { onAbort } from "../../lib/async/within-time";
import { itemBytes } from "../../lib/table/items/attributes";
import type { Item, MemoryTable, Request } from "../../test/faults/world/memory-table";
import { cpu, type LatencyKind } from "./assumptions";
import type { Units } from "./dynamodb";
import type { Answered, SimulatedRequest, Instance } from "./instance";
import { depthOf, type Load } from "../load";

/** What all functions reach. */
export interface Backends {
  readonly table: MemoryTable;
  readonly now: () => number;
  readonly load: Load;
  /** A message that was accepted. */
  readonly sent: (body: string, delaySeconds: number) => void;
}

/** The table, for a light client of one function: its requests take time, units and the function's CPU. */
export function tableOver({ table }: Pick<Backends, "table">, instance: Instance): Post {
  return over(instance, (posted) => {
    const action = operationOf(posted) as Request["action"];
    const input = dynamoJson.decode(posted.body) as never;
    const request: Request = { action, input };
    const latency: LatencyKind = action === "Query" ? "page" : "item";
    return {
      latency,
      arrive: () => {
        const before = action === "PutItem" || action === "DeleteItem" ? storedBefore(table, request) : undefined;
        const [status, answer] = executed(table, request);
        const answered = unitsOf(request, answer, before);
        const whole = withoutProjection(request);
        const units = whole === undefined ? answered : unitsOf(whole, executed(table, whole)[1], undefined);
        const cpuMs =
          cpu[action === "Query" ? "page" : units.writes > 0 ? "write" : "item"] + answered.reads * cpu.pageUnit;
        const operation = `dynamodb ${action}${isLatest(request) ? " of values" : isDecision(request) ? " of decisions" : ""}`;
        return { ask: { operation, cpuMs, units }, status, body: dynamoJson.encode(answer) };
      },
      throttled: "com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException",
    };
  });
}

/** Reads of queues, and the slot queue. */
export function queuesOver({ load, now, sent }: Omit<Backends, "table">, instance: Instance): Post {
  return over(instance, (posted) => {
    const operation = operationOf(posted);
    const input = JSON.parse(posted.body) as SqsInput;
    const isSend = operation === "SendMessageBatch";
    return {
      latency: isSend ? "sendMessages" : "queueAttributes",
      arrive: () => ({
        ask: { operation: `sqs ${operation}`, cpuMs: isSend ? cpu.sendMessages : cpu.queueAttributes },
        status: 200,
        body: JSON.stringify(answerOf(operation, input)),
      }),
      throttled: "RequestThrottled",
    };
  });

  function answerOf(operation: string, { QueueName, QueueUrl = "", Entries = [] }: SqsInput): object {
    if (operation === "GetQueueUrl") return { QueueUrl: `${queuesUrl}/${QueueName}` };
    if (operation === "SendMessageBatch") {
      for (const { MessageBody, DelaySeconds } of Entries) sent(MessageBody, DelaySeconds);
      return { Successful: Entries.map(({ Id }) => ({ Id })) };
    }
    if (operation !== "GetQueueAttributes") return {};
    const index = Number(/\d+$/.exec(QueueUrl)?.[0]);
    const ApproximateNumberOfMessages = String(depthOf(load, index, now()));
    const none = { ApproximateNumberOfMessagesNotVisible: "0", ApproximateNumberOfMessagesDelayed: "0" };
    return { Attributes: { ApproximateNumberOfMessages, ...none } };
  }
}

const queuesUrl = "https://sqs.us-east-1.amazonaws.com/123456789012";

interface SqsInput {
  readonly QueueName?: string;
  readonly QueueUrl?: string;
  readonly Entries?: readonly {
    readonly Id: string;
    readonly MessageBody: string;
    readonly DelaySeconds: number;
  }[];
}

interface Prepared {
  readonly latency: LatencyKind;
  readonly arrive: () => { readonly ask: SimulatedRequest; readonly status: number; readonly body: string };
  readonly throttled: string;
}

function over(instance: Instance, prepare: (posted: Posted) => Prepared): Post {
  return (posted) =>
    new Promise((resolve, reject) => {
      const { signal } = posted;
      if (signal.aborted) return reject(abortError(signal));
      const { latency, arrive, throttled } = prepare(posted);
      const unlisten = onAbort(signal, () => reject(abortError(signal)));
      let answer: PostAnswer;
      const reach = () => {
        const { ask, status, body } = arrive();
        answer = { status, headers, body: Buffer.from(body) };
        return ask;
      };
      instance.request(latency, reach, (how: Answered) => {
        unlisten();
        resolve(how === "answered" ? answer : refused(throttled));
      });
    });
}

const headers = { "content-type": "application/x-amz-json-1.0" };
const refused = (name: string): PostAnswer => ({ status: 400, headers, body: Buffer.from(JSON.stringify({ __type: name })) }); // prettier-ignore

function operationOf({ headers: sent }: Posted): string {
  return (sent["x-amz-target"] ?? "").split(".")[1] ?? "";
}

function executed(table: MemoryTable, request: Request): readonly [number, object] {
  try {
    return [200, table.execute(request)];
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    const { name, message, Item } = error;
    return [400, { __type: `com.amazonaws.dynamodb.v20120810#${name}`, message, ...(Item && { Item }) }];
  }
}

function storedBefore(table: MemoryTable, { action, input }: Request): Item | undefined {
  if (action !== "PutItem" && action !== "DeleteItem") return undefined;
  const { pk, sk } = action === "PutItem" ? (input.Item ?? {}) : (input.Key ?? {});
  return table.item(pk?.S ?? "", sk?.S ?? "");
}

/** A Query that asks for parts of items costs the units of whole items. */
function withoutProjection({ action, input }: Request): Request | undefined {
  if (action !== "Query" || input.ProjectionExpression === undefined) return undefined;
  const { ProjectionExpression: _, ...whole } = input;
  return { action, input: whole };
}

/** What people read: a sync writes it once a minute, and finds the items of shards that were merged into its own. */
function isLatest({ action, input }: Request): boolean {
  if (action === "PutItem") return input.Item?.["sk"]?.S?.startsWith("LATEST#") === true;
  return action === "Query" && input.ExpressionAttributeValues?.[":low"]?.S?.startsWith("LATEST#") === true;
}

/** HPAs that decide at the same moment are recorded together: how many do so is a matter of that moment. */
function isDecision({ action, input }: Request): boolean {
  if (action === "PutItem") return input.Item?.["sk"]?.S?.startsWith("DECISION#") === true;
  return action === "BatchWriteItem" && putsOf(input).length > 0;
}

function putsOf({ RequestItems }: BatchWriteItemCommandInput): readonly Item[] {
  const asked = Object.values(RequestItems ?? {}).flat();
  return asked.flatMap(({ PutRequest }) => (PutRequest?.Item === undefined ? [] : [PutRequest.Item]));
}

/** As DynamoDB bills: 4 KB a read, 1 KB a write; a write counts the larger of the item before and after. */
function unitsOf(request: Request, answer: object, before: Item | undefined): Units {
  const { action, input } = request;
  const { Item, Items, Responses } = answer as {
    readonly Item?: Item;
    readonly Items?: readonly Item[];
    readonly Responses?: Readonly<Record<string, readonly Item[]>>;
  };
  switch (action) {
    case "GetItem":
      return {
        reads: reads(Item === undefined ? 0 : itemBytes(Item)),
        writes: 0,
        partition: input.Key?.["pk"]?.S ?? "",
      };
    case "PutItem": {
      const bytes = Math.max(itemBytes(input.Item ?? {}), before === undefined ? 0 : itemBytes(before));
      return { reads: 0, writes: writes(bytes), partition: input.Item?.["pk"]?.S ?? "" };
    }
    case "DeleteItem":
      return {
        ...{ reads: 0, writes: writes(before === undefined ? 0 : itemBytes(before)) },
        partition: input.Key?.["pk"]?.S ?? "",
      };
    case "Query": {
      const bytes = (Items ?? []).reduce((sum, item) => sum + itemBytes(item), 0);
      return {
        reads: reads(bytes) / (input.ConsistentRead === true ? 1 : 2),
        writes: 0,
        partition: partitionOf(input),
      };
    }
    case "BatchGetItem": {
      const found = Object.values(Responses ?? {}).flat();
      const partition = firstKeyOf(input);
      return { reads: found.reduce((sum, item) => sum + reads(itemBytes(item)), 0), writes: 0, partition };
    }
    case "BatchWriteItem": {
      const puts = putsOf(input);
      const deletions = Object.values(input.RequestItems ?? {})
        .flat()
        .flatMap(({ DeleteRequest }) => (DeleteRequest?.Key === undefined ? [] : [DeleteRequest.Key]));
      return {
        ...{ reads: 0, writes: puts.reduce((sum, item) => sum + writes(itemBytes(item)), deletions.length) },
        partition: [...puts, ...deletions][0]?.["pk"]?.S ?? "",
      };
    }
  }
}

const reads = (bytes: number) => Math.max(1, Math.ceil(bytes / 4_096));
const writes = (bytes: number) => Math.max(1, Math.ceil(bytes / 1_024));

/** The index has its own partitions. */
function partitionOf({ IndexName, ExpressionAttributeValues }: QueryCommandInput): string {
  return IndexName ?? ExpressionAttributeValues?.[":pk"]?.S ?? "";
}

/** Of a batch over many partitions, each has one item: none of them is busy. */
function firstKeyOf({ RequestItems }: BatchGetItemCommandInput): string {
  return Object.values(RequestItems ?? {})[0]?.Keys?.[0]?.["pk"]?.S ?? "";
}
