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

/** One decision a line. What a dry run would have scaled to has its own column. */
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

/** The cause of a scaling or a hold, or why no metric counted. */
export function whyOf(record: DecisionRecord, said: Digest, times: Times): string {
  const { metrics, proposed, holds, obstacle } = said;
  if (obstacle !== undefined) return obstacleText(obstacle);
  const lost = metrics.filter(({ asksFor }) => asksFor === null).map(({ metric }) => `${metric} cannot be read`);
  const held = holds.map((hold) => `held ${describeHold(hold, times)}`);
  const scaling = scalingOf({ ...record, ...said });
  if (scaling !== undefined)
    return [reasonText({ cause: scaling.cause }, { ask: "ask", withReading: true }), ...lost, ...held].join("; ");
  const decisive = metrics.find(({ asksFor }) => asksFor !== null && asksFor === proposed);
  const asked =
    decisive === undefined
      ? []
      : [reasonText({ cause: { kind: "metric", metric: decisive } }, { ask: "ask", withReading: true })];
  return [...asked, ...lost, ...held].join("; ");
}
