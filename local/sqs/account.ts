import type { Clock } from "../clock";
import type { Random } from "../random";
import { invalidParameter, queueDoesNotExist, queueNameExists } from "./errors";
import type { Message, Queue } from "./queue";
import { createQueue } from "./queue";

/** The queues of one account in one region. */
export interface QueueAccount {
  readonly id: string;
  readonly region: string;
  create(name: string, attributes?: Readonly<Record<string, string>>): Queue;
  find(name: string): Queue;
  list(prefix?: string): readonly Queue[];
  remove(name: string): void;
  arnOf(queue: Queue): string;
  snapshot(): AccountSnapshot;
}

export interface AccountSnapshot {
  readonly queues: readonly {
    readonly name: string;
    readonly attributes: Readonly<Record<string, string>>;
    readonly messages: readonly Message[];
  }[];
}

export function createAccount(parts: {
  readonly clock: Clock;
  readonly random: Random;
  readonly snapshot?: AccountSnapshot;
}): QueueAccount {
  const { clock, random } = parts;
  const id = "000000000000";
  const region = "us-east-1";
  const queues = new Map<string, Queue>();
  for (const kept of parts.snapshot?.queues ?? []) queues.set(kept.name, createQueue({ ...kept, clock, random }));

  return {
    id,
    region,
    create(name, attributes = {}) {
      if (!/^[A-Za-z0-9_-]{1,80}$/.test(name)) {
        throw invalidParameter("Can only include alphanumeric characters, hyphens, or underscores. 1 to 80 in length");
      }
      const standing = queues.get(name);
      if (standing !== undefined) {
        const other = Object.keys(attributes).find((key) => standing.attribute(key) !== attributes[key]);
        if (other !== undefined) throw queueNameExists(other);
        return standing;
      }
      const queue = createQueue({ name, clock, random, attributes });
      queues.set(name, queue);
      return queue;
    },
    find(name) {
      const queue = queues.get(name);
      if (queue === undefined) throw queueDoesNotExist();
      return queue;
    },
    list: (prefix = "") => [...queues.values()].filter(({ name }) => name.startsWith(prefix)),
    remove: (name) => void queues.delete(name),
    arnOf: ({ name }) => `arn:aws:sqs:${region}:${id}:${name}`,
    snapshot: () => ({
      queues: [...queues.values()].map((queue) => ({
        ...{ name: queue.name, attributes: queue.attributes(), messages: queue.messages() },
      })),
    }),
  };
}
