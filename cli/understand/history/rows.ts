import { escapeLine } from "../../../lib/k8s/escape-terminal";
import type { EpochMs } from "../../../lib/k8s/time";
import { flagsIn, type HistoryPoint, type RosterMetric } from "../../../lib/model/stored/history";
import type { HpaSeries } from "../../../lib/read/history";
import { shortNumber } from "./chart";

export interface HistoryTable {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

interface Writing {
  readonly moment: (at: EpochMs) => string;
  readonly number: (value: number) => string;
  readonly unknown: string;
}

/** One row for each change. */
export function historyTable(
  { points }: HpaSeries,
  metrics: readonly RosterMetric[],
  { moment, number, unknown }: Writing,
): HistoryTable {
  const cell = (value: number | null | undefined) => (value === null || value === undefined ? unknown : number(value));
  const names = metrics.flatMap(({ label, unit }) => [
    unit === "value" ? label : `${label} (${unit === "percent" ? "%" : "a pod"})`,
    `target of ${label}`,
  ]);
  return {
    columns: ["time", "replicas", "desired", "recommended", "stabilized", "min", "max", "held by", ...names],
    rows: points.map(({ at, sample, spec }) => [
      moment(at),
      ...[sample?.current, sample?.desired, sample?.recommended, sample?.stabilized].map(cell),
      ...[spec?.minReplicas, spec?.maxReplicas].map(cell),
      sample === null ? unknown : flagsIn(sample.flags).join(" "),
      ...metrics.flatMap((_, index) => [cell(sample?.metrics[index]?.value), cell(spec?.metrics[index]?.target)]),
    ]),
  };
}

export const forPeople = (moment: Writing["moment"]): Writing => ({ moment, number: shortNumber, unknown: "?" });

export const forSpreadsheets: Writing = {
  moment: (at) => new Date(at).toISOString(),
  number: String,
  unknown: "",
};

/** RFC 4180, without formulas. */
export function csvOf({ columns, rows }: HistoryTable): string {
  return [columns, ...rows].map((row) => `${row.map(csvCell).join(",")}\r\n`).join("");
}

function csvCell(given: string): string {
  const text = escapeLine(given);
  const safe = /^[=+@]|^-(?![\d.]+$)/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export function pointJson(point: HistoryPoint): object {
  const { at, sample, spec } = point;
  const time = new Date(at).toISOString();
  if (sample === null) return { time, known: false };
  const { current, desired, recommended, stabilized, flags, metrics } = sample;
  return {
    ...{ time, known: true, currentReplicas: current, desiredReplicas: desired, recommended, stabilized },
    ...{ minReplicas: spec?.minReplicas, maxReplicas: spec?.maxReplicas, heldBy: flagsIn(flags) },
    metrics: (spec?.metrics ?? []).map(({ label, type, unit, target }, index) => ({
      ...{ name: label, type, unit, target },
      ...{ value: metrics[index]?.value ?? null, averageValue: metrics[index]?.averageValue ?? null },
    })),
  };
}
