import type { Explained } from "../../model/stored/state";
import type { Digest, HeldSize, Stabilized } from "./digest";
import type { MetricReading } from "./metric-reading";

export type Cause =
  | { readonly kind: "metric"; readonly metric: MetricReading }
  /** The metric steps were too large to keep. */
  | { readonly kind: "metrics"; readonly asksFor: number }
  /** A recommendation in the window is higher than the size. */
  | { readonly kind: "window"; readonly hold: Stabilized }
  | { readonly kind: "bound"; readonly by: "minReplicas" | "maxReplicas"; readonly replicas: number }
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
  const { from, desiredReplicas: to, steps, proposed, obstacle, holds } = decision;
  if (from === null || from === to || obstacle !== undefined) return undefined;
  if (steps.length === 0) return { cause: { kind: "unknown" } };
  if (proposed === null) return undefined;
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
    if (hold.by === "minReplicas" || hold.by === "maxReplicas")
      return { kind: "bound", by: hold.by, replicas: hold.replicas };
  }
  return { kind: "unknown" };
}
