import { humanDuration } from "../../../lib/k8s/human-duration";
import type { HeldSize, RateLimited, Stabilized } from "../../../lib/core/explain/digest";
import type { EpochMs } from "../../../lib/k8s/time";
import type { HpaFacts } from "../../../lib/read/hpa-facts";
import type { Remark } from "../../../lib/read/remarks";
import { advice } from "../../shell/advice/table";
import { type Said, saying } from "./next";
import type { Times } from "../../shell/print/times";

export function describeHold(hold: HeldSize, times: Times): string {
  switch (hold.by) {
    case "minReplicas":
    case "maxReplicas":
      return `at ${hold.replicas}, its ${hold.by}`;
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

/** The time left matters, not the time since. */
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
  }
}
