import { type AddressRules, onThisMachine } from "../../net/address";
import type { SourceQuery } from "../../model/ports/sources";
import { readParameters, requiredText } from "../fields/read-fields";
import { readServer } from "../network/server";
import { originOf, type WebServer } from "../network/web-client";
import { badParameter } from "../parameters";
import { absentField, type ChoiceField, type ParameterFields, textField } from "../fields/field";
import { serverFields } from "../fields/server-fields";

const measure: ChoiceField<"messages" | "ready" | "publishRate" | "deliverRate"> = {
  type: "choice",
  values: ["messages", "ready", "publishRate", "deliverRate"],
  expected: "one of messages, ready, publishRate and deliverRate",
};

const operation: ChoiceField<"sum" | "avg" | "max"> = {
  type: "choice",
  values: ["sum", "avg", "max"],
  expected: "one of sum, avg and max",
};

export const rabbitmqFields = {
  url: textField({
    expected: "the address of the management API, such as https://mq.example.com:15671",
    pattern: /^https?:\/\/[^\s?#]+$/,
  }),
  vhost: textField({ expected: "a virtual host's name, such as /", pattern: /^[^\0]{1,255}$/ }),
  queue: textField({ expected: "a queue's name", pattern: /^[^\0]{1,255}$/ }),
  queues: textField({ expected: "a regular expression such as ^orders\\.", pattern: /^[^\0]{1,500}$/ }),
  operation,
  measure,
  absent: absentField,
  ...serverFields,
} satisfies ParameterFields;

export type Measure = (typeof measure.values)[number];

export type Operation = (typeof operation.values)[number];

export interface RabbitmqQuery {
  readonly server: WebServer;
  readonly vhost: string;
  readonly of: OneQueue | MatchingQueues;
  readonly measure: Measure;
  /** Undefined: a missing queue is an error. */
  readonly absent: number | undefined;
  readonly description: string;
}

export interface OneQueue {
  readonly queue: string;
}

export interface MatchingQueues {
  readonly pattern: string;
  readonly operation: Operation;
}

/** @throws Fault "badEntry". */
export function parseRabbitmqQuery(
  { parameters }: SourceQuery,
  addresses: AddressRules = onThisMachine,
): RabbitmqQuery {
  const values = readParameters(rabbitmqFields, parameters);
  const { vhost = "/", measure = "messages", absent } = values;
  const server = readServer(requiredText(rabbitmqFields, values, "url"), values, addresses);
  const of = queuesOf(values);
  requireSegment("vhost", vhost);
  if ("queue" in of) requireSegment("queue", of.queue);
  const what = "queue" in of ? `queue ${JSON.stringify(of.queue)}` : `queues like ${JSON.stringify(of.pattern)}`;
  const inVhost = vhost === "/" ? "" : ` in vhost ${JSON.stringify(vhost)}`;
  return {
    server,
    vhost,
    of,
    measure,
    absent: absent === "error" ? undefined : absent,
    description: `${what}${inVhost} of ${originOf(server.endpoint)}`,
  };
}

interface Queues {
  readonly queue?: string;
  readonly queues?: string;
  readonly operation?: Operation;
}

function queuesOf({ queue, queues, operation }: Queues): OneQueue | MatchingQueues {
  if (queue !== undefined && queues === undefined) {
    if (operation !== undefined) throw badParameter("operation", "queues beside it: one queue needs none", operation);
    return { queue };
  }
  if (queue !== undefined || queues === undefined)
    throw badParameter("queue", "queue (a name) or queues (a regular expression), and not both", queue);
  return { pattern: queues, operation: operation ?? "sum" };
}

/** Proxies resolve these segments, also when they are encoded. */
function requireSegment(name: string, value: string): void {
  if (value === "." || value === "..") throw badParameter(name, "a name other than . and ..", value);
}
