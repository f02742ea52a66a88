import { isMap } from "../../../lib/k8s/map";
import { invalidAttributeName, invalidAttributeValue, invalidParameter } from "./errors";

export type AttributeTexts = Readonly<Record<string, string>>;

const standardDefaults: AttributeTexts = {
  VisibilityTimeout: "30",
  MaximumMessageSize: "1048576",
  MessageRetentionPeriod: "345600",
  DelaySeconds: "0",
  ReceiveMessageWaitTimeSeconds: "0",
  SqsManagedSseEnabled: "true",
};

const fifoDefaults: AttributeTexts = {
  FifoQueue: "true",
  ContentBasedDeduplication: "false",
  DeduplicationScope: "queue",
  FifoThroughputLimit: "perQueue",
};

export const isFifoName = (name: string): boolean => name.endsWith(".fifo");

export function defaultsOf(name: string): AttributeTexts {
  return isFifoName(name) ? { ...standardDefaults, ...fifoDefaults } : standardDefaults;
}

/** @throws SqsError for an invalid name, or one of the other kind of queue. */
export function checkName(name: string, attributes: AttributeTexts): void {
  const isFifo = attributes["FifoQueue"] === "true";
  const base = isFifo && isFifoName(name) ? name.slice(0, -".fifo".length) : name;
  if (name.length <= 80 && /^[A-Za-z0-9_-]+$/.test(base) && isFifo === isFifoName(name)) return;
  throw invalidParameter(
    isFifo
      ? "The name of a FIFO queue can only include alphanumeric characters, hyphens, or underscores, must end with .fifo suffix and be 1 to 80 in length"
      : "Can only include alphanumeric characters, hyphens, or underscores. 1 to 80 in length",
  );
}

const between = (least: number, most: number) => (value: string) =>
  /^\d{1,9}$/.test(value) && Number(value) >= least && Number(value) <= most;
const oneOf =
  (...values: readonly string[]) =>
  (value: string) =>
    values.includes(value);
const anything = () => true;

const fifoOnly: Readonly<Record<string, (value: string) => boolean>> = {
  FifoQueue: oneOf("true"),
  ContentBasedDeduplication: oneOf("true", "false"),
  DeduplicationScope: oneOf("messageGroup", "queue"),
  FifoThroughputLimit: oneOf("perQueue", "perMessageGroupId"),
};

const settable: Readonly<Record<string, (value: string) => boolean>> = {
  DelaySeconds: between(0, 900),
  MaximumMessageSize: between(1_024, 1_048_576),
  MessageRetentionPeriod: between(60, 1_209_600),
  ReceiveMessageWaitTimeSeconds: between(0, 20),
  VisibilityTimeout: between(0, 43_200),
  RedrivePolicy: (value) => value === "" || redrivePolicyOf({ RedrivePolicy: value }) !== undefined,
  RedriveAllowPolicy: anything,
  SqsManagedSseEnabled: oneOf("true", "false"),
  Policy: anything,
  KmsMasterKeyId: anything,
  KmsDataKeyReusePeriodSeconds: between(60, 86_400),
};

/** @throws SqsError for an unknown attribute or an invalid value */
export function settableAttributes(given: unknown, isFifo: boolean): AttributeTexts {
  if (given === undefined || given === null) return {};
  if (!isMap(given)) throw invalidParameter("Attributes: expected a map of names and values");
  const known = isFifo ? { ...settable, ...fifoOnly } : settable;
  const entries = Object.entries(given).map(([name, value]) => [name, String(value)] as const);
  for (const [name, value] of entries) {
    const fits = Object.hasOwn(known, name) ? known[name] : undefined;
    if (fits === undefined) throw invalidAttributeName(name);
    if (!fits(value)) throw invalidAttributeValue(name);
  }
  return Object.fromEntries(entries);
}

/** Requests may name these even if the queue has no value. */
export const readableAttributes: readonly string[] = [...Object.keys(settable), ...Object.keys(fifoOnly), "All"];

export interface DeadLetterPolicy {
  readonly deadLetterTargetArn: string;
  readonly maxReceiveCount: number;
}

/** Undefined: none. */
export function redrivePolicyOf({ RedrivePolicy: text }: AttributeTexts): DeadLetterPolicy | undefined {
  if (text === undefined || text === "") return undefined;
  let policy: unknown;
  try {
    policy = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isMap(policy)) return undefined;
  const { deadLetterTargetArn, maxReceiveCount } = policy;
  const most = Number(maxReceiveCount);
  const isRight = typeof deadLetterTargetArn === "string" && Number.isInteger(most) && most >= 1 && most <= 1_000;
  return isRight ? { deadLetterTargetArn, maxReceiveCount: most } : undefined;
}

export const nameInArn = (arn: string): string => arn.split(":").at(-1) ?? "";
