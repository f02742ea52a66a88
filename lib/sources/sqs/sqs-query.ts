import { readParameters, requiredText } from "../fields/read-fields";
import type { SourceQuery } from "../../model/ports";
import { badParameter } from "../parameters";
import { sqsFields } from "./fields";

/** Where a queue is: its URL, or its name (and owner) in a region. */
export interface QueueAddress {
  readonly name: string;
  /** Absent: the default region. */
  readonly region?: string;
  /** The owner, if it is not the caller's own account. */
  readonly account?: string;
  /** As given. Absent: GetQueueUrl finds it. */
  readonly url?: string;
}

const namePattern = /^[A-Za-z0-9_-]{1,80}$|^[A-Za-z0-9_-]{1,75}\.fifo$/;
const arnPattern = /^arn:aws[a-z-]*:sqs:([a-z0-9-]+):(\d{12}):([A-Za-z0-9_.-]{1,80})$/;

/**
 * The region in a queue's URL: sqs.<region>.amazonaws.com (also fips, dual stack, .cn, VPC endpoints), or the legacy
 * <region>.queue.amazonaws.com. queue.amazonaws.com alone is us-east-1. No other host names a region.
 */
const regionInHost = /(?:^|\.)(?:sqs|sqs-fips)\.([a-z]{2,4}(?:-[a-z]+)+-\d+)\./;
const regionInLegacyHost = /^([a-z]{2,4}(?:-[a-z]+)+-\d+)\.queue\.amazonaws\.com/;

/** Throws a Fault "badEntry" unless `queue` is a name, a URL or an ARN. */
function parseQueueAddress(queue: string): QueueAddress {
  if (queue.startsWith("arn:")) return fromArn(queue);
  if (/^https?:\/\//.test(queue)) return fromUrl(queue);
  if (!namePattern.test(queue)) throw badParameter("queue", sqsFields.queue.expected, queue);
  return { name: queue };
}

function fromArn(arn: string): QueueAddress {
  const [, region, account, name] = arnPattern.exec(arn) ?? [];
  if (region === undefined || account === undefined || name === undefined || !namePattern.test(name)) {
    throw badParameter("queue", "an ARN such as arn:aws:sqs:eu-west-1:123456789012:orders", arn);
  }
  return { name, region, account };
}

function fromUrl(url: string): QueueAddress {
  const bad = badParameter("queue", "a URL such as https://sqs.eu-west-1.amazonaws.com/123456789012/orders", url);
  if (!URL.canParse(url)) throw bad;
  const { hostname, pathname } = new URL(url);
  const segments = pathname.split("/").filter((segment) => segment !== "");
  const name = segments.at(-1) ?? "";
  const account = segments.at(-2) ?? "";
  if (!namePattern.test(name) || !/^\d{12}$/.test(account)) throw bad;
  const region =
    regionInHost.exec(hostname)?.[1] ??
    regionInLegacyHost.exec(hostname)?.[1] ??
    (hostname === "queue.amazonaws.com" ? "us-east-1" : undefined);
  return { name, account, url, ...(region !== undefined && { region }) };
}

export interface SqsQuery {
  readonly address: QueueAddress;
  readonly includeInFlight: boolean;
  readonly includeDelayed: boolean;
}

/** Throws a Fault "badEntry" that names the parameter. */
export function parseSqsQuery({ parameters }: SourceQuery): SqsQuery {
  const values = readParameters(sqsFields, parameters);
  const { region, account, queueOwner, includeInFlight = true, includeDelayed = false } = values;
  const queue = requiredText(sqsFields, values, "queue");
  if (account !== undefined && queueOwner !== undefined)
    throw badParameter("queueOwner", "account or queueOwner, not both", queueOwner);
  const owner =
    queueOwner === undefined ? { name: "account", given: account } : { name: "queueOwner", given: queueOwner };
  const address = agree(parseQueueAddress(queue), "region", { name: "region", given: region });
  return {
    address: agree(address, "account", owner),
    includeInFlight,
    includeDelayed,
  };
}

/** A parameter must agree with the URL or ARN beside it. Otherwise ebb could read the wrong one of two queues. */
function agree(
  address: QueueAddress,
  field: "region" | "account",
  { name, given }: { readonly name: string; readonly given: string | undefined },
): QueueAddress {
  if (given === undefined) return address;
  const inQueue = address[field];
  if (inQueue !== undefined && inQueue !== given)
    throw badParameter(name, `${inQueue}, as the queue's address says`, given);
  return { ...address, [field]: given };
}
