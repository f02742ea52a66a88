import { present } from "../../k8s/map";
import { readParameters, requiredText } from "../fields/read-fields";
import type { SourceQuery } from "../../model/ports/sources";
import {
  type Values,
  type ChoiceField,
  type ParameterFields,
  flagField,
  textField,
  account,
  region,
} from "../fields/field";
import { badParameter } from "../parameters";
import type { BilledRead } from "../description";
import { shown } from "../../model/check/problem";
import { badAnswer } from "../network/as-reading";

const measure: ChoiceField<"messages" | "age"> = {
  type: "choice",
  values: ["messages", "age"],
  expected: "messages or age",
};

/** QueueName in https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_CreateQueue.html */
const name = String.raw`[\w-]{1,80}|[\w-]{1,75}\.fifo`;
const arn = String.raw`arn:aws[a-z-]*:sqs:([a-z0-9-]+):(\d{12}):(${name})`;
const url = String.raw`https?://[^\s/?#]+/(?:[^\s?#]+/)?\d{12}/(?:${name})/?`;

export const sqsFields = {
  queue: textField({
    expected:
      "a queue's name (1 to 80 letters, digits, - and _, perhaps with .fifo at its end), URL (https://host/123456789012/name) or ARN",
    pattern: new RegExp(`^(?:${name}|${arn}|${url})$`),
  }),
  queues: textField({
    expected: "1 to 100 names, URLs or ARNs of queues, with commas",
    pattern: /^[^\s,]{1,500}(,\s*[^\s,]{1,500}){0,99}$/,
  }),
  queuePrefix: textField({
    expected: "the beginning of queues' names: 1 to 80 letters, digits, - and _",
    pattern: /^[A-Za-z0-9_-]{1,80}$/,
  }),
  region,
  account,
  queueOwner: account,
  measure,
  includeInFlight: flagField,
  includeDelayed: flagField,
} satisfies ParameterFields;

export interface QueueAddress {
  readonly name: string;
  /** Absent: the default region. */
  readonly region?: string;
  /** Absent: the caller's own account. */
  readonly account?: string;
  /** Absent: GetQueueUrl finds it. */
  readonly url?: string;
}

export type Queues =
  { readonly addresses: readonly QueueAddress[] } | { readonly prefix: string; readonly region?: string };

const namePattern = new RegExp(`^(?:${name})$`);
const arnPattern = new RegExp(`^${arn}$`);

/**
 * sqs.<region>.amazonaws.com (also fips, dual stack, .cn, VPC endpoints), or the legacy <region>.queue.amazonaws.com.
 * queue.amazonaws.com alone is us-east-1.
 */
const regionInHost = /(?:^|\.)(?:sqs|sqs-fips)\.([a-z]{2,4}(?:-[a-z]+)+-\d+)\./;
const regionInLegacyHost = /^([a-z]{2,4}(?:-[a-z]+)+-\d+)\.queue\.amazonaws\.com/;

export const isQueueName = (name: string): boolean => namePattern.test(name);

type NamedBy = "queue" | "queues";

/** @throws Fault "badEntry" unless `queue` is a name, a URL or an ARN. */
function parseQueueAddress(queue: string, by: NamedBy): QueueAddress {
  if (!sqsFields.queue.pattern.test(queue)) throw badParameter(by, sqsFields.queue.expected, queue);
  const [, region, account, name] = arnPattern.exec(queue) ?? [];
  if (region !== undefined && account !== undefined && name !== undefined) return { name, region, account };
  return isQueueName(queue) ? { name: queue } : fromUrl(queue, by);
}

function fromUrl(url: string, by: NamedBy): QueueAddress {
  if (!URL.canParse(url)) throw badParameter(by, sqsFields.queue.expected, url);
  const { hostname, pathname } = new URL(url);
  const [account = "", name = ""] = pathname.split("/").filter(Boolean).slice(-2);
  const region =
    regionInHost.exec(hostname)?.[1] ??
    regionInLegacyHost.exec(hostname)?.[1] ??
    (hostname === "queue.amazonaws.com" ? "us-east-1" : undefined);
  return { name, account, url, ...present({ region }) };
}

/** CloudWatch has a value a minute. */
export const agePeriodMs = 60_000;

export interface SqsQuery {
  readonly queues: Queues;
  readonly measure: "messages" | "age";
  /** The user's parameter, not from an address. */
  readonly owner?: string;
  readonly includeInFlight: boolean;
  readonly includeDelayed: boolean;
}

type SqsParameters = Values<typeof sqsFields>;

/** @throws Fault "badEntry". */
export function parseSqsQuery({ parameters }: SourceQuery): SqsQuery {
  const values = readParameters(sqsFields, parameters);
  const { includeInFlight = true, includeDelayed = false, measure = "messages" } = values;
  requireNoCounts(values);
  const owner = ownerOf(values).given;
  return { queues: queuesOf(values), measure, ...present({ owner }), includeInFlight, includeDelayed };
}

/**
 * Checks what no label can change.
 * @throws Fault "badEntry".
 */
export function checkSqsParameters(parameters: SourceQuery["parameters"]): void {
  const values = readParameters(sqsFields, parameters);
  requireOneWay(values);
  requireNoCounts(values);
  ownerOf(values);
}

