import type { Behavior } from "../k8s/hpa";
import { limitMessages, type StageStep } from "./conditions";
import type { History, Options, RecommendationSpan } from "../model/situation";
import type { EpochMs } from "../k8s/time";

interface StabilizeInput {
  readonly proposed: number;
  readonly current: number;
  /** Without this sync's recommendation. */
  readonly history: History;
  readonly behavior: Behavior | undefined;
  readonly options: Options;
}

export function stabilize(input: StabilizeInput, now: EpochMs): StageStep {
  return input.behavior === undefined ? stabilizeDown(input, now) : stabilizeBoth(input, input.behavior, now);
}

/**
 * The window's first moment counts. Length 0 holds nothing: upstream reads the clock again after it records a new HPA's
 * first recommendation. Upstream: stabilizeRecommendation, horizontal.go.
 */
function stabilizeDown({ proposed, history, options }: StabilizeInput, now: EpochMs): StageStep {
  const window = options.downscaleStabilizationSeconds;
  const cutoff = now - window * 1000;
  const held = window === 0 ? undefined : highestOf(history.recommendations.filter(({ at }) => at >= cutoff));
  if (held === undefined || held.replicas <= proposed) return unheld(proposed);
  const then = Math.max(proposed, highestOf(after(held, history))?.replicas ?? proposed);
  return heldBy("ScaleDownStabilized", held, { replicas: held.replicas, then, window });
}

/**
 * The windows' first moments do not count.
 *
 *      ├────────── scaleDown window: not below its highest ──────────┤
 *                               ├─ scaleUp window: not above its lowest ─┤ now
 *
 * Upstream: stabilizeRecommendationWithBehaviors, horizontal.go.
 */
function stabilizeBoth(input: StabilizeInput, behavior: Behavior, now: EpochMs): StageStep {
  const { proposed, current, history, options } = input;
  const upWindow = behavior.scaleUp?.stabilizationWindowSeconds ?? 0;
  const downWindow =
    behavior.scaleDown?.stabilizationWindowSeconds ?? Math.trunc(options.downscaleStabilizationSeconds);
  const lowest = lowestOf(history.recommendations.filter(({ at }) => at > now - upWindow * 1000));
  const highest = highestOf(history.recommendations.filter(({ at }) => at > now - downWindow * 1000));
  const ceiling = Math.min(proposed, lowest?.replicas ?? proposed);
  const floor = Math.max(proposed, highest?.replicas ?? proposed);
  const replicas = Math.min(Math.max(current, ceiling), floor);
  if (replicas === proposed) return unheld(proposed);
  // The lowest holds growth, the highest shrinking.
  if (proposed >= current) {
    const next = lowestOf(after(lowest, history))?.replicas ?? proposed;
    const then = Math.max(current, Math.min(proposed, next));
    return heldBy("ScaleUpStabilized", lowest, { replicas, then, window: upWindow });
  }
  const next = highestOf(after(highest, history))?.replicas ?? proposed;
  const then = Math.min(current, Math.max(proposed, next));
  return heldBy("ScaleDownStabilized", highest, { replicas, then, window: downWindow });
}

function after(span: RecommendationSpan | undefined, { recommendations }: History): readonly RecommendationSpan[] {
  return span === undefined ? recommendations : recommendations.filter(({ at }) => at > span.at);
}

/** Among equals the last: it stays the longest. */
function highestOf(spans: readonly RecommendationSpan[]): RecommendationSpan | undefined {
  return spans.reduce<RecommendationSpan | undefined>(
    (best, span) => (best !== undefined && best.replicas > span.replicas ? best : span),
    undefined,
  );
}

function lowestOf(spans: readonly RecommendationSpan[]): RecommendationSpan | undefined {
  return spans.reduce<RecommendationSpan | undefined>(
    (best, span) => (best !== undefined && best.replicas < span.replicas ? best : span),
    undefined,
  );
}

function unheld(replicas: number): StageStep {
  return { stage: "stabilize", replicas, because: "no recent recommendation says otherwise" };
}

function heldBy(
  limitedBy: "ScaleUpStabilized" | "ScaleDownStabilized",
  span: RecommendationSpan | undefined,
  { replicas, then, window }: { readonly replicas: number; readonly then: number; readonly window: number },
): StageStep {
  const held = { heldBy: span?.replicas ?? null, heldSince: span?.since ?? null, lastSeen: span?.at ?? null };
  const until = span === undefined ? null : span.at + window * 1000;
  const detail = { window, ...held, until, then };
  return { stage: "stabilize", replicas, limitedBy, because: limitMessages[limitedBy], detail };
}
