import type { Behavior, ScalingRules } from "../k8s/hpa";
import type { History, Options, Run, ScaleEvent } from "../model/situation";
import type { EpochMs } from "../k8s/time";

/** The longest window that validation accepts. */
const LONGEST_WINDOW_SECONDS = 3600;

export const noHistory: History = { recommendations: [], scaleUpEvents: [], scaleDownEvents: [] };

/**
 * Without a history (a new HPA, or upstream's controller after a restart) the current size is the first recommendation.
 * For one window, nothing scales down below it.
 * Upstream: recordInitialRecommendation, horizontal.go.
 */
export function beginHistory(history: History | null, currentReplicas: number, now: EpochMs): History {
  if (history !== null && history.recommendations.length > 0) return history;
  const first = { replicas: currentReplicas, since: now, at: now };
  return { ...(history ?? noHistory), recommendations: [first] };
}

/**
 * Adds this sync's recommendation: it extends the last run, or begins a new one. Runs that no window needs are dropped.
 * Upstream keeps an entry for each sync and reuses expired ones; both decide alike.
 */
export function remember(history: History, replicas: number, now: EpochMs, options: Options): History {
  const runs = inOrder(history.recommendations);
  const last = runs.at(-1);
  const latest =
    last?.replicas === replicas ? { ...last, at: Math.max(last.at, now) } : { replicas, since: now, at: now };
  // If a run grew, its shorter form is in the list, too, and is dropped as irrelevant.
  return { ...history, recommendations: withoutIrrelevant(inOrder([...runs, latest]), now, options) };
}

/** Oldest sighting first. After a clock went back, or in a history from elsewhere, runs can be out of order. */
function inOrder(runs: readonly Run[]): readonly Run[] {
  return [...runs].sort((a, b) => a.at - b.at);
}

/**
 * Every window ends now, so a window that holds a run holds all later runs, too. A run decides nothing if one later run
 * is at least as high (no maximum needs it) and one is at least as low (no minimum needs it):
 *
 *     replicas   5 ── 3 ── 8 ── 4        3 is kept: the lowest of every window that reaches it;
 *                ✗                       5 is not: 8 is higher, 3 and 4 are lower, and both are later.
 */
function withoutIrrelevant(runs: readonly Run[], now: EpochMs, options: Options): readonly Run[] {
  const longestWindowMs = Math.max(LONGEST_WINDOW_SECONDS, options.downscaleStabilizationSeconds) * 1000;
  const kept: Run[] = [];
  let highest = -Infinity;
  let lowest = Infinity;
  for (let index = runs.length - 1; index >= 0; index -= 1) {
    const run = runs[index] as Run;
    if (run.at < now - longestWindowMs) break;
    if (run.replicas > highest || run.replicas < lowest) kept.push(run);
    highest = Math.max(highest, run.replicas);
    lowest = Math.min(lowest, run.replicas);
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
 * Counts a scale write in the rate limits. Without `behavior`, nothing is counted. As upstream does, an event that
 * outlived its own direction's longest period stays until a new event of that direction replaces it: the other
 * direction's policies may look back further.
 * Upstream: storeScaleEvent, horizontal.go.
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

/** Without rules, no event counts as outdated. */
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
