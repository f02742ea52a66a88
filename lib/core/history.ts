import type { Behavior, ScalingRules } from "../k8s/hpa";
import type { History, Options, RecommendationSpan, ScaleEvent } from "../model/situation";
import type { EpochMs } from "../k8s/time";

const LONGEST_WINDOW_SECONDS = 3600;

export const noHistory: History = { recommendations: [], scaleUpEvents: [], scaleDownEvents: [] };

/**
 * Without a history, the current size is the first recommendation: for one window, nothing scales below it. Upstream:
 * recordInitialRecommendation, horizontal.go.
 */
export function beginHistory(history: History | null, currentReplicas: number, now: EpochMs): History {
  if (history !== null && history.recommendations.length > 0) return history;
  const first = { replicas: currentReplicas, since: now, at: now };
  return { ...(history ?? noHistory), recommendations: [first] };
}

/**
 * Extends the last span or begins one, and drops spans that no window needs. Upstream keeps one entry a sync; both
 * decide alike.
 */
export function remember(history: History, replicas: number, now: EpochMs, options: Options): History {
  const spans = inOrder(history.recommendations);
  const last = spans.at(-1);
  const latest =
    last?.replicas === replicas ? { ...last, at: Math.max(last.at, now) } : { replicas, since: now, at: now };
  return { ...history, recommendations: withoutIrrelevant(inOrder([...spans, latest]), now, options) };
}

/** Spans may be out of order. */
function inOrder(spans: readonly RecommendationSpan[]): readonly RecommendationSpan[] {
  return [...spans].sort((a, b) => a.at - b.at);
}

/**
 * A window with a span has all later ones. So a span decides nothing if one later span is at least as high, and one as
 * low:
 *
 *     replicas   5 ── 3 ── 8 ── 4        3 is kept: the lowest of every window that reaches it;
 *                ✗                       5 is not: 8 is higher, 3 and 4 are lower, and both are later.
 */
function withoutIrrelevant(
  spans: readonly RecommendationSpan[],
  now: EpochMs,
  options: Options,
): readonly RecommendationSpan[] {
  const longestWindowMs = Math.max(LONGEST_WINDOW_SECONDS, options.downscaleStabilizationSeconds) * 1000;
  const kept: RecommendationSpan[] = [];
  let highest = -Infinity;
  let lowest = Infinity;
  for (let index = spans.length - 1; index >= 0; index -= 1) {
    const span = spans[index] as RecommendationSpan;
    if (span.at < now - longestWindowMs) break;
    if (span.replicas > highest || span.replicas < lowest) kept.push(span);
    highest = Math.max(highest, span.replicas);
    lowest = Math.min(lowest, span.replicas);
  }
  return kept.reverse();
}

/** The `at` of a scaling that may not have happened: no window of the other direction reaches so far back. */
export const perhapsNever: EpochMs = 0;

interface Scaling {
  readonly from: number;
  readonly to: number;
  readonly at: EpochMs;
  readonly foundAt?: EpochMs;
}

/**
 * Only with `behavior`. As upstream, an outdated event stays until a new one of its direction replaces it: the other
 * direction's policies may look back further. Upstream: storeScaleEvent, horizontal.go.
 */
export function countRescale(
  history: History,
  { from, to, at, foundAt }: Scaling,
  behavior: Behavior | undefined,
): History {
  if (behavior === undefined) return history;
  const event = { change: Math.abs(to - from), at, ...(foundAt === undefined ? {} : { foundAt }) };
  return to > from
    ? { ...history, scaleUpEvents: store(history.scaleUpEvents, event, behavior.scaleUp) }
    : { ...history, scaleDownEvents: store(history.scaleDownEvents, event, behavior.scaleDown) };
}

function store(
  events: readonly ScaleEvent[],
  event: ScaleEvent,
  rules: ScalingRules | undefined,
): readonly ScaleEvent[] {
  if (rules === undefined) return [...events, event];
  const longest = Math.max(0, ...(rules.policies ?? []).map(({ periodSeconds }) => periodSeconds));
  const cutoff = (event.foundAt ?? event.at) - longest * 1000;
  const outdated = events.findLastIndex(({ at, foundAt = at }) => foundAt < cutoff);
  return outdated === -1 ? [...events, event] : events.with(outdated, event);
}
