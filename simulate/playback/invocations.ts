import { decodeQueueMessage, type SlotMessage } from "../../lib/model/messages";
import { longestCachedMs } from "../../lib/sync/slot/shard-cache";
import { cpu } from "../services/assumptions";
import type { Worker } from "../services/environments";
import type { Message } from "../services/event-source";
import type { PlayedSlots } from "./played-slots";
import type { RealSlots } from "./real-slots";

export interface Invoked {
  /** Clusters whose shards the real sync runs; the others are played back. */
  readonly real: ReadonlyMap<string, unknown>;
  readonly realSlots: RealSlots;
  readonly played: PlayedSlots;
  readonly now: () => number;
}

/** Invocations of `sync`, each with the messages of a batch, at the same time. */
export function openInvocations({ real, realSlots, played, now }: Invoked) {
  const known = openKnown(now);
  return {
    loads: known.loads,
    /** @returns the messages that failed. */
    async run(worker: Worker, messages: readonly Message[]): Promise<ReadonlySet<Message>> {
      await new Promise<void>((resolve) => worker.instance.work(cpu.invocation, resolve));
      const failed = new Set<Message>();
      const slots = messages.map((message) => ({ message, slot: decodeQueueMessage(message.body) as SlotMessage }));
      const isAlone = slots.filter(({ slot }) => real.has(slot.cluster)).length < 2;
      await Promise.all(
        slots.map(async ({ message, slot }) => {
          const { isCold, isNew } = known.begin(worker, slot);
          const isFailed = real.has(slot.cluster)
            ? await realSlots.run(worker, message.body, slot, { isCold, isAlone })
            : await played.run(worker, slot, { isCold, isNew });
          if (isFailed) failed.add(message);
        }),
      );
      return failed;
    },
  };
}

/** What each environment has met: its clusters, and when it loaded each shard. */
function openKnown(now: () => number) {
  const clusters = new Map<Worker, Set<string>>();
  const loadedAt = new Map<Worker, Map<string, number>>();
  const loads = { slots: 0, recent: 0 };
  const of = <Value>(map: Map<Worker, Value>, worker: Worker, empty: () => Value): Value => {
    const found = map.get(worker) ?? empty();
    map.set(worker, found);
    return found;
  };
  return {
    loads,
    /** @returns whether the cluster is new to the environment, and whether all of them are. */
    begin(worker: Worker, { cluster, from, until }: SlotMessage) {
      const seen = of(clusters, worker, () => new Set<string>());
      const first = { isCold: !seen.has(cluster), isNew: seen.size === 0 };
      if (now() >= until) return first;
      seen.add(cluster);
      const shards = of(loadedAt, worker, () => new Map<string, number>());
      const id = `${cluster}#${from}`;
      loads.slots += 1;
      if (now() - (shards.get(id) ?? -Infinity) <= longestCachedMs) loads.recent += 1;
      else shards.set(id, now());
      return first;
    },
  };
}
