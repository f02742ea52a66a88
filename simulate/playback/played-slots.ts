import type { SlotMessage } from "../../lib/model/messages";
import type { WorldClock } from "../../test/faults/world/clock";
import type { Item, MemoryTable } from "../../test/faults/world/memory-table";
import { put } from "../clusters";
import type { Worker } from "../services/environments";
import { periodMs } from "../load";
import { play, type Playing } from "./replay";
import { idOf, type Situations } from "./situations";

export interface PlayedSlots {
  /** @returns whether the message failed. */
  run(worker: Worker, message: SlotMessage, known: Pick<Playing, "isCold" | "isNew">): Promise<boolean>;
  /** HPAs that the shard's last slot left to the next one. */
  behind(shard: Item): number;
}

/** The slots of the clusters that are played back. Each writes its shard as the real sync does. */
export function openPlayedSlots(clock: WorldClock, table: MemoryTable, situations: Situations): PlayedSlots {
  const owed = new Map<string, number>();
  const behind = (shard: Item) => owed.get(idOf(shard)) ?? 0;

  function finish(
    id: string,
    slot: number,
    { left, worked }: { readonly left: number; readonly worked: number },
  ): void {
    const found = table.item("SHARD", id);
    if (found === undefined || Number(found["slot"]?.N) >= slot) return;
    owed.set(id, left);
    situations.finished(id);
    const workedMs = Math.round((3 * Number(found["workedMs"]?.N ?? 0) + Math.min(worked, periodMs)) / 4);
    const seen = { slot, heartbeat: Math.floor(clock.now), workedMs, entries: situations.entriesOf(found) };
    put(table, { ...found, ...numbers({ ...seen, version: Number(found["version"]?.N ?? 1) + 1 }) });
  }

  return {
    behind,
    run({ instance }, { cluster, from, slot, until }, known) {
      const id = `${cluster}#${from}`;
      const shard = table.item("SHARD", id);
      if (clock.now >= until || shard === undefined || Number(shard["slot"]?.N) >= slot) return Promise.resolve(false);
      const before = instance.workedMs;
      return new Promise((resolve) => {
        play({
          ...{ trace: situations.traceOf(shard, slot), instance, clock, partition: `CLUSTER#${cluster}`, until },
          metricsRead: (isAnswered) => situations.metricsRead(id, slot, isAnswered),
          ...{ ...known, owed: behind(shard), done: resolve },
          finish: (left) => finish(id, slot, { left, worked: instance.workedMs - before }),
        });
      });
    },
  };
}

const numbers = (values: Readonly<Record<string, number>>): Item =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, { N: String(value) }]));
