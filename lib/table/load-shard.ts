import * as schema from "./items/keys";
import type { SourceEntry } from "../model/entry/entries";
import { RefusedDocument } from "../model/entry/limits";
import type { Entry, ListedHpa, LoadedHpas, ShardContents } from "../model/ports/store";
import { type Size, measure } from "../model/size";
import type { ShardRange } from "../model/stored/shard";
import type { State } from "../model/stored/state";
import type { Item, DecodedItem } from "./items/attributes";
import { decodeListedHpa } from "./items/hpa-document";
import { decodeCluster, decodeSource, missingCluster } from "./items/resource-items";
import { decodeState } from "./items/hpa-items";
import { getItem } from "./get-items";
import { type Table, queryRangeAs } from "./reads";

export interface ShardLoad {
  /** In bytes. Larger items are refused by name. */
  readonly mostMemory: number;
  readonly moreMemory?: string;
  readonly known?: LoadedHpas | undefined;
  readonly signal: AbortSignal;
}

/** Reads states by range, to include those of deleted HPAs. */
export async function loadShard(
  table: Table,
  range: ShardRange,
  { mostMemory, moreMemory, known, signal }: ShardLoad,
): Promise<ShardContents> {
  const { cluster } = range;
  const room = openLoadRoom(mostMemory - (known?.memory ?? 0), moreMemory);
  const read = <T>(keys: schema.KeyRange, decode: (item: Item) => T) => queryRangeAs(table, keys, signal, decode);
  const readHpas = async () => {
    const [hpas, states] = await Promise.all([
      read(schema.shardKeys(schema.hpaPrefix, range), (item) => loadedHpa(room, item)),
      read(schema.shardKeys(schema.statePrefix, range), (item) => loadedState(room, item)),
    ]);
    return { hpas: hpas.map(({ value }) => value), ...sortStates(states.map(({ value }) => value)) };
  };
  const [clusterItem, sources, contents] = await Promise.all([
    getItem(table, schema.clusterKey(cluster), signal),
    read(schema.allKeys(schema.sourcePrefix, cluster), (item) => loadedSource(room, item)),
    known === undefined ? readHpas() : { ...known, brokenStates: {} },
  ]);
  return {
    cluster: clusterItem ? decodeCluster(clusterItem) : missingCluster(cluster, table.name),
    sources: sources.map(({ value }) => value),
    memory: room.used(),
    ...contents,
  };
}

function loadedSource(room: LoadRoom, item: Item): LoadedValue<Entry<SourceEntry>> {
  const value = decodeSource(item);
  const { key } = value;
  return room.keep({ key: `${schema.sourcePrefix}${key}`, size: measure(value), value }, (invalid) => ({
    key,
    invalid,
  }));
}

function loadedHpa(room: LoadRoom, item: Item): LoadedValue<ListedHpa> {
  const { size, ...value } = decodeListedHpa(item);
  return room.keep({ key: `${schema.hpaPrefix}${value.key}`, size, value }, (text) => ({
    ...value,
    document: new RefusedDocument([{ path: "", text }]),
  }));
}

type DecodedState = readonly [key: string, state: DecodedItem<State>];

function loadedState(room: LoadRoom, item: Item): LoadedValue<DecodedState> {
  const key = item.sk?.S?.slice(schema.statePrefix.length) ?? "";
  const value: DecodedState = [key, decodeState(item)];
  return room.keep({ key: `${schema.statePrefix}${key}`, size: measure(value[1]), value }, (broken) => [
    key,
    { broken },
  ]);
}

function sortStates(decoded: readonly DecodedState[]): Pick<ShardContents, "states" | "brokenStates"> {
  return {
    states: Object.fromEntries(decoded.flatMap(([key, state]) => ("value" in state ? [[key, state.value]] : []))),
    brokenStates: Object.fromEntries(
      decoded.flatMap(([key, state]) => ("broken" in state ? [[key, state.broken]] : [])),
    ),
  };
}

interface LoadedValue<T> {
  readonly value: T;
}

/**
 * The memory of one load. If the items need more, the largest give way, then the last in key order, so that every slot
 * decides the same.
 */
interface LoadRoom {
  keep<T>(
    item: { readonly key: string; readonly size: Size; readonly value: T },
    instead: (why: string) => T,
  ): LoadedValue<T>;
  /** In bytes. */
  used(): number;
}

interface Held {
  readonly key: string;
  readonly memory: number;
  readonly giveWay: () => void;
}

export function openLoadRoom(mostMemory: number, moreMemory = "give the function more memory"): LoadRoom {
  /** Ascending. */
  const held: Held[] = [];
  let used = 0;

  function insert(one: Held): void {
    let [low, high] = [0, held.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (isBefore(held[middle], one)) low = middle + 1;
      else high = middle;
    }
    held.splice(low, 0, one);
    used += one.memory;
  }

  return {
    keep({ key, size, value }, instead) {
      const kept = { value };
      const giveWay = () => (kept.value = instead(refusal(size, mostMemory, moreMemory)));
      insert({ key, memory: size.memory, giveWay });
      while (used > mostMemory) {
        const largest = held.pop();
        if (largest === undefined) break;
        used -= largest.memory;
        largest.giveWay();
      }
      return kept;
    },
    used: () => used,
  };
}

function isBefore(held: Held | undefined, one: Held): boolean {
  if (held === undefined) return false;
  return held.memory < one.memory || (held.memory === one.memory && held.key < one.key);
}

/** The same text in each slot, to be reported once. */
function refusal({ bytes }: Size, mostMemory: number, moreMemory: string): string {
  const most = `${Math.floor(mostMemory / 2 ** 20)} MB of memory`;
  const what = `expected the HPAs, states and sources of a shard to take at most ${most} together, they take more`;
  return `${what}, and this one of ${bytes} bytes is among the largest (a limit of ebb): make it shorter, or ${moreMemory}`;
}
