import type { Behavior, ScalingRules } from "../k8s/hpa";
import type { History, Options, Run, ScaleEvent } from "../model/situation";
import type { EpochMs } from "../k8s/time";

/** The longest window that validation lets a user set. */
const LONGEST_WINDOW_SECONDS = 3600;

export const noHistory: History = { recommendations: [], scaleUpEvents: [], scaleDownEvents: [] };

/**
 * Where upstream remembers nothing (a new HPA, a restarted controller) the current size is the first recommendation: nothing
 * scales down below it for one window. Upstream: recordInitialRecommendation, horizontal.go.
 */
export function beginHistory(history: History | null, currentReplicas: number, now: EpochMs): History {
  if (history !== null && history.recommendations.length > 0) return history;
  const first = { replicas: currentReplicas, since: now, at: now };
  return { ...(history ?? noHistory), recommendations: [first] };
}

/**
 * Adds this sync's recommendation: the last run grows when it says the same, else a new one begins. What no window can see or
 * prefer any more is left out. Upstream keeps an entry for each sync and reuses expired ones; both decide alike.
 */
export function remember(history: History, replicas: number, now: EpochMs, options: Options): History {
  const runs = inOrder(history.recommendations);
  const last = runs.at(-1);
  const latest =
    last?.replicas === replicas ? { ...last, at: Math.max(last.at, now) } : { replicas, since: now, at: now };
  // The shorter form of a run that grew goes with all that says no more.
  return { ...history, recommendations: withoutIrrelevant(inOrder([...runs, latest]), now, options) };
}

/** Oldest sighting first. A clock that went backwards, or a history from elsewhere, can be out of order. */
function inOrder(runs: readonly Run[]): readonly Run[] {
  return [...runs].sort((a, b) => a.at - b.at);
}

/**
 * Every window reaches from some cutoff to now, so it that holds a run holds all later ones, too. A run decides nothing when a
 * later one is at least as high (no maximum needs it) and a later one is at least as low (no minimum does):
 *
 *     replicas   5 ── 3 ── 8 ── 4        3 is kept: the lowest of every window that reaches it;
 *                ✗                       5 is not: 8 is higher, 3 and 4 are lower, and both are later.
 */
function withoutIrrelevant(runs: readonly Run[], now: EpochMs, options: Options): readonly Run[] {
  const reach = Math.max(LONGEST_WINDOW_SECONDS, options.downscaleStabilizationSeconds) * 1000;
  const kept: Run[] = [];
  let highest = -Infinity;
  let lowest = Infinity;
  for (let index = runs.length - 1; index >= 0; index -= 1) {
    const run = runs[index] as Run;
    if (run.at < now - reach) break;
    if (run.replicas > highest || run.replicas < lowest) kept.push(run);
    highest = Math.max(highest, run.replicas);
    lowest = Math.min(lowest, run.replicas);
  }
  return kept.reverse();
}

interface Scaling {
  readonly from: number;
  readonly to: number;
  readonly at: EpochMs;
  readonly foundAt?: EpochMs;
}

/**
 * Counts a scale write in the rate limits. The list keeps upstream's slots: an event beyond its own direction's longest period
 * stays until the next one of that direction takes its place, because the other direction's policies may look further back.
 * Without `behavior` nothing is counted. Upstream: storeScaleEvent, horizontal.go.
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

/** Where the rules are not known, none is taken for outdated. */
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
