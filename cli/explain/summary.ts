import type { Digest, Obstacle } from "../../lib/core/explain/digest";
import type { Explained } from "../../lib/model/state";
import type { Times } from "./times";

/** A recorded decision, read. */
export interface Told {
  readonly decision: Explained & Digest;
  /** What is scaled, as kubectl takes it: "deployment/orders". */
  readonly target: string;
  readonly dryRun: boolean;
  /** It no longer stands: told in the past tense. */
  readonly isPast: boolean;
  /** Since when metrics cannot be read, where that is known. */
  readonly blindSince?: number | undefined;
}

/** What became of it in one sentence, to go on after the HPA's name. */
export function summarize(told: Told, times: Times): string {
  const { decision, dryRun, isPast } = told;
  const { desiredReplicas: to, proposed, obstacle, at } = decision;
  const from = decision.from ?? to;
  if (obstacle !== undefined) return obstructed(obstacle, told, times);
  if (proposed === null) return blind(told, times);
  const ask = isPast ? "asked" : "ask";
  if (from !== to) {
    const asked = proposed === to ? "" : `; the metrics ${ask} for ${proposed}`;
    return `${changed(from, to, dryRun)} at ${times.near(at)}${asked}`;
  }
  const wanted = proposed === from ? asWanted(decision, ask) : `, though the metrics ${ask} for ${proposed}`;
  return `${dryRun ? "would stay" : stays(isPast)} at ${replicas(to)}${wanted}${isPast ? `, from ${times.near(at)}` : ""}`;
}

function changed(from: number, to: number, dryRun: boolean): string {
  const be = dryRun ? "would have been" : "was";
  if (from === 0) return `${be} woken from zero to ${replicas(to)}`;
  if (to === 0) return `${be} scaled from ${from} to zero`;
  return `${be} scaled ${to > from ? "up" : "down"} from ${from} to ${replicas(to)}`;
}

function asWanted({ metrics, from }: Explained & Digest, ask: string): string {
  const isTolerated = metrics.some(({ asksFor, notes }) => asksFor === from && notes.includes("within tolerance"));
  return isTolerated ? ": the metrics are within tolerance of their targets" : `, as the metrics ${ask} for`;
}

function blind({ decision, blindSince, isPast }: Told, times: Times): string {
  const { metrics, from, desiredReplicas } = decision;
  const lost = metrics.filter(({ asksFor }) => asksFor === null).map(({ metric }) => metric);
  const since = blindSince === undefined ? "" : ` since ${times.near(blindSince)}`;
  const cannot = isPast ? "could not" : "cannot";
  const size = `${stays(isPast)} at ${replicas(from ?? desiredReplicas)}: ${lost.join(" and ")} ${cannot} be read${since}`;
  if (lost.length === metrics.length) return `${size}, so nothing is scaled`;
  return `${size}, and without ${lost.length === 1 ? "it" : "them"} nothing may shrink`;
}

function obstructed({ reason, message }: Obstacle, told: Told, times: Times): string {
  const { decision, target, isPast, dryRun } = told;
  const { desiredReplicas: to, at } = decision;
  const from = decision.from ?? to;
  switch (reason) {
    case "ScalingDisabled":
      return `${isPast ? "was" : "is"} left at zero: somebody else made that zero, so it is not ebb's to wake`;
    case "TooFewReplicas":
      return `${changed(from, to, dryRun)} at ${times.near(at)}: it was below minReplicas`;
    case "TooManyReplicas":
      return `${changed(from, to, dryRun)} at ${times.near(at)}: it was above maxReplicas`;
    case "FailedGetScale":
      return `${isPast ? "could not" : "cannot"} be scaled: the scale of ${target} cannot be read: ${message}`;
    case "FailedUpdateScale":
      return `could not be scaled at ${times.near(at)}: ${message}`;
    default:
      return `${stays(isPast)} at ${replicas(from)}: ${message}`;
  }
}

function stays(isPast: boolean): string {
  return isPast ? "stayed" : "stays";
}

export function replicas(count: number): string {
  if (count === 0) return "zero";
  return `${count} ${count === 1 ? "replica" : "replicas"}`;
}
