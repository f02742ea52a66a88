import { willNotWake } from "../../../lib/model/hpa-states";
import { groupIn } from "../../../lib/k8s/objects";
import { scalingOf, reasonText } from "./reason";
import type { Obstacle } from "../../../lib/core/explain/digest";
import type { HorizontalPodAutoscaler } from "../../../lib/k8s/hpa";
import type { Intent } from "../../../lib/model/stored/state";
import { type DigestedDecision, unreadMetrics } from "../../../lib/read/decisions";
import type { Explanation } from "../../../lib/read/explanation";
import type { Halt, NeverSynced } from "../../../lib/read/halt";
import type { HpaFacts } from "../../../lib/read/hpa-facts";
import type { Times } from "../../shell/print/times";

export function summaryOf(facts: HpaFacts, { halt, unsettled, decision }: Explanation, times: Times): string {
  if (halt !== undefined) return halted(halt, facts, times);
  if (unsettled !== undefined) return scaling(unsettled, times);
  if (decision === undefined) return "has no recorded decision yet: its next sync records one";
  return decided(decision, "hpa" in facts.entry ? kubectlName(facts.entry.hpa) : "the target", times);
}

function halted(halt: Halt, { cluster }: HpaFacts, times: Times): string {
  switch (halt.reason) {
    case "InvalidEntry":
      return `is halted because its entry cannot be used: ${halt.errors.join("; ")}`;
    case "InvalidCluster":
      return `is not synced: ${halt.problem}`;
    case "BrokenState":
      return `is halted because its state cannot be read: ${halt.problem}`;
    case "Paused": {
      const { replicas: size } = halt;
      const why = size === undefined ? "nothing scales it" : `it stays at ${size} whatever the metrics say`;
      return halt.until === undefined ? `is paused: ${why}` : `is paused until ${times.near(halt.until)}: ${why}`;
    }
    case "NeverSynced": {
      if (halt.cause.kind === "new" && halt.cause.due !== undefined) return "is new, and not synced yet";
      const why = neverSynced(halt.cause, cluster.key, times);
      return why === undefined ? "was never synced" : `was never synced: ${why}`;
    }
  }
}

function neverSynced(cause: NeverSynced, cluster: string, times: Times): string | undefined {
  switch (cause.kind) {
    case "noShard":
      return `no shard of cluster ${cluster} holds it yet`;
    case "shardFails":
      return cause.failure;
    case "shardLate":
      return cause.lastSlot === undefined
        ? "no slot was ever finished"
        : `the last finished slot is ${times.near(cause.lastSlot)}`;
    case "missed":
      return `its first sync was due by ${times.near(cause.due)}, and the slots of its shard are in time`;
    case "new":
      return undefined;
  }
}

function scaling({ from, to, at }: Intent, times: Times): string {
  const started = `is being scaled from ${from} to ${replicas(to)}, started at ${times.near(at)}`;
  return `${started}: the next sync checks whether it happened`;
}

function decided(decision: DigestedDecision, target: string, times: Times): string {
  const { desiredReplicas: to, proposed, obstacle, at, isDryRun, isPast } = decision;
  if (obstacle !== undefined) return obstructed(obstacle, decision, { target, times });
  const ask = isPast ? "asked" : "ask";
  const scaling = scalingOf(decision);
  if (scaling !== undefined) return `${changed(decision, times)}: ${reasonText(scaling, { ask })}`;
  if (proposed === null) return blind(decision, times);
  const wanted = proposed === decision.from ? asWanted(decision, ask) : `, though the metrics ${ask} for ${proposed}`;
  const since = isPast ? `, from ${times.near(at)}` : "";
  if (!isDryRun) return `${stays(isPast)} at ${replicas(to)}${wanted}${since}`;
  return `would ${isPast ? "have stayed" : "stay"} at ${replicas(to)} (dry run)${wanted}${since}`;
}

/** "was scaled up from 2 to 4 replicas at 12:00:00 UTC (10s ago)", "would scale from 2 to 4 replicas (dry run)". */
function changed({ from: found, desiredReplicas: to, at, isDryRun, isPast }: DigestedDecision, times: Times): string {
  const from = found ?? to;
  const sizes = to === 0 ? `from ${from} to zero` : `from ${from} to ${replicas(to)}`;
  if (isDryRun)
    return isPast ? `would have scaled ${sizes} at ${times.near(at)} (dry run)` : `would scale ${sizes} (dry run)`;
  const when = `at ${times.near(at)}`;
  if (from === 0) return `was woken from zero to ${replicas(to)} ${when}`;
  if (to === 0) return `was scaled ${sizes} ${when}`;
  return `was scaled ${to > from ? "up" : "down"} ${sizes} ${when}`;
}

function asWanted({ metrics, from }: DigestedDecision, ask: string): string {
  const isTolerated = metrics.some(({ asksFor, notes }) => asksFor === from && notes.includes("within tolerance"));
  return isTolerated ? ": the metrics are within tolerance of their targets" : `, as the metrics ${ask} for`;
}

function blind(decision: DigestedDecision, times: Times): string {
  const { metrics, from, desiredReplicas, blindSince, isPast } = decision;
  const lost = unreadMetrics(decision);
  const since = blindSince === undefined ? "" : ` since ${times.near(blindSince)}`;
  const cannot = isPast ? "could not" : "cannot";
  const size = `${stays(isPast)} at ${replicas(from ?? desiredReplicas)}: ${inWords(lost)} ${cannot} be read${since}`;
  if (lost.length === metrics.length) return `${size}, so nothing is scaled`;
  return `${size}, and without ${lost.length === 1 ? "it" : "them"} the size must not shrink`;
}

function obstructed(
  { reason, message }: Obstacle,
  decision: DigestedDecision,
  { target, times }: { readonly target: string; readonly times: Times },
): string {
  const { at, isPast, desiredReplicas, from } = decision;
  switch (reason) {
    case "ScalingDisabled":
      return isPast ? "stayed at zero: somebody else had scaled it to zero" : `${willNotWake}, but somebody else's`;
    case "TooFewReplicas":
      return `${changed(decision, times)}: it was below minReplicas`;
    case "TooManyReplicas":
      return `${changed(decision, times)}: it was above maxReplicas`;
    case "FailedGetScale":
      return `${isPast ? "could not" : "cannot"} be scaled: the scale of ${target} cannot be read: ${message}`;
    case "FailedUpdateScale":
      return `could not be scaled at ${times.near(at)}: ${message}`;
    default:
      return `${stays(isPast)} at ${replicas(from ?? desiredReplicas)}: ${message}`;
  }
}

function stays(isPast: boolean): string {
  return isPast ? "stayed" : "stays";
}

/** "a, b and c". Of more than four: "a, b, c and 2 more". */
export function inWords(names: readonly string[]): string {
  const shown = names.length > 4 ? [...names.slice(0, 3), `${names.length - 3} more`] : names;
  return [shown.slice(0, -1).join(", "), ...shown.slice(-1)].filter((part) => part !== "").join(" and ");
}

export function replicas(count: number): string {
  if (count === 0) return "zero";
  return `${count} ${count === 1 ? "replica" : "replicas"}`;
}

/** For kubectl: "deployment/orders", "rollout.argoproj.io/orders". */
export function kubectlName({ spec }: Pick<HorizontalPodAutoscaler, "spec">): string {
  const { apiVersion = "", kind, name } = spec.scaleTargetRef;
  const group = groupIn(apiVersion);
  const isBuiltIn = group === "" || group === "apps";
  return `${kind.toLowerCase()}${isBuiltIn ? "" : `.${group}`}/${name}`;
}
