import { accountForm, queueForm, regionForm } from "../../model/schema/parameter-forms";
import type { SourceQuery } from "../../model/ports";
import { badParameter, flag, has, optionalText, rejectUnknown, requiredText } from "../parameters";

/** Where a queue is: by its URL, or by name (and owner) in a region. */
export interface QueueAddress {
  readonly name: string;
  /** Absent: the default region. */
  readonly region?: string;
  /** The owner, where it is not the caller's own account. */
  readonly account?: string;
  /** As given; asked for with GetQueueUrl when absent. */
  readonly url?: string;
}

const namePattern = /^[A-Za-z0-9_-]{1,80}$|^[A-Za-z0-9_-]{1,75}\.fifo$/;
const arnPattern = /^arn:aws[a-z-]*:sqs:([a-z0-9-]+):(\d{12}):([A-Za-z0-9_.-]{1,80})$/;

/**
 * Regions as queue URLs carry them: sqs.<region>.amazonaws.com (also fips, dual stack, .cn, VPC endpoints), and the legacy
 * <region>.queue.amazonaws.com; queue.amazonaws.com alone is us-east-1. Any other host tells none.
 */
const regionInHost = /(?:^|\.)(?:sqs|sqs-fips)\.([a-z]{2,4}(?:-[a-z]+)+-\d+)\./;
const regionInLegacyHost = /^([a-z]{2,4}(?:-[a-z]+)+-\d+)\.queue\.amazonaws\.com/;

const expected = "a queue's name, URL or ARN";

/** Reads the parameter `queue`. Throws a Fault "badEntry" for anything that is none of the three. */
export function parseQueueAddress(queue: string): QueueAddress {
  if (queue.startsWith("arn:")) return fromArn(queue);
  if (/^https?:\/\//.test(queue)) return fromUrl(queue);
  if (!namePattern.test(queue)) throw badParameter("queue", expected, queue);
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

const known = ["queue", "region", "account", "queueOwner", "includeInFlight", "includeDelayed"];

/** Throws a Fault "badEntry" that names the parameter. */
export function parseSqsQuery({ parameters }: SourceQuery): SqsQuery {
  rejectUnknown(parameters, known);
  const queue = requiredText(parameters, "queue", queueForm);
  if (has(parameters, "account") && has(parameters, "queueOwner")) {
    throw badParameter("queueOwner", "account or queueOwner, not both", parameters["queueOwner"]);
  }
  const account = has(parameters, "queueOwner") ? "queueOwner" : "account";
  let address = parseQueueAddress(queue);
  address = agree(address, "region", optionalText(parameters, "region", regionForm), "region");
  address = agree(address, "account", optionalText(parameters, account, accountForm), account);
  return {
    address,
    includeInFlight: flag(parameters, "includeInFlight", true),
    includeDelayed: flag(parameters, "includeDelayed", false),
  };
}

/** What the URL or ARN says and what the parameter says must not differ: one of the two queues would be read by mistake. */
function agree(
  address: QueueAddress,
  field: "region" | "account",
  given: string | undefined,
  name: string,
): QueueAddress {
  if (given === undefined) return address;
  const inQueue = address[field];
  if (inQueue !== undefined && inQueue !== given)
    throw badParameter(name, `${inQueue}, as the queue's address says`, given);
  return { ...address, [field]: given };
}
