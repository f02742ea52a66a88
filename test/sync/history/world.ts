import type { EpochMs } from "../../../lib/k8s/time";
import { asHpaKey } from "../../../lib/model/hpa-key";
import type { HistoryWriter } from "../../../lib/model/ports/history";
import { flagsIn } from "../../../lib/model/stored/history";
import { readSeries } from "../../../lib/read/history";
import { openHistory } from "../../../lib/table/history";
import { openLastMinutes } from "../../../lib/table/last-minutes";
import { memoryDynamodb, memoryTableName } from "../../fakes/memory-dynamodb";
import { memoryTable, type Request } from "../../faults/world/memory-table";
import { reshard } from "../../../lib/scheduler/reshard";
import { document, fixture, periodMs, queueSpec, slotAt } from "../sync-fixture";

const { signal } = new AbortController();

/** A deployment with a history, its clock, and what was written for it. */
export function historyWorld(given: Parameters<typeof fixture>[0] = {}) {
  const day = fixture(given);
  const now = () => day.clock.now;
  const table = memoryTable({ now });
  const written: string[] = [];
  const execute: typeof table.execute = (request: Request) => {
    written.push(...writesOf(request));
    return table.execute(request);
  };
  const client = memoryDynamodb({ ...table, execute });
  const stored = { client, name: memoryTableName };
  const history = { ...openHistory(stored, { now, days: 14 }), lastMinutes: openLastMinutes(stored) };

  /** Slots of 15 s, from the first to before the last. */
  async function run(
    first: number,
    last: number,
    over: { readonly history?: HistoryWriter; readonly shards?: readonly string[] } = {},
  ): Promise<void> {
    const { shards = [""], ...rest } = over;
    for (let index = first; index < last; index++)
      for (const from of shards) await day.sync(index, { history, ...rest, from });
  }

  function add(name: string, annotations: Readonly<Record<string, string>> = {}, created?: string): void {
    const spec = { ...queueSpec, scaleTargetRef: { ...queueSpec.scaleTargetRef, name } };
    const whole = document(spec, `shop/${name}`) as { readonly metadata: object };
    const metadata = { ...whole.metadata, annotations, ...(created !== undefined && { creationTimestamp: created }) };
    day.store.documents.set(`prod shop/${name}`, { ...whole, metadata });
    if (!day.cluster.scales.has(`shop/${name}`)) day.cluster.add(`shop/${name}`, 2);
  }

  /** Splits the one shard, or merges two. */
  async function reshardNow(entries: number): Promise<readonly string[]> {
    const shards = (await day.store.shardsOf("prod", signal)).map((shard) => ({ ...shard, entries }));
    for (const shard of shards) day.store.shardItems.set(`prod#${shard.from}`, shard);
    const after = await reshard(day.store, "prod", shards, { periodMs, now, signal });
    return after.map(({ from }) => from);
  }

  /** "12:00:00 1→4 11" for a point; "12:00:00 ?" where nothing is known. */
  async function series(since: EpochMs, until: EpochMs, more: { name?: string; created?: EpochMs } = {}) {
    const key = asHpaKey(`shop/${more.name ?? "orders"}`);
    const query = { cluster: "prod", key, since, until, ...(more.created !== undefined && { created: more.created }) };
    const found = await readSeries({ store: day.store, history }, query, signal);
    const lines = found.points.map(({ at, sample }) => {
      if (sample === null) return `${clockOf(at)} ?`;
      const { current, desired, metrics, flags } = sample;
      const words = [metrics.map(({ value }) => value ?? "?").join(" "), ...flagsIn(flags)].filter((one) => one !== "");
      return [clockOf(at), `${current ?? "?"}→${desired ?? "?"}`, ...words].join(" ");
    });
    return [...lines, `until ${clockOf(found.until)}`];
  }

  return { ...day, history, run, add, reshardNow, series, written };
}

export function clockOf(at: EpochMs): string {
  return new Date(at).toISOString().slice(11, 19);
}

export const minute = (index: number): number => (index * 60_000) / periodMs;
export const at = (minutes: number): EpochMs => slotAt(minute(minutes));

interface Write {
  readonly Item?: { readonly sk: { readonly S: string } };
  readonly RequestItems?: Readonly<Record<string, readonly { readonly PutRequest?: Write }[]>>;
}

function writesOf({ action, input }: Request): readonly string[] {
  const { Item, RequestItems = {} } = input as Write;
  if (action === "PutItem") return Item === undefined ? [] : [Item.sk.S];
  if (action !== "BatchWriteItem") return [];
  const requests = Object.values(RequestItems).flat();
  return requests.flatMap(({ PutRequest }) => (PutRequest?.Item === undefined ? [] : [PutRequest.Item.sk.S]));
}
