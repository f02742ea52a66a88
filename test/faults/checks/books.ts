import type { HpaKey } from "../../../lib/model/hpa-key";
import { withLatest } from "../../../lib/model/stored/latest";
import type { Shard } from "../../../lib/model/stored/shard";
import type { State } from "../../../lib/model/stored/state";
import { fromItem, type Item } from "../../../lib/table/items/attributes";
import { decodeLatest } from "../../../lib/table/items/packed-items";
import { whole } from "../../table/items/whole";
import { clusterPrefix, latestPrefix, stateKey } from "../../../lib/table/items/keys";
import type { Story } from "../stories/story";
import type { WorldClock } from "../world/clock";
import type { MemoryTable } from "../world/memory-table";
import { remembered } from "../world/remembered";
import { type Ledger, newLedger } from "./ledger";

export interface Violation {
  readonly at: number;
  /** The rule's name, a colon, and what happened. */
  readonly what: string;
}

export interface FarTarget {
  readonly uid: string;
  readonly replicas: number;
  readonly resourceVersion: number;
}

export interface BooksDeps {
  readonly clock: WorldClock;
  readonly story: Story;
  readonly table: MemoryTable;
  readonly sizeOf: (key: string) => FarTarget | undefined;
  /** Of a metric whose counts may be wrong: since when its messages are where they are; undefined: it has none. */
  readonly workSince: (metric: string) => number | undefined;
  readonly trace: (line: string) => void;
}

export const dataOf = remembered(fromItem);

const decodeLatestOnce = remembered((item: Item) => whole(decodeLatest, item));

export type Books = ReturnType<typeof openBooks>;

/** What the rules look things up in: a ledger for each HPA, the table as it is now, and the violations so far. */
export function openBooks({ clock, story, table, sizeOf, workSince, trace }: BooksDeps) {
  const violations: Violation[] = [];
  const ledgers = new Map<string, Ledger>();
  const { setting } = story;
  const clusters = new Map(story.hpas.map(({ key, cluster = "prod" }) => [key, cluster]));
  /** Clusters of which a user broke a SHARD item, until the shards are whole again. */
  const shardsBroken = new Set<string>();

  function violated(what: string): void {
    trace(`${clock.now} VIOLATION ${what}`);
    if (violations.length < 50) violations.push({ at: clock.now, what });
  }

  function ledgerOf(key: string): Ledger {
    const found = ledgers.get(key) ?? newLedger(key, clusters.get(key) ?? "prod");
    ledgers.set(key, found);
    return found;
  }

  function stateOf({ cluster, key }: Ledger): State | undefined {
    const { pk, sk } = stateKey(cluster, key as HpaKey);
    const item = table.item(pk, sk);
    return item && (dataOf(item) as unknown as State);
  }

  /** As people see it. */
  function shownOf(ledger: Ledger): State | undefined {
    const state = stateOf(ledger);
    const ofShard = `${latestPrefix}${ledger.key}`;
    const item = table.items(clusterPrefix + ledger.cluster).findLast(({ sk }) => {
      const name = sk?.S ?? "";
      return name.startsWith(latestPrefix) && name <= ofShard;
    });
    return state && withLatest(state, item && decodeLatestOnce(item)?.[ledger.key as HpaKey]);
  }

  const shards = (): readonly Shard[] =>
    table.items("SHARD").flatMap((item) => {
      const shard = dataOf(item) as unknown as Shard;
      return shardsBroken.size > 0 && !isReadable(shard) ? [] : [shard];
    });

  return {
    ...{
      clock,
      setting,
      sizeOf,
      workSince,
      trace,
      violations,
      violated,
      ledgers,
      ledgerOf,
      stateOf,
      shownOf,
      shards,
      shardsBroken,
    },
    /** How far two processes' clocks may differ. */
    skewMs: Math.max(...setting.skewsMs) - Math.min(...setting.skewsMs) + 2 * (setting.driftMs ?? 0),
    ledgersOf: (cluster: string): readonly Ledger[] =>
      [...ledgers.values()].filter((ledger) => ledger.cluster === cluster),
    /** While a tick splits or merges shards, a key may have none for a moment: then the one on its left. */
    shardOf: (key: string) =>
      shards()
        .filter(({ cluster, from }) => cluster === clusters.get(key) && key >= from)
        .reduce<Shard | undefined>(
          (last, shard) => (last !== undefined && last.from > shard.from ? last : shard),
          undefined,
        ),
  };
}

/** As far as the checks need it. */
function isReadable({ cluster, from, to, slot, behind }: Shard): boolean {
  const isRange = typeof cluster === "string" && typeof from === "string" && (to === null || typeof to === "string");
  return isRange && typeof slot === "number" && typeof behind === "object" && (behind as object | null) !== null;
}
