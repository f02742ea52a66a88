import { plot } from "simple-ascii-chart";
import { escapeLine } from "../../../lib/k8s/escape-terminal";
import type { EpochMs } from "../../../lib/k8s/time";
import type { HistoryBucket } from "../../../lib/read/history";
import { holdWords, type HoldKind, type HpaState, hpaStates } from "../../../lib/model/hpa-states";
import { flagsIn, type HistoryFlag, type RosterMetric } from "../../../lib/model/stored/history";

export interface Charted {
  readonly buckets: readonly HistoryBucket[];
  readonly metrics: readonly RosterMetric[];
  readonly maxReplicas: number;
  readonly scalings: readonly EpochMs[];
  readonly since: EpochMs;
  readonly until: EpochMs;
  /** A tick's text. */
  readonly clock: (at: EpochMs) => string;
}

export const besides = 12;
const rows = 8;
const ticks = 4;

/** A column shows the first that it has. */
const letters: readonly (readonly [HistoryFlag, letter: string])[] = [
  ["paused", "p"],
  ["notOurZero", "z"],
  ["unknownMetric", "?"],
  ["failing", "!"],
  ["stabilization", "w"],
  ["rate", "r"],
  ["cooldown", "c"],
  ["confirm", "u"],
  ["busy", "b"],
  ["maxReplicas", "M"],
  ["minReplicas", "m"],
  ["from", "f"],
  ["dryRun", "d"],
];

export function wordOf(flag: HistoryFlag): string {
  return flag in holdWords ? holdWords[flag as HoldKind] : hpaStates[flag as HpaState].label;
}

export function historyChart(charted: Charted): string {
  const { buckets, metrics } = charted;
  const replicas = lineChart(
    charted,
    buckets.map(({ current }) => current?.max),
    marksOf(charted),
  );
  const ofMetrics = metrics.map(({ label, target, unit }, index) => {
    const values = buckets.map((bucket) => bucket.metrics[index]?.max);
    const title = `${escapeLine(label)} (target ${shortNumber(target)}${unitText[unit]})`;
    return `${title}\n${lineChart(charted, values, [], target)}`;
  });
  return [`replicas (at most ${charted.maxReplicas}; ● scaled)\n${replicas}${heldLine(buckets)}`, ...ofMetrics].join(
    "\n",
  );
}

export const unitText = { percent: "% of requests", average: " a pod", value: "" } as const;

type Values = readonly (number | undefined)[];

function lineChart({ since, until, clock }: Charted, values: Values, marks: readonly number[], target = 0): string {
  const known = values.filter((value) => value !== undefined);
  if (known.length === 0) return "  (nothing is known)\n";
  const top = Math.max(1, target, ...known);
  const floor = -top / rows;
  const end = values.length - 1;
  // The library's axis ends with the data: these ends lie in a row that is emptied.
  const ends = [0, end].map((at) => [[at, floor] as [number, number], [at, floor] as [number, number]]);
  const at = (index: number) => since + ((until - since) * index) / values.length;
  const text = plot([...linesOf(values), ...ends], {
    width: values.length,
    height: rows + 1,
    yRange: [floor, top],
    customYAxisTicks: [...new Set([0, ...(target > 0 ? [target] : []), top])],
    customXAxisTicks: Array.from({ length: ticks }, (_, index) => Math.round((end * index) / ticks)),
    formatter: (value, { axis }) => (axis === "x" ? clock(at(value)) : shortNumber(value)),
    points: marks.flatMap((x) => (values[x] === undefined ? [] : [{ x, y: values[x] }])),
  });
  const lines = text.split("\n").map((line) => line.trimEnd());
  const bottom = lines.findLastIndex((line) => line.includes("└")) - 1;
  const indent = " ".repeat(Math.max(0, besides - 3 - lines.findLast((line) => line.includes("└"))!.indexOf("└")));
  return lines
    .map((line, index) => (index === bottom ? line.replaceAll("━", " ").trimEnd() : line))
    .map((line) => (line === "" ? "" : `${indent}${line}\n`))
    .join("");
}

function linesOf(values: Values): [number, number][][] {
  const lines: [number, number][][] = [];
  for (const [x, y] of values.entries()) {
    if (y === undefined) continue;
    if (x > 0 && values[x - 1] !== undefined) lines.at(-1)?.push([x, y]);
    else lines.push([[x, y]]);
  }
  return lines.map((line) => (line.length === 1 ? [...line, ...line] : line));
}

function marksOf({ scalings, since, until, buckets }: Charted): readonly number[] {
  return scalings.map((at) => Math.floor(((at - since) / (until - since)) * buckets.length));
}

function heldLine(buckets: readonly HistoryBucket[]): string {
  const shown = buckets.map(({ flags }) => {
    const found = flagsIn(flags);
    return letters.find(([flag]) => found.includes(flag));
  });
  const used = letters.filter((letter) => shown.includes(letter));
  if (used.length === 0) return "";
  const line = shown.map((letter) => letter?.[1] ?? " ").join("");
  const legend = used.map(([flag, letter]) => `${letter} ${wordOf(flag)}`).join(", ");
  return `${"held by".padStart(besides - 3)} ${line.trimEnd()}\n${" ".repeat(besides - 2)}${legend}\n`;
}

export function shortNumber(value: number): string {
  const [size, unit] = Math.abs(value) >= 1e9 ? [1e9, "G"] : Math.abs(value) >= 1e6 ? [1e6, "M"] : [1, ""];
  const scaled = Math.abs(value) >= 1e4 && size === 1 ? [value / 1e3, "k"] : [value / size, unit];
  return `${Number(Number(scaled[0]).toPrecision(4))}${scaled[1]}`;
}
