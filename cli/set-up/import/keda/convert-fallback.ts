import { isMap } from "../../../../lib/k8s/map";
import { fallbackBehaviors } from "../../../../lib/model/metric/fallback-behaviors";
import type { Fallback } from "../../../../lib/model/metric/metric-rules";
import { type Note, takeFrom } from "./left-over";

const path = "spec.fallback";

const DEFAULT_POLLING_SECONDS = 30;
const LONGEST_AFTER_SECONDS = 86_400;

export interface ConvertedFallback {
  readonly fallback?: Fallback;
  readonly notes: readonly Note[];
}

/**
 * KEDA falls back when more than `failureThreshold` polls in a row have failed: that many polling intervals after the
 * first one.
 *
 *     failureThreshold 3, pollingInterval 30       ✗ ── ✗ ── ✗ ── ✗
 *                                                  0   30   60   90 s: falls back
 *
 * Upstream, KEDA 2.20: GetMetricsWithFallback and doFallback, pkg/fallback/fallback.go.
 */
export function convertFallback(given: unknown, pollingInterval: unknown): ConvertedFallback {
  if (!isMap(given)) return { notes: [] };
  const fields = takeFrom(given, path);
  const threshold = Number(fields.take("failureThreshold") ?? 0);
  const replicas = Number(fields.take("replicas") ?? 0);
  const behavior = fields.take("behavior") ?? "static";
  const polled = threshold * Number(pollingInterval ?? DEFAULT_POLLING_SECONDS);
  if (!isCount(replicas) || !isCount(polled)) {
    return { notes: [note("is not carried over: failureThreshold and replicas must be 0 or more"), ...fields.left()] };
  }
  const after = Math.min(polled, LONGEST_AFTER_SECONDS);
  const size = sizeOf(behavior, replicas);
  return {
    fallback: { after, ...size.fallback },
    notes: [
      ...size.notes,
      ...(after < polled ? [note(`waits ${after} s, the longest that ebb allows, instead of ${polled} s`)] : []),
      ...fields.left(),
    ],
  };
}

function isCount(value: number): boolean {
  return Number.isInteger(value) && value >= 0;
}

/** ebb needs an explicit zero. */
function sizeOf(behavior: unknown, replicas: number): { readonly fallback: Fallback; readonly notes: readonly Note[] } {
  const known = fallbackBehaviors.find((one) => one === behavior) ?? "static";
  if (known === "currentReplicas") return { fallback: { behavior: known }, notes: [] };
  if (replicas === 0) {
    // The current size is never below zero.
    const instead = known === "currentReplicasIfHigher" ? "currentReplicas" : "zero";
    return { fallback: { behavior: instead }, notes: [] };
  }
  const notes =
    behavior === "scalingModifiers"
      ? [note("the formula itself says what counts for a trigger that fails; this is for when it gives no number")]
      : [];
  return { fallback: { ...(known !== "static" && { behavior: known }), replicas }, notes };
}

function note(text: string): Note {
  return { field: path, text };
}
