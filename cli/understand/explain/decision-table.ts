import { alignColumns } from "../../shell/print/columns";
import { escapeLine } from "../../../lib/k8s/escape-terminal";
import { scalingOf, obstacleText, reasonText } from "./reason";
import type { Digest, HeldSize, RateLimited, Stabilized } from "../../../lib/core/explain/digest";
import type { DecisionRecord } from "../../../lib/model/stored/state";
import { sizeAfter, wouldBe } from "../../../lib/read/decisions";
import type { Times } from "../../shell/print/times";
import { humanDuration } from "../../../lib/k8s/human-duration";
import type { EpochMs } from "../../../lib/k8s/time";
import { busyAnnotation } from "../../../lib/model/entry/busy-rule";
import { zeroAnnotation } from "../../../lib/model/entry/zero-rule";
import type { HpaFacts } from "../../../lib/read/hpa-facts";
import type { Remark } from "../../../lib/read/remarks";
import { advice } from "../../shell/advice/table";
import { type Said, saying } from "./next";

export interface ReadRecord {
  readonly record: DecisionRecord;
  readonly digest: Digest;
}

/** A dry run's wish has its own column. */
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

export function describeHold(hold: HeldSize, times: Times): string {
  switch (hold.by) {
    case "minReplicas":
    case "maxReplicas":
      return `at ${hold.replicas}, its ${hold.by}`;
    case "from":
      return `at ${hold.replicas}, from of ${zeroAnnotation}`;
    case "cooldown":
      return hold.until === null
        ? `at ${hold.replicas}: no zero while a metric cannot be read, because it may have work`
        : `at ${hold.replicas} until ${ending(hold.until, times)}: no metric has work, and then zero follows`;
    case "busy": {
      const atMost = hold.until === null ? "" : `, until ${ending(hold.until, times)} at the longest`;
      return `at ${hold.replicas} for busy pods: ${hold.because}${atMost}`;
    }
    case "confirm":
      return `at ${hold.replicas} until ${hold.metric} has no work in ${hold.slotsToZero} more ${hold.slotsToZero === 1 ? "slot" : "slots in a row"}`;
    case "rate":
      return rate(hold, times);
    case "stabilization":
      return stabilization(hold, times);
  }
}

function rate({ replicas, policy, direction, until }: RateLimited, times: Times): string {
  const more = until === null ? "" : ` until ${ending(until, times)}`;
  return `at ${replicas} by the rate of scale-${direction}, ${policy}${more}`;
}

function stabilization(hold: Stabilized, times: Times): string {
  const { direction, raises = false, replicas, windowSeconds, recommendation, lastSeen, until } = hold;
  const window = `the stabilization window of ${humanDuration(windowSeconds * 1000)}`;
  if (until === null || lastSeen === null) return `scale-${direction} at ${replicas} by ${window}`;
  const by = `by a recommendation of ${recommendation} at ${times.moment(lastSeen)}`;
  if (raises) return `at ${replicas} or more until ${ending(until, times)} ${by} (${window})`;
  return `scale-${direction} until ${ending(until, times)} ${by} (${window})`;
}

function ending(until: EpochMs, times: Times): string {
  return until > times.now ? times.near(until) : times.moment(until);
}

export function describeRemark(remark: Remark, { cluster, namespace, name }: HpaFacts, times: Times): Said {
  switch (remark.kind) {
    case "overdue": {
      const overdue = `overdue: last synced at ${times.near(remark.lastSynced)}`;
      return remark.failure === undefined
        ? saying(`${overdue}; `, advice.askStatus({ cluster: cluster.key }))
        : `${overdue}: ${remark.failure}`;
    }
    case "shardFails":
      return `its shard is not synced: ${remark.failure}; last synced at ${times.near(remark.lastSynced)}`;
    case "behind": {
      const seen = `last synced at ${times.near(remark.lastSynced)}`;
      return `behind: the last slots ended before they reached it; ${seen}; the next slot starts with it`;
    }
    case "dryRun":
      return saying(
        "dry run: decided and recorded, never scaled; ",
        advice.endDryRun({ cluster: cluster.key, namespace, name }),
      );
    case "entryChanged":
      return "the entry has changed since this decision; the next sync uses the new entry";
    case "ignoresCosts":
      return `${busyAnnotation} may not choose which pods go: ${remark.because}`;
  }
}
