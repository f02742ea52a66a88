import { alignColumns } from "../../shell/print/columns";
import { escapeLine } from "../../../lib/k8s/escape-terminal";
import { scalingOf } from "../../../lib/core/explain/cause";
import type { Digest } from "../../../lib/core/explain/digest";
import type { DecisionRecord } from "../../../lib/model/stored/state";
import { describeHold } from "./details";
import { sizeAfter, wouldBe } from "../../../lib/read/decisions";
import { obstacleText, reasonText } from "./reason";
import type { Times } from "../../shell/print/times";

export interface ReadRecord {
  readonly record: DecisionRecord;
  readonly digest: Digest;
}

/**
 * Decisions, one a line: when, from and to which size, and why. A dry run leaves the size as it is; what it would have
 * made of it is in a column of its own, if there is any.
 */
export function decisionTable(records: readonly ReadRecord[], times: Times, align = alignColumns): string {
  const hasDryRun = records.some(({ record }) => record.dryRun === true);
  const rows = records.map(({ record, digest }) => {
    const { at, from, dryRun } = record;
    const would = dryRun === true ? String(wouldBe(record) ?? "?") : "";
    const sizes = [String(from ?? "?"), String(sizeAfter(record) ?? "?"), ...(hasDryRun ? [would] : [])];
    return [times.moment(at), ...sizes, whyOf(record, digest, times)];
  });
  const columns = ["TIME", "FROM", "TO", ...(hasDryRun ? ["DRY RUN"] : []), "WHY"];
  const lines = [columns, ...rows].map((cells) => cells.map(escapeLine).join("\t"));
  return `${align(lines.join("\n"), { minWidth: 0, padding: 3 })}\n`;
}

/** What scaled the target, or what held it; or why no metric counted. */
export function whyOf(record: DecisionRecord, said: Digest, times: Times): string {
  const { metrics, proposed, holds, obstacle } = said;
  if (obstacle !== undefined) return obstacleText(obstacle);
  const lost = metrics.filter(({ asksFor }) => asksFor === null).map(({ metric }) => `${metric} cannot be read`);
  const held = holds.map((hold) => `held ${describeHold(hold, times)}`);
  const scaling = scalingOf({ ...record, ...said });
  // The holds say what limited it.
  if (scaling !== undefined)
    return [reasonText({ cause: scaling.cause }, { ask: "ask", withReading: true }), ...lost, ...held].join("; ");
  const decisive = metrics.find(({ asksFor }) => asksFor !== null && asksFor === proposed);
  const asked =
    decisive === undefined
      ? []
      : [reasonText({ cause: { kind: "metric", metric: decisive } }, { ask: "ask", withReading: true })];
  return [...asked, ...lost, ...held].join("; ");
}
