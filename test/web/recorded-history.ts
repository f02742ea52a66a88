import { hourMs, minuteMs } from "../../lib/k8s/time";
import { asHpaKey, type HpaKey, hpaKey } from "../../lib/model/hpa-key";
import {
  blockMs,
  blockOf,
  columnsOf,
  flagsOf,
  type HistoryFlag,
  type HistoryPoint,
  type HistorySample,
  type RosterHpa,
} from "../../lib/model/stored/history";
import { saysSame } from "../../lib/model/stored/history-points";
import type { HistoryRef, Shard } from "../../lib/model/stored/shard";
import { openHistory } from "../../lib/table/history";
import { encodeShard } from "../../lib/table/items/shard-item";
import type { Table } from "../../lib/table/reads";
import { putItems } from "../../lib/table/write-items";
import { noon } from "../core/build";
import type { Recorded, RecordedKind } from "./recorded-fleet";

const target = 10;
const [min, max] = [1, 10];

export const recordedSpec: RosterHpa = {
  target: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
  ...{ minReplicas: min, maxReplicas: max },
  metrics: [{ label: "queue", name: "queue", type: "External", unit: "average", target }],
};

/** Between 0 and 1, the same for the same numbers. */
function chance(...numbers: readonly number[]): number {
  const mixed = numbers.reduce((sum, one, index) => sum + one * (12.9898 + index * 65.233), 0);
  const value = Math.sin(mixed) * 43_758.5453;
  return value - Math.floor(value);
}

const dayLength = 1_440;

/** Replicas' worth of work: a quiet night, a busy day, now and then a burst. */
function workAt(minute: number, seed: number): number {
  const ofDay = Math.sin(((minute - 420 + seed * 90) / dayLength) * 2 * Math.PI);
  const wave = 1.2 * Math.sin((minute / (61 + seed * 40)) * 2 * Math.PI);
  const burst = chance(Math.floor(minute / 45), seed) > 0.86 ? 5 * Math.sin(((minute % 45) / 45) * Math.PI) : 0;
  return Math.max(0, 2.2 + 3.4 * ofDay + wave + burst + 0.4 * chance(minute, seed));
}

/** Of the last minutes: the state at noon follows from it. Undefined: as on any other day. */
function lastWork(kind: RecordedKind, left: number): number | undefined {
  if (kind === "atZero") return left < 25 ? 0 : undefined;
  if (kind === "atMax") return left < 30 ? 13 : undefined;
  if (kind === "steady") return left < 20 ? 2 : undefined;
  if (kind === "busy") return left < 10 ? 2 : left < 40 ? 8 : undefined;
  if (kind === "held") return left < 4 ? 2 : left < 22 ? 8 : undefined;
  return undefined;
}

/** One sample a minute, the newest last: as ebb decides, with a window of five minutes and no zero but for `atZero`. */
function samplesOf(kind: RecordedKind, seed: number, minutes: number): readonly (HistorySample | null)[] {
  const floor = kind === "atZero" ? 0 : min;
  const recent: number[] = [];
  let current = floor;
  return Array.from({ length: minutes }, (_, index): HistorySample | null => {
    const left = minutes - index;
    const minute = 720 - left;
    const work = lastWork(kind, left) ?? workAt(minute, seed);
    const recommended = Math.ceil(Math.max(0, work - 0.35));
    recent.push(recommended);
    if (recent.length > 5) recent.shift();
    const stabilized = Math.max(...recent);
    const isSparing = kind === "busy" && left < 10;
    const desired = isSparing ? current : Math.min(max, Math.max(floor, stabilized));
    const flags: HistoryFlag[] = isSparing ? ["busy"] : [];
    if (stabilized > recommended) flags.push("stabilization");
    if (stabilized > max) flags.push("maxReplicas");
    if (stabilized < floor) flags.push("minReplicas");
    if (kind === "paused") flags.push("paused");
    if (kind === "dryRun") flags.push("dryRun");
    const isUnknown = (kind === "failing" && left < 12) || chance(Math.floor(minute / 20), seed, 3) > 0.985;
    if (isUnknown) flags.push("unknownMetric", "failing");
    const sample = {
      ...{ current: kind === "dryRun" || kind === "paused" ? 3 : current, desired, conditions: 0 },
      ...{ recommended: isUnknown ? null : recommended, stabilized: isUnknown ? null : stabilized },
      flags: flagsOf(flags),
      metrics: [
        { value: isUnknown ? null : Math.round((work * target * 10) / Math.max(1, current)) / 10, averageValue: null },
      ],
    };
    current = desired;
    // The deployment's slots stopped for a while.
    return left > 300 && left < 317 ? null : sample;
  });
}

