import type { Behavior } from "../k8s/hpa";
import type { Scale } from "../k8s/objects";
import { isTrue, rescaled, setConditions, zeroOwner } from "./conditions";
import { currentReplicas } from "./gate";
import { countRescale, noHistory, perhapsNever } from "./history";
import { formatSeconds } from "../k8s/time";
import type { History } from "../model/situation";
import type { EpochMs } from "../k8s/time";
import type { Intent, State } from "../model/stored/state";

/**
 * Closes an open intent by the scale:
 *
 *     resourceVersion still the intent's   it may still be applied: the intent stays open, uncounted
 *     replicas are the intent's `to`       applied: counted, from the moment of the intent, and as found now
 *     anything else                        not applied: taken back
 *
 * The caller sets the version.
 */
export function settleIntent(state: State, scale: Scale, now: EpochMs, behavior?: Behavior): State {
  const { intent, ...settled } = state;
  if (intent === undefined) return state;
  if (scale.metadata.resourceVersion === intent.resourceVersion) return state;
  if (currentReplicas(scale) !== intent.to) return settled;
  // That run's clock may have been ahead.
  return applied(settled, { ...intent, foundAt: Math.max(now, intent.at) }, behavior);
}

interface Found extends Intent {
  readonly foundAt: EpochMs;
}

function applied(state: Omit<State, "intent">, intent: Found, behavior: Behavior | undefined): State {
  const { to, at, scaledToZero } = intent;
  return {
    ...state,
    status: {
      ...state.status,
      desiredReplicas: to,
      lastScaleTime: formatSeconds(at),
      conditions: setConditions(state.status.conditions ?? [], rescaled(to, scaledToZero), at),
    },
    history: intent.countsAsEvent ? counted(state.history ?? noHistory, intent, behavior) : state.history,
  };
}

/** At most one was applied: counts the largest change of each direction. */
function countOverwritten(
  history: History | null,
  intents: readonly Intent[],
  { now, behavior }: { readonly now: EpochMs; readonly behavior: Behavior | undefined },
): History | null {
  const counting = intents.filter(({ countsAsEvent }) => countsAsEvent);
  const largest = [counting.filter(({ from, to }) => to > from), counting.filter(({ from, to }) => to < from)].flatMap(
    (same) => [...same].sort((a, b) => Math.abs(b.to - b.from) - Math.abs(a.to - a.from)).slice(0, 1),
  );
  return largest.reduce<History | null>(
    (known, { from, to }) => countRescale(known ?? noHistory, { from, to, at: perhapsNever, foundAt: now }, behavior),
    history,
  );
}

/**
 * One of the intents may have been applied before: it counts in the rate limits, and a zero is ours only if it is in
 * any case.
 */
export function overwritten<S extends Pick<State, "status" | "history">>(
  state: S,
  intents: readonly Intent[],
  { now, behavior }: { readonly now: EpochMs; readonly behavior: Behavior | undefined },
): S {
  const { status } = state;
  const isDisowned = isTrue(status.conditions, "ScaledToZero") && intents.some(({ scaledToZero }) => !scaledToZero);
  return {
    ...state,
    ...(isDisowned && {
      status: { ...status, conditions: setConditions(status.conditions ?? [], [zeroOwner(false)], now) },
    }),
    history: countOverwritten(state.history, intents, { now, behavior }),
  };
}

/** If only a write's answer was lost, the state has the event. */
function counted(history: History, intent: Found, behavior: Behavior = {}): History {
  const { from, to, at } = intent;
  const events = to > from ? history.scaleUpEvents : history.scaleDownEvents;
  const isCounted = events.some((event) => event.at === at && event.change === Math.abs(to - from));
  return isCounted ? history : countRescale(history, intent, behavior);
}
