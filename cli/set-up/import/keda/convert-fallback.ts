import { isMap } from "../../../../lib/k8s/map";
import { fallbackBehaviors } from "../../../../lib/model/metric/fallback-behaviors";
import type { Fallback } from "../../../../lib/model/metric/metric-rules";
import { type Note, takeFrom, type Taking } from "./left-over";

const path = "spec.fallback";

const DEFAULT_POLLING_SECONDS = 30;
/** Upstream's HPA controller, by default. */
const SYNC_SECONDS = 15;
const LONGEST_AFTER_SECONDS = 86_400;

export interface ConvertedFallback {
  readonly fallback?: Fallback;
  readonly notes: readonly Note[];
}

/**
 * KEDA falls back when more than `failureThreshold` reads in a row have failed. It counts the polls of its scale loop
 * and the requests of its HPA, so a running target falls back sooner than after that many polls:
 *
 *     failureThreshold 3, pollingInterval 30       poll ✗ ───────── ✗        ✗ 4 failures in 30 s
 *                                                  HPA  ── ✗ ── ✗            0        30 s: falls back
 *
 * Each trigger counts by itself. Upstream, KEDA 2.21: observeMetric (pkg/scaling/scale_handler.go), IncrementFailure,
 * GetMetricsWithFallback and doFallback (pkg/fallback/fallback.go).
 */
export function convertFallback(spec: Taking): ConvertedFallback {
  const given = spec.take("fallback");
  if (!isMap(given)) return { notes: [] };
  const fields = takeFrom(given, path);
  const threshold = Number(fields.take("failureThreshold") ?? 0);
  const replicas = Number(fields.take("replicas") ?? 0);
  const behavior = fields.take("behavior") ?? "static";
  const polling = Number(spec.peek("pollingInterval") ?? DEFAULT_POLLING_SECONDS);
  const failing = Math.ceil((threshold * polling * SYNC_SECONDS) / (polling + SYNC_SECONDS));
  if (!isCount(replicas) || !isCount(threshold) || !isCount(failing)) {
    return { notes: [note("is not carried over: failureThreshold and replicas must be 0 or more"), ...fields.left()] };
  }
  const after = Math.min(failing, LONGEST_AFTER_SECONDS);
  const size = sizeOf(behavior, replicas);
  const requested = threshold * SYNC_SECONDS;
  return {
    fallback: { after, ...size.fallback },
    notes: [
      ...size.notes,
      ...(after < failing ? [note(`waits ${after} s, the longest that ebb allows, instead of ${failing} s`)] : []),
      ...(after < requested && mayGoByOthers(spec) ? [laterNote(after, requested)] : []),
      ...fields.left(),
    ],
  };
}

/**
 * True if the loop reads no trigger while the HPA goes by another one: only the HPA's requests count then. Upstream,
 * KEDA 2.21: UsesHPAObservations (apis/keda/v1alpha1/scaledobject_types.go), hpaActivelyQuerying (scale_handler.go).
 */
function mayGoByOthers(spec: Taking): boolean {
  const [given, advanced] = [spec.peek("triggers"), spec.peek("advanced")];
  const triggers = Array.isArray(given) ? given.filter(isMap) : [];
  const isPolled = Number(spec.peek("minReplicaCount") ?? 0) === 0 || spec.peek("idleReplicaCount") !== undefined;
  const hasFormula = isMap(advanced) && isMap(advanced["scalingModifiers"]);
  return triggers.length > 1 && !isPolled && !hasFormula && !triggers.some((one) => one["useCachedMetrics"] === true);
}

function laterNote(after: number, requested: number): Note {
  return note(`begins after ${after} s: KEDA waits ${requested} s while its HPA goes by another trigger`);
}

function isCount(value: number): boolean {
  return Number.isInteger(value) && value >= 0;
}

/** In KEDA, a trigger in fallback is active: it keeps one replica, and wakes it. */
function sizeOf(behavior: unknown, given: number): { readonly fallback: Fallback; readonly notes: readonly Note[] } {
  const replicas = Math.max(1, given);
  const known = fallbackBehaviors.find((one) => one === behavior) ?? "static";
  if (known === "currentReplicas") return { fallback: { behavior: "currentReplicasIfHigher", replicas: 1 }, notes: [] };
  const notes =
    behavior === "scalingModifiers"
      ? [note("the formula itself says what counts for a trigger that fails; this is for when it gives no number")]
      : [];
  return { fallback: { ...(known !== "static" && { behavior: known }), replicas }, notes };
}

function note(text: string): Note {
  return { field: path, text, harm: "size" };
}