export interface History {
  readonly hpas: readonly Recorded[];
  readonly minutes: number;
}

function seedOf({ name, namespace }: Recorded): number {
  return [...name, ...namespace].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % 17;
}

export function samplesOfHpa(hpa: Recorded, minutes: number): readonly (HistorySample | null)[] {
  return samplesOf(hpa.kind, seedOf(hpa), minutes);
}

function pointsOf(hpa: Recorded, minutes: number): readonly HistoryPoint[] {
  const points: HistoryPoint[] = [];
  samplesOfHpa(hpa, minutes).forEach((sample, index) => {
    const point = { at: noon - (minutes - index) * minuteMs, sample, ...(sample && { spec: recordedSpec }) };
    const last = points.at(-1);
    if (last === undefined || !saysSame(last, point)) points.push(point);
  });
  return points;
}

/** As slots until noon left it: blocks until nine, and minutes since then. */
export async function recordHistory(
  table: Table,
  shard: Shard,
  { hpas, minutes }: History,
  signal: AbortSignal,
): Promise<void> {
  const history = openHistory(table, { now: () => noon, days: 14 });
  const packed = noon - 3 * hourMs;
  for (const hpa of hpas) {
    const key = keyOf(hpa);
    const byBlock = new Map<number, HistoryPoint[]>();
    for (const point of pointsOf(hpa, minutes)) {
      const start = blockOf(point.at);
      byBlock.set(start, [...(byBlock.get(start) ?? []), point]);
    }
    const blocks = [...byBlock]
      .filter(([start]) => start + blockMs <= packed)
      .map(([start, points]) => ({ key, start, points }));
    await history.putBlocks(shard.cluster, blocks, signal);
  }
  const last = await recordMinutes({ history, shard, hpas, packed, minutes }, signal);
  await putItems(table, [encodeShard({ ...shard, history: { last, packed, seen: noon } })], signal);
}

interface Minutes {
  readonly history: ReturnType<typeof openHistory>;
  readonly shard: Shard;
  readonly hpas: readonly Recorded[];
  readonly packed: number;
  readonly minutes: number;
}

async function recordMinutes({ history, shard, hpas, packed, minutes }: Minutes, signal: AbortSignal) {
  const count = (noon - packed) / minuteMs;
  const sorted = [...hpas].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  const roster = await history.putRoster(
    shard,
    new Map(sorted.map((hpa) => [keyOf(hpa), recordedSpec])),
    undefined,
    signal,
  );
  const rows = sorted.map((hpa) => samplesOfHpa(hpa, Math.max(count, minutes)).slice(-count));
  let previous: readonly HistoryRef[] = [];
  let known: string | undefined;
  for (let minute = 0; minute < count; minute++) {
    const slot = packed + minute * minuteMs;
    const columns = columnsOf(rows.map((row) => row[minute] ?? null));
    const hash = await history.putMinute(shard, { slot, roster: roster.hash, previous, columns, known }, signal);
    if (hash !== known) previous = [{ from: shard.from, slot }];
    known = hash;
  }
  return previous;
}

function keyOf({ namespace, name }: Recorded): HpaKey {
  return asHpaKey(hpaKey(namespace, name));
}
