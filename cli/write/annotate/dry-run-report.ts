import { type alignColumns } from "../../shell/print/columns";
import { escapeLine } from "../../../lib/k8s/escape-terminal";
import { humanDuration } from "../../../lib/k8s/human-duration";
import type { EpochMs } from "../../../lib/k8s/time";
import { digestOf, wouldBe } from "../../../lib/read/decisions";
import type { DryRunComparison, Moves } from "./dry-run-comparison";
import type { HpaFacts } from "../../../lib/read/hpa-facts";
import { whyOf } from "../../understand/explain/decision-table";
import { localTimes, utcTimes } from "../../shell/print/times";

/** The most lines; `ebb explain hpa NAME --since` has the others. */
const mostLines = 20;

export interface DryRunReport {
  readonly facts: HpaFacts;
  readonly isOn: boolean;
  readonly comparison: DryRunComparison;
}

interface Paper {
  readonly now: EpochMs;
  readonly align: typeof alignColumns;
  readonly emphasize: (text: string) => string;
}

/** How often a dry run and the target moved, how long both agreed, and each move. */
export function dryRunText({ facts, isOn, comparison }: DryRunReport, { now, align, emphasize }: Paper): string {
  const { from, to, would, target, sameMs, comparedMs, records } = comparison;
  const times = localTimes(now);
  const period = isOn
    ? `a dry run, since ${times.near(from)}`
    : `a dry run from ${times.moment(from)} to ${times.moment(to)}`;
  const head = [
    emphasize(escapeLine(`${facts.namespace}/${facts.name}, ${period}:`)),
    "",
    `  ebb     would have scaled ${movesText(would)}`,
    `  target  changed its size ${movesText(target)}`,
    `  same    both had the same size for ${humanDuration(sameMs)} of ${humanDuration(comparedMs)} (${percent(sameMs, comparedMs)} %)`,
  ];
  const shown = records.slice(0, mostLines);
  if (shown.length === 0) return `${head.join("\n")}\n`;
  const rows = shown.map((record) => {
    const why = whyOf(record, digestOf(facts, record), times);
    return [times.moment(record.at), sizeText(record.from), sizeText(wouldBe(record)), why];
  });
  const lines = [["TIME", "TARGET", "EBB", "WHY"], ...rows].map((cells) => cells.map(escapeLine).join("\t"));
  const hidden = records.length - shown.length;
  const more = hidden === 0 ? [] : [`and ${hidden} more`];
  return `${[...head, "", align(lines.join("\n"), { minWidth: 0, padding: 3 }), ...more].join("\n")}\n`;
}

/** All moments are in UTC. */
export function dryRunJson({ facts, isOn, comparison }: DryRunReport): object {
  const { from, to, would, target, sameMs, comparedMs, records } = comparison;
  const instant = (at: EpochMs) => new Date(at).toISOString();
  return {
    cluster: facts.cluster.key,
    namespace: facts.namespace,
    name: facts.name,
    dryRun: isOn,
    from: instant(from),
    to: instant(to),
    wouldHaveScaled: would,
    targetChanged: target,
    sameSeconds: Math.round(sameMs / 1000),
    comparedSeconds: Math.round(comparedMs / 1000),
    items: records.map((record) => ({
      at: instant(record.at),
      target: record.from,
      ebb: wouldBe(record),
      why: whyOf(record, digestOf(facts, record), utcTimes(record.at)),
    })),
  };
}

function movesText({ up, down }: Moves): string {
  const count = up + down;
  if (count === 0) return "0 times";
  if (count === 1) return `once, ${up === 1 ? "up" : "down"}`;
  const parts = [...(up > 0 ? [`${up} up`] : []), ...(down > 0 ? [`${down} down`] : [])];
  return `${count} times: ${parts.join(", ")}`;
}

/** Rounded down, so 100 means all the time. */
function percent(part: number, whole: number): number {
  return whole === 0 ? 100 : Math.floor((100 * part) / whole);
}

function sizeText(size: number | null): string {
  return size === null ? "?" : String(size);
}
