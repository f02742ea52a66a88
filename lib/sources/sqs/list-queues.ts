import type { EndpointLimiter } from "../../async/endpoint-limiter";
import { callAws } from "../../aws/call";
import { ListQueuesCommand, type SqsClient } from "../../aws/http/sqs-commands";
import { shown } from "../../model/check/problem";
import { Fault } from "../../model/fault";
import { isQueueName } from "./sqs-query";
import { badAnswer } from "../network/as-reading";

export const mostListedQueues = 100;

/** SQS may end a page early. */
const mostPages = 20;

export interface ListedQueue {
  readonly name: string;
  readonly url: string;
}

interface QueueList {
  readonly client: SqsClient;
  readonly prefix: string;
  readonly region: string;
  readonly limiter: EndpointLimiter;
  readonly limitMs: number;
  readonly priority: number;
  readonly signal: AbortSignal;
}

/** Asks for 101, so a prefix of 10,000 queues costs one small answer. */
export async function listQueues({ client, prefix, region, ...limits }: QueueList): Promise<readonly ListedQueue[]> {
  const description = `queues with the prefix ${shown(prefix)} in ${region}`;
  const call = { action: "sqs:ListQueues", description, failureKey: `ListQueues ${region} ${prefix}`, ...limits };
  const found = new Map<string, ListedQueue>();
  let token: string | undefined;
  for (let page = 1; page === 1 || token !== undefined; page++) {
    if (page > mostPages) throw badAnswer(`${description}: expected at most ${mostPages} pages, got more`);
    const input = {
      QueueNamePrefix: prefix,
      MaxResults: mostListedQueues + 1,
      ...(token !== undefined && { NextToken: token }),
    };
    const answer = await callAws(call, (abortSignal) => client.send(new ListQueuesCommand(input), { abortSignal }));
    for (const url of urlsOf(answer.QueueUrls, description)) {
      const queue = addressOf(url, prefix, description);
      found.set(queue.url, queue);
      if (found.size > mostListedQueues)
        throw new Fault(
          "badEntry",
          `${description}: expected at most ${mostListedQueues}, got more: name fewer by a longer queuePrefix`,
        );
    }
    token = tokenOf(answer.NextToken, description);
  }
  // Not 0: the prefix or the region may be wrong.
  if (found.size === 0) throw new Fault("notFound", `${description}: sqs:ListQueues found none`);
  return [...found.values()];
}

function urlsOf(urls: unknown, description: string): readonly unknown[] {
  if (urls === undefined || urls === null) return [];
  if (Array.isArray(urls)) return urls as readonly unknown[];
  throw badAnswer(`${description}: expected a list of QueueUrls from sqs:ListQueues, got ${shown(urls)}`);
}

function addressOf(url: unknown, prefix: string, description: string): ListedQueue {
  if (typeof url === "string" && URL.canParse(url)) {
    const name = new URL(url).pathname.split("/").at(-1) ?? "";
    if (isQueueName(name) && name.startsWith(prefix)) return { name, url };
  }
  throw badAnswer(`${description}: expected their URLs from sqs:ListQueues, got ${shown(url)}`);
}

function tokenOf(token: unknown, description: string): string | undefined {
  if (token === undefined || token === null || token === "") return undefined;
  if (typeof token === "string") return token;
  throw badAnswer(`${description}: expected a text as NextToken from sqs:ListQueues, got ${shown(token)}`);
}
