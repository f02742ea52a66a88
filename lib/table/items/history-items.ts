import { brotliCompressSync, constants } from "node:zlib";
import { isMap } from "../../k8s/map";
import type { EpochMs } from "../../k8s/time";
import {
  type HistoryColumn,
  type HistoryBlock,
  type HistoryColumns,
  type HistoryMinute,
  type HistoryPoint,
  type RosterHpa,
  columnsOf,
  sampleIn,
} from "../../model/stored/history";
import type { HistoryRef } from "../../model/stored/shard";
import { fromItem, type Item, maxItemBytes, textOf, toItem } from "./attributes";
import { blockKey, minuteKey } from "./keys";
import { expiring, hashOf, isRosterHpa, withoutMetrics } from "./roster-item";
import { type PackedRoom, unpackText } from "./unpack";

const mostPacked = maxItemBytes - 4_096;

/** Sizes but the desired are differences from it. */
interface Columns {
  readonly d: HistoryColumn;
  readonly c: HistoryColumn;
  readonly r: HistoryColumn;
  readonly s: HistoryColumn;
  readonly f: HistoryColumn;
  readonly n: HistoryColumn;
  readonly m: readonly HistoryColumn[];
}

function toColumns(columns: HistoryColumns): Columns {
  const { desired } = columns;
  const less = (column: HistoryColumn) => trimmed(column.map((one, at) => difference(one, desired[at] ?? null)));
  return {
    d: trimmed(desired),
    ...{ c: less(columns.current), r: less(columns.recommended), s: less(columns.stabilized) },
    ...{ f: trimmed(columns.flags), n: trimmed(columns.conditions), m: columns.metrics.map(trimmed) },
  };
}

function difference(one: number | null, base: number | null): number | null {
  return one === null ? null : one - (base ?? 0);
}

function fromColumns({ d, c, r, s, f, n, m }: Columns): HistoryColumns {
  const more = (column: HistoryColumn) => column.map((one, at) => (one === null ? null : one + (d[at] ?? 0)));
  const sizes = { current: more(c), desired: d, recommended: more(r), stabilized: more(s) };
  return { ...sizes, flags: f, conditions: n, metrics: m };
}

function trimmed(column: HistoryColumn): HistoryColumn {
  return column.slice(0, column.findLastIndex((one) => one !== null) + 1);
}

export type NewMinute = Omit<HistoryMinute, "hash" | "columns">;

export interface Rows {
  readonly hash: string;
  readonly pack: () => Uint8Array;
}

export function rowsOf(columns: HistoryColumns, roster: string): Rows {
  const rows = toColumns(columns);
  const text = JSON.stringify(rows);
  return { hash: hashOf(`${roster} ${text}`), pack: () => packRows(rows, text) };
}

/** If it does not fit, fewer metrics are shown. */
function packRows(rows: Columns, text = JSON.stringify(rows)): Uint8Array {
  const packed = compress(text);
  if (packed.length <= mostPacked || rows.m.length === 0) return packed;
  return packRows({ ...rows, m: rows.m.slice(0, Math.floor(rows.m.length / 2)) });
}

export function encodeMinute(
  cluster: string,
  { roster, previous, to, gap, from, slot }: NewMinute,
  { hash, pack }: Rows,
  expiresAt: EpochMs,
): Item {
  const key = minuteKey({ cluster, from }, slot);
  const rest = { ...key, from, to, slot, hash, roster, previous, gap, ...expiring(expiresAt) };
  return { ...toItem(rest), packed: { B: pack() } };
}

/** Undefined: unreadable. */
export function decodeMinute(item: Item, room: PackedRoom): HistoryMinute | undefined {
  const { packed: _, ...inClear } = item;
  const { from, to, slot, hash, roster, previous, gap } = fromItem(inClear);
  const columns = columnsIn(item, room);
  if (columns === undefined || typeof slot !== "number" || !Array.isArray(previous)) return undefined;
  return {
    ...{ from: textOf(from), to: typeof to === "string" ? to : null, slot, hash: textOf(hash) },
    ...{ roster: textOf(roster), previous: previous.filter(isRef), columns },
    ...(typeof gap === "number" && { gap }),
  };
}

function isRef(value: unknown): value is HistoryRef {
  return isMap(value) && typeof value["from"] === "string" && typeof value["slot"] === "number";
}

function columnsIn(item: Item, room: PackedRoom): HistoryColumns | undefined {
  const found = jsonIn(item, room);
  return isMap(found) && isColumns(found) ? fromColumns(found) : undefined;
}

function isColumns(found: unknown): found is Columns {
  const { d, c, r, s, f, n, m } = found as Columns;
  return [d, c, r, s, f, n, m].every(Array.isArray) && m.every(Array.isArray);
}

function jsonIn(item: Item, room: PackedRoom): unknown {
  const text = unpackText(item, room);
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text.toString());
  } catch {
    return undefined;
  }
}

/** `t`: seconds after the point before. `p`: into `specs`. */
interface PackedBlock extends Columns {
  readonly t: readonly number[];
  readonly p: readonly (number | null)[];
  readonly specs: readonly RosterHpa[];
}

export function encodeBlock(cluster: string, { key, start, points }: HistoryBlock, expiresAt: EpochMs): Item {
  const specs: RosterHpa[] = [];
  const indexes = new Map<string, number>();
  const indexOf = (spec: RosterHpa | undefined): number | null => {
    if (spec === undefined) return null;
    const text = JSON.stringify(spec);
    const known = indexes.get(text) ?? specs.push(spec) - 1;
    indexes.set(text, known);
    return known;
  };
  const seconds = points.map(({ at }, index) => Math.round((at - (points[index - 1]?.at ?? start)) / 1_000));
  const block: PackedBlock = {
    ...{ t: seconds, p: points.map(({ spec }) => indexOf(spec)), specs },
    ...toColumns(columnsOf(points.map(({ sample }) => sample))),
  };
  const attributes = toItem({ ...blockKey(cluster, key, start), start, ...expiring(expiresAt) });
  return { ...attributes, packed: { B: packBlock(block) } };
}

/** An HPA that changes every minute has many specs. */
function packBlock(block: PackedBlock): Uint8Array {
  const packed = compress(JSON.stringify(block));
  if (packed.length <= mostPacked) return packed;
  const fewer: PackedBlock = { ...block, specs: block.specs.map(withoutMetrics) };
  return packRows(fewer);
}

/** Undefined: unreadable. */
export function decodeBlock(item: Item, room: PackedRoom): readonly HistoryPoint[] | undefined {
  const start = Number(item["start"]?.N);
  const found = jsonIn(item, room);
  if (!isMap(found) || !isColumns(found) || Number.isNaN(start)) return undefined;
  const { t, p, specs, ...rows } = found as unknown as PackedBlock;
  if (![t, p, specs].every(Array.isArray)) return undefined;
  const columns = fromColumns(rows);
  let at = start;
  return t.map((seconds, index) => {
    at += seconds * 1_000;
    const spec = specs[p[index] ?? -1];
    return { at, sample: sampleIn(columns, index), ...(isRosterHpa(spec) && { spec }) };
  });
}

const packing = { params: { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_MODE]: 1 } };

function compress(text: string): Buffer {
  return brotliCompressSync(text, packing);
}
