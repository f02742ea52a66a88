import type { HpaKey } from "../hpa-key";
import { holdWords, type HoldKind, type HpaSigns, type HpaState } from "../hpa-states";
import type { HistoryRef } from "./shard";
import { dayMs, type EpochMs, hourMs, periodStart } from "../../k8s/time";

/** docs/decisions/0098-a-history.md. The index is the bit in `flags`: append only. */
export const historyFlags = [
  "stabilization",
  "rate",
  "minReplicas",
  "maxReplicas",
  "from",
  "confirm",
  "cooldown",
  "unknownMetric",
  "paused",
  "dryRun",
  "failing",
  "notOurZero",
  "busy",
] as const satisfies readonly (HoldKind | HpaState)[];
export type HistoryFlag = (typeof historyFlags)[number];

/** The index is the digit's place in `conditions`: append only. */
export const historyConditions = ["AbleToScale", "ScalingActive", "ScalingLimited", "ScaledToZero"] as const;
export const conditionDigits = ["", "True", "False", "Unknown"] as const;

/** null: not known. */
export interface HistorySample {
  readonly current: number | null;
  readonly desired: number | null;
  /** Before stabilization. */
  readonly recommended: number | null;
  readonly stabilized: number | null;
  readonly flags: number;
  readonly conditions: number;
  readonly metrics: readonly MetricSample[];
}

export interface MetricSample {
  readonly value: number | null;
  /** Beside a utilization alone. */
  readonly averageValue: number | null;
}

export interface RosterHpa {
  readonly target: { readonly apiVersion?: string; readonly kind: string; readonly name: string };
  readonly minReplicas: number;
  readonly maxReplicas: number;
  readonly metrics: readonly RosterMetric[];
  readonly created?: EpochMs;
  readonly generation?: number;
  /** `ebb.dev/history: "false"`. */
  readonly off?: true;
  readonly invalid?: true;
}

export interface RosterMetric {
  readonly label: string;
  readonly name: string;
  readonly type: string;
  readonly container?: string;
  readonly unit: MetricUnit;
  readonly target: number;
}

export type MetricUnit = "percent" | "average" | "value";

/** A shard's entries in key order. Columns use these positions. */
export interface Roster {
  readonly hash: string;
  readonly keys: readonly HpaKey[];
  readonly positions: ReadonlyMap<HpaKey, number>;
  readonly hpas: readonly RosterHpa[];
}

export interface HistoryColumns {
  readonly current: HistoryColumn;
  readonly desired: HistoryColumn;
  readonly recommended: HistoryColumn;
  readonly stabilized: HistoryColumn;
  /** null: no sample. */
  readonly flags: HistoryColumn;
  readonly conditions: HistoryColumn;
  /** Two for each metric: value and averageValue. */
  readonly metrics: readonly HistoryColumn[];
}

export type HistoryColumn = readonly (number | null)[];

export interface HistoryMinute {
  readonly from: string;
  readonly to: string | null;
  readonly slot: EpochMs;
  readonly hash: string;
  readonly roster: string;
  readonly previous: readonly HistoryRef[];
  /** Unknown from here to the slot. */
  readonly gap?: EpochMs;
  readonly columns: HistoryColumns;
}

/** Holds until the next. null: unknown. */
export interface HistoryPoint {
  readonly at: EpochMs;
  readonly sample: HistorySample | null;
  readonly spec?: RosterHpa;
}

export interface HistoryBlock {
  readonly key: HpaKey;
  readonly start: EpochMs;
  readonly points: readonly HistoryPoint[];
}

export const blockMs = 3 * hourMs;
/** Rest is written as often, or the last sample would expire. */
export const restMs = 7 * dayMs;

export function blockOf(at: EpochMs): EpochMs {
  return periodStart(at, blockMs);
}

export function flagsOf(flags: Iterable<HistoryFlag>): number {
  let bits = 0;
  for (const flag of flags) bits |= 1 << historyFlags.indexOf(flag);
  return bits;
}

export function flagsIn(bits: number): readonly HistoryFlag[] {
  return historyFlags.filter((_, index) => (bits & (1 << index)) !== 0);
}

export function signsIn({ flags, current, desired }: HistorySample): HpaSigns {
  const found = flagsIn(flags);
  return {
    ...(found.includes("paused") && { halt: "paused" }),
    isFailing: found.includes("failing"),
    isLeftAtZero: found.includes("notOurZero"),
    isDryRun: found.includes("dryRun"),
    isScaling: current !== null && desired !== null && current !== desired,
    holds: found.filter((flag): flag is HistoryFlag & HoldKind => Object.hasOwn(holdWords, flag)),
    size: current,
  };
}

export function sampleIn(columns: HistoryColumns, position: number): HistorySample | null {
  const at = (column: HistoryColumn | undefined) => column?.[position] ?? null;
  const flags = at(columns.flags);
  if (flags === null) return null;
  const metrics: MetricSample[] = [];
  for (let index = 0; index < columns.metrics.length; index += 2) {
    const [value, averageValue] = [at(columns.metrics[index]), at(columns.metrics[index + 1])];
    metrics.push({ value, averageValue });
  }
  while (metrics.at(-1)?.value === null && metrics.at(-1)?.averageValue === null) metrics.pop();
  return {
    current: at(columns.current),
    desired: at(columns.desired),
    recommended: at(columns.recommended),
    stabilized: at(columns.stabilized),
    ...{ flags, conditions: at(columns.conditions) ?? 0, metrics },
  };
}

export function columnsOf(samples: readonly (HistorySample | null)[]): HistoryColumns {
  const column = (of: (sample: HistorySample) => number | null | undefined): HistoryColumn =>
    samples.map((sample) => (sample === null ? null : (of(sample) ?? null)));
  const most = samples.reduce((found, sample) => Math.max(found, sample?.metrics.length ?? 0), 0);
  return {
    current: column(({ current }) => current),
    desired: column(({ desired }) => desired),
    recommended: column(({ recommended }) => recommended),
    stabilized: column(({ stabilized }) => stabilized),
    flags: column(({ flags }) => flags),
    conditions: column(({ conditions }) => conditions),
    metrics: Array.from({ length: most }, (_, index) => [
      column(({ metrics }) => metrics[index]?.value),
      column(({ metrics }) => metrics[index]?.averageValue),
    ]).flat(),
  };
}
