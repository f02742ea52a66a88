import type { HpaKey } from "../../lib/model/hpa-key";
import { columnsOf, type HistorySample, type RosterHpa } from "../../lib/model/stored/history";
import type { HistoryRecord, Shard } from "../../lib/model/stored/shard";
import { openHistory } from "../../lib/table/history";
import type { Table } from "../../lib/table/reads";
import { openStore } from "../../lib/table/store";
import { now, signal } from "./table";

export interface RecordedShard {
  readonly cluster: string;
  readonly from?: string;
  readonly to?: string | null;
  readonly hpas: ReadonlyMap<HpaKey, RosterHpa>;
  /** By slot, in the order of the keys. */
  readonly rows: readonly (readonly [slot: number, samples: readonly (HistorySample | null)[]])[];
  readonly record?: Partial<HistoryRecord>;
  readonly shard?: Partial<Shard>;
}

/** A shard whose slots have left these rows. */
export async function recordHistory(table: Table, given: RecordedShard): Promise<void> {
  const { cluster, from = "", to = null, hpas, rows, record, shard } = given;
  const range = { cluster, from, to };
  const history = openHistory(table, { now: () => now, days: 14 });
  const roster = await history.putRoster(range, hpas, undefined, signal);
  let last: HistoryRecord["last"] = [];
  for (const [slot, samples] of rows) {
    const minute = { slot, roster: roster.hash, previous: last, columns: columnsOf(samples), known: undefined };
    await history.putMinute(range, minute, signal);
    last = [{ from, slot }];
  }
  const kept = { last, packed: 0, seen: now, ...record };
  const store = openStore({ client: table.client, table: table.name, now: () => now });
  const plain = { version: 1, slot: now, heartbeat: now, behind: {}, entries: hpas.size };
  await store.createShard({ ...range, ...plain, ...shard, history: kept }, signal);
}
