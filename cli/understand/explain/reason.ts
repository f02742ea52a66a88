import { willNotWake } from "../../../lib/model/hpa-states";
import { humanDuration } from "../../../lib/k8s/human-duration";
import type { HeldSize, Obstacle, Digest, Stabilized } from "../../../lib/core/explain/digest";
import { zeroAnnotation } from "../../../lib/model/entry/zero-rule";
import type { MetricReading } from "../../../lib/core/explain/metric-reading";
import type { Explained } from "../../../lib/model/stored/state";

interface Telling {
  readonly ask: "ask" | "asked";
  /** For a line without the page's other lines. */
  readonly withReading?: boolean;
}

/** "queue asks for 12, and the rate of scale-up allows 5" */
export function reasonText({ cause, limit }: Scaling, telling: Telling): string {
  const why = causeText(cause, telling);
  return limit === undefined ? why : `${why}, and ${limitText(limit, telling)}`;
}

function causeText(cause: Cause, telling: Telling): string {
  switch (cause.kind) {
    case "metric":
      return metricText(cause.metric, telling);
    case "metrics":
      return `the metrics ${telling.ask} for ${cause.asksFor}`;
    case "window": {
      const { replicas, recommendation, windowSeconds } = cause.hold;
      return `${recommendation ?? replicas} is the highest recommendation of the last ${seconds(windowSeconds)}`;
    }
    case "bound":
      return boundText(cause);
    case "idle":
      return cause.because;
    case "unknown":
      return "the steps of this decision were not kept";
  }
}

function metricText({ metric, asksFor, failure, read }: MetricReading, { ask, withReading }: Telling): string {
  const asks = ask === "ask" ? "asks" : "asked";
  if (failure !== undefined) return `the fallback of ${metric} ${asks} for ${asksFor}`;
  return `${metric} ${asks} for ${asksFor}${withReading === true && read !== undefined ? ` (${read})` : ""}`;
}

function boundText({ by, replicas }: { readonly by: string; readonly replicas: number }): string {
  return by === "from" ? `from of ${zeroAnnotation} is ${replicas}` : `${by} is ${replicas}`;
}

function limitText(limit: HeldSize, { ask }: Telling): string {
  const past = ask === "asked";
  switch (limit.by) {
    case "rate":
      return `the rate of scale-${limit.direction} ${past ? "allowed" : "allows"} ${limit.replicas}`;
    case "minReplicas":
    case "maxReplicas":
    case "from":
      return boundText(limit);
    case "cooldown":
      return "zero follows only once no metric has work for long enough";
    case "busy":
      return limit.because;
    case "confirm":
      return `one replica stays until zero is confirmed`;
    case "stabilization": {
      const extreme = limit.direction === "up" ? "lowest" : "highest";
      return `${limit.replicas} is the ${extreme} recommendation of the last ${seconds(limit.windowSeconds)}`;
    }
  }
}

function seconds(count: number): string {
  return humanDuration(count * 1000);
}

export function obstacleText({ reason, message }: Obstacle): string {
  switch (reason) {
    case "ScalingDisabled":
      return willNotWake;
    case "TooFewReplicas":
      return "it was below minReplicas";
    case "TooManyReplicas":
      return "it was above maxReplicas";
    case "SparedBusy":
      return `its busy pods are spared: ${message}`;
    case "FailedGetScale":
      return `its scale cannot be read: ${message}`;
    case "FailedUpdateScale":
      return `could not be scaled: ${message}`;
    default:
      return `${reason}: ${message}`;
  }
}

type Cause =
  | { readonly kind: "metric"; readonly metric: MetricReading }
  /** The metric steps were too large to keep. */
  | { readonly kind: "metrics"; readonly asksFor: number }
  /** A recommendation in the window is higher than the size. */
  | { readonly kind: "window"; readonly hold: Stabilized }
  | { readonly kind: "bound"; readonly by: "minReplicas" | "maxReplicas" | "from"; readonly replicas: number }
  | { readonly kind: "idle"; readonly because: string }
  /** The steps were not kept. */
  | { readonly kind: "unknown" };

export interface Scaling {
  readonly cause: Cause;
  readonly limit?: HeldSize;
}

type Scaled = Pick<Explained, "from" | "desiredReplicas" | "steps"> & Digest;

/**
 * Without `behavior`, the window's highest recommendation also raises a size. So no metric is the cause of a move away
 * from what it asks for.
 *
 *     recommended  8 ─ 2 ─ 2       the size is 5, because somebody else set it: 8 is in the window, so 5 → 8
 *
 * Undefined: nothing is scaled, or an obstacle says why.
 */
export function scalingOf(decision: Scaled): Scaling | undefined {
  const { from, desiredReplicas: to, steps, proposed, obstacle, holds, idle } = decision;
  if (from === null || from === to || obstacle !== undefined) return undefined;
  if (steps.length === 0) return { cause: { kind: "unknown" } };
  if (idle?.isZero === true && to === 0) return { cause: { kind: "idle", because: idle.because } };
  if (proposed === null) {
    const floor = holds.find(({ by }) => by === "from");
    return floor && { cause: { kind: "bound", by: "from", replicas: floor.replicas } };
  }
  const cause = causeOf(decision, Math.sign(to - from));
  const aimed = cause.kind === "window" ? cause.hold.replicas : cause.kind === "bound" ? cause.replicas : proposed;
  const limit = aimed === to ? undefined : holds.findLast(({ replicas }) => replicas === to);
  return limit === undefined ? { cause } : { cause, limit };
}

function causeOf({ from, proposed, metrics, holds }: Scaled, direction: number): Cause {
  const asksFor = proposed ?? 0;
  if (Math.sign(asksFor - (from ?? 0)) === direction) {
    // Below zero counts as zero.
    const metric = metrics.find((one) => one.asksFor !== null && Math.max(0, one.asksFor) === asksFor);
    return metric === undefined ? { kind: "metrics", asksFor } : { kind: "metric", metric };
  }
  for (const hold of holds) {
    if (Math.sign(hold.replicas - (from ?? 0)) !== direction) continue;
    if (hold.by === "stabilization") return { kind: "window", hold };
    if (hold.by === "minReplicas" || hold.by === "maxReplicas" || hold.by === "from")
      return { kind: "bound", by: hold.by, replicas: hold.replicas };
  }
  return { kind: "unknown" };
}
