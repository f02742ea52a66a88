import type { Clock } from "../../clock";
import type { Random } from "../../random";
import { queueDoesNotExist, queueNameExists } from "./errors";
import type { Deduplicated, Message, MessageChange } from "./message";
import type { Queue } from "./queue";
import { createQueue } from "./queue";
import { checkName, nameInArn } from "./queue-attributes";

export interface QueueAccount {
  readonly id: string;
  readonly region: string;
  create(name: string, attributes?: Readonly<Record<string, string>>, tags?: Readonly<Record<string, string>>): Queue;
  find(name: string): Queue;
  list(prefix?: string): readonly Queue[];
  remove(name: string): void;
  arnOf(queue: Queue): string;
  snapshot(): AccountSnapshot;
}

export interface AccountSnapshot {
  readonly queues: readonly QueueSnapshot[];
}

export interface QueueSnapshot {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly messages: readonly Message[];
  readonly tags?: Readonly<Record<string, string>>;
  readonly sent?: readonly Deduplicated[];
}

export type QueueChange = { readonly queue: string } & (
  | { readonly attributes: Readonly<Record<string, string>> }
  | { readonly tags: Readonly<Record<string, string>> }
  | { readonly deleted: true }
  | MessageChange
);

export function createAccount(parts: {
  readonly clock: Clock;
  readonly random: Random;
  readonly snapshot?: AccountSnapshot;
  /** Gets every change before anyone can see it. */
  readonly record?: (change: QueueChange) => void;
}): QueueAccount {
  const { clock, random, record = () => undefined } = parts;
  const id = "000000000000";
  const region = "us-east-1";
  const queues = new Map<string, Queue>();
  const open = (kept: Pick<QueueSnapshot, "name" | "attributes"> & Partial<QueueSnapshot>): Queue => {
    const queue = createQueue({
      ...kept,
      ...{ clock, random, deadLetterQueue: ({ deadLetterTargetArn: arn }) => queues.get(nameInArn(arn)) },
      record: (change) => {
        if (queues.get(kept.name) !== queue) return;
        if (change === "attributes") record({ queue: kept.name, attributes: queue.attributes() });
        else if (change === "tags") record({ queue: kept.name, tags: queue.tags() });
        else record({ queue: kept.name, ...change });
      },
    });
    queues.set(kept.name, queue);
    return queue;
  };
  parts.snapshot?.queues.forEach(open);

  return {
    id,
    region,
    create(name, attributes = {}, tags = {}) {
      checkName(name, attributes);
      const existing = queues.get(name);
      if (existing !== undefined) {
        const other = Object.keys(attributes).find((key) => existing.attribute(key) !== attributes[key]);
        if (other !== undefined) throw queueNameExists(other);
        return existing;
      }
      const queue = open({ name, attributes, tags });
      record({ queue: name, attributes: queue.attributes() });
      if (Object.keys(tags).length > 0) record({ queue: name, tags });
      return queue;
    },
    find(name) {
      const queue = queues.get(name);
      if (queue === undefined) throw queueDoesNotExist();
      return queue;
    },
    list: (prefix = "") => [...queues.values()].filter(({ name }) => name.startsWith(prefix)),
    remove(name) {
      if (queues.delete(name)) record({ queue: name, deleted: true });
    },
    arnOf: ({ name }) => `arn:aws:sqs:${region}:${id}:${name}`,
    snapshot: () => ({
      queues: [...queues.values()].map((queue) => ({
        ...{ name: queue.name, attributes: queue.attributes(), messages: queue.messages() },
        ...{ tags: queue.tags(), sent: queue.sent() },
      })),
    }),
  };
}