function requireNoCounts(values: SqsParameters): void {
  if (values.measure !== "age") return;
  for (const name of ["includeInFlight", "includeDelayed"] as const)
    if (values[name] !== undefined) throw badParameter(name, "nothing beside the measure age", values[name]);
}

function requireOneWay(values: SqsParameters): void {
  const [first = "queue", second] = (["queue", "queues", "queuePrefix"] as const).filter(
    (name) => values[name] !== undefined,
  );
  if (second !== undefined) throw badParameter(second, `${first} or ${second}, and not both`, values[second]);
}

function queuesOf(values: SqsParameters): Queues {
  const { queues, queuePrefix, region } = values;
  requireOneWay(values);
  if (queuePrefix !== undefined) {
    const owner = ownerOf(values);
    if (owner.given !== undefined)
      throw badParameter(owner.name, "no account beside queuePrefix: SQS lists only the function's own", owner.given);
    return { prefix: queuePrefix, ...present({ region }) };
  }
  if (queues === undefined) return { addresses: [oneAddress(values)] };
  return { addresses: queues.split(",").map((one) => inPlace(parseQueueAddress(one.trim(), "queues"), values)) };
}

/** @throws Fault "badEntry". */
export function parseOneQueue({ parameters }: Pick<SourceQuery, "parameters">): QueueAddress {
  return oneAddress(readParameters(sqsFields, parameters));
}

function oneAddress(values: SqsParameters): QueueAddress {
  return inPlace(parseQueueAddress(requiredText(sqsFields, values, "queue"), "queue"), values);
}

function inPlace(address: QueueAddress, values: SqsParameters): QueueAddress {
  return agree(agree(address, "region", { name: "region", given: values.region }), "account", ownerOf(values));
}

interface Given {
  readonly name: string;
  readonly given: string | undefined;
}

function ownerOf({ account, queueOwner }: SqsParameters): Given {
  if (account !== undefined && queueOwner !== undefined)
    throw badParameter("queueOwner", "account or queueOwner, not both", queueOwner);
  return queueOwner === undefined ? { name: "account", given: account } : { name: "queueOwner", given: queueOwner };
}

/** Otherwise ebb could read the wrong one of two queues. */
function agree(address: QueueAddress, field: "region" | "account", { name, given }: Given): QueueAddress {
  if (given === undefined) return address;
  const inQueue = address[field];
  if (inQueue !== undefined && inQueue !== given)
    throw badParameter(name, `${inQueue}, as the queue's address says`, given);
  return { ...address, [field]: given };
}

/** A queue named in two ways counts twice: only SQS knows that both are one. */
export function billedByAws(query: SourceQuery): readonly BilledRead[] {
  const { queues, measure } = parseSqsQuery(query);
  const isAge = measure === "age";
  const keptSeconds = isAge ? agePeriodMs / 1000 : 0;
  const requests = { unit: "SQS request", keptSeconds } as const;
  const found = foundBy(queues);
  const ages = { what: "age", unit: "CloudWatch metric", keptSeconds, loweredBy: "the measure messages" } as const;
  return [
    ...("prefix" in queues ? [{ ...requests, what: "queue list", key: keyOf(queues) }] : []),
    ...found.map((queue) => ({ ...requests, ...queue, what: "queue" })),
    ...(isAge ? found.map((queue) => ({ ...ages, ...queue })) : []),
  ];
}

function foundBy(queues: Queues): readonly Pick<BilledRead, "key" | "isLeast">[] {
  if ("prefix" in queues) return [{ key: keyOf(queues), isLeast: true }];
  return queues.addresses.map((address) => ({ key: keyOf(address) }));
}

function keyOf(of: QueueAddress | Extract<Queues, { readonly prefix: string }>): string {
  if ("prefix" in of) return JSON.stringify(["prefix", of.region, of.prefix]);
  return JSON.stringify([of.region, of.account, of.name]);
}

const visible = "ApproximateNumberOfMessages";

const inFlight = "ApproximateNumberOfMessagesNotVisible";

const delayed = "ApproximateNumberOfMessagesDelayed";

export const countNames = [visible, inFlight, delayed] as const;

/** One request reads all three at the same price, so queries share it. */
export type QueueAttributes = Readonly<Record<string, string>>;

/** A missing or malformed count is unknown, never 0. */
export function lengthOf(attributes: QueueAttributes, query: SqsQuery, description: string): bigint {
  const counted = [visible, ...(query.includeInFlight ? [inFlight] : []), ...(query.includeDelayed ? [delayed] : [])];
  const counts = counted.map((name) => {
    const count: unknown = attributes[name];
    if (typeof count === "string" && /^\d{1,15}$/.test(count)) return BigInt(count);
    throw badAnswer(`${description}: expected a number for ${name}, got ${shown(count)}`);
  });
  return counts.reduce((sum, count) => sum + count, 0n);
}

interface Counted {
  readonly count: bigint;
  readonly certain: bigint;
}

export function certainLength(queues: readonly Counted[], { measure }: SqsQuery): { readonly certain?: string } {
  const certain = queues.reduce((sum, queue) => sum + queue.certain, 0n);
  const isAll = queues.every((queue) => queue.certain === queue.count);
  if (measure === "age") return isAll || certain > 0n ? {} : { certain: "0" };
  return isAll ? {} : { certain: String(certain) };
}
