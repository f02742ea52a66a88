import { alignColumns, escapeLine } from "../../lib/k8s/printing/columns";
import type { Digest } from "../../lib/core/explain/digest";
import type { DecisionRecord } from "../../lib/model/stored/state";
import { describeHold } from "./details";
import { leftAt } from "../../lib/read/decisions";
import type { Times } from "./times";

export interface ReadRecord {
  readonly record: DecisionRecord;
  readonly digest: Digest;
}

/** Decisions, one a line: when, from and to which size, and why. */
export function decisionTable(records: readonly ReadRecord[], times: Times, align = alignColumns): string {
  const rows = records.map(({ record, digest }) => {
    const { at, from, dryRun } = record;
    const why = `${whyOf(digest, times)}${dryRun === true ? " (dry run)" : ""}`;
    return [times.moment(at), String(from ?? "?"), String(leftAt(record) ?? "?"), why];
  });
  const lines = [["TIME", "FROM", "TO", "WHY"], ...rows].map((cells) => cells.map(escapeLine).join("\t"));
  return `${align(lines.join("\n"), { minWidth: 0, padding: 3 })}\n`;
}

/** The metric that asked for the most, and what limited it; or why no metric counted. */
function whyOf({ metrics, proposed, holds, obstacle }: Digest, times: Times): string {
  if (obstacle !== undefined) return `${obstacle.reason}: ${obstacle.message}`;
  const decisive = metrics.find(({ asksFor }) => asksFor !== null && asksFor === proposed);
  const lost = metrics.filter(({ asksFor }) => asksFor === null).map(({ metric }) => `${metric} cannot be read`);
  const asked =
    decisive === undefined
      ? []
      : [`${decisive.metric} asks for ${decisive.asksFor} (${decisive.read ?? "its fallback"})`];
  return [...asked, ...lost, ...holds.map((hold) => `held ${describeHold(hold, times)}`)].join("; ");
}
