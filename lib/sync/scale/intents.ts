import type { Behavior } from "../../k8s/hpa";
import { cutText } from "../../k8s/go-text";
import { currentReplicas } from "../../core/gate";
import { type EpochMs, formatSeconds } from "../../k8s/time";
import type { Intent, IntentSizes, State } from "../../model/stored/state";
import type { Scale } from "../../k8s/objects";
import { undoScaling } from "../../core/undo-scaling";
import type { Decision, Situation, History } from "../../model/situation";
import { isTrue, rescaled, setConditions, zeroOwner } from "../../core/conditions";
import { countRescale, noHistory, perhapsNever } from "../../core/history";

export interface SettledState {
  readonly state: State;
  readonly appliedIntent?: Intent;
}

/**
 * All intents have one resourceVersion, so at most one was applied. The size shows which:
 *
 *     1 → 5 intended, its run paused ── 1 → 3 intended, its run died
 *                                        ── the resourceVersion changed, 5 replicas: the first one was applied
 *
 * With another size, one may have been applied before: it counts in the rate limits, and a later zero of somebody else
 * is not ours.
 *
 * It was applied between its intent and `now`. The event has both times; each rate limit uses the one that holds
 * longer.
 */
export function settleIntents(before: State, scale: Scale, now: EpochMs, behavior?: Behavior): SettledState {
  const { earlier = [], earlierSizes, ...state } = before;
  const { intent } = state;
  if (intent === undefined || scale.metadata.resourceVersion === intent.resourceVersion) return { state: before };
  const open = [intent, ...earlier];
  const size = currentReplicas(scale);
  // The oldest of one size: its write may have been applied first.
  const applied = open.findLast(({ to }) => to === size);
  if (applied === undefined && size !== intent.from) {
    const { intent: _, ...rest } = state;
    const all = [...open, ...endsOf(earlierSizes, intent)];
    return { state: overwritten(rest, all, { now, behavior }) };
  }
  const settled = settleIntent({ ...state, intent: applied ?? intent }, scale, now, behavior);
  return { state: settled, ...(applied === undefined ? {} : { appliedIntent: applied }) };
}

function endsOf(sizes: IntentSizes | undefined, like: Intent): readonly Intent[] {
  if (sizes === undefined) return [];
  const { least, most, countsAsEvent } = sizes;
  return [least, most].map((to) => ({ ...like, to, countsAsEvent, scaledToZero: false }));
}

type OpenIntents = Pick<State, "intent" | "earlier" | "earlierSizes">;

export function openIntents({ intent, earlier, earlierSizes }: State): OpenIntents {
  return {
    ...(intent && { intent }),
    ...(earlier && { earlier }),
    ...(earlierSizes && { earlierSizes }),
  };
}

/** Older ones become a range of sizes, except a zero, which we must own. */
const mostEarlier = 15;
/** The latest of them keep their steps. */
const mostExplained = 2;
const messageBytes = 256;

/** Open intents may still be applied, and the new one may be withdrawn. */
export function withIntent(intent: Intent, before: State): OpenIntents & { readonly intent: Intent } {
  const open = before.intent === undefined ? [] : [before.intent, ...(before.earlier ?? [])];
  const sizes = open.filter(({ to }, index) => !open.slice(index + 1).some((older) => older.to === to));
  const isKept = ({ to }: Intent, index: number) => index < mostEarlier || to === 0;
  const earlier = sizes.filter(isKept).map((one, index) => (index < mostExplained ? one : shortened(one)));
  const others = sizes.filter((one, index) => !isKept(one, index));
  const earlierSizes = rangeOf(others, before.intent && before.earlierSizes);
  return { intent, ...(earlier.length > 0 && { earlier }), ...(earlierSizes && { earlierSizes }) };
}

function shortened({ steps: _, ...intent }: Intent): Intent {
  return { ...intent, message: cutText(intent.message, messageBytes) };
}

function rangeOf(intents: readonly Intent[], known: IntentSizes | undefined): IntentSizes | undefined {
  return intents.reduce<IntentSizes | undefined>(
    (range, { to, countsAsEvent }) => ({
      least: Math.min(range?.least ?? to, to),
      most: Math.max(range?.most ?? to, to),
      countsAsEvent: range?.countsAsEvent === true || countsAsEvent,
    }),
    known,
  );
}

export function withoutLatest({ intent: _, earlier: [latest, ...rest] = [], earlierSizes, ...state }: State): State {
  if (latest === undefined) return state;
  return {
    ...{ ...state, intent: latest },
    ...(rest.length > 0 && { earlier: rest }),
    ...(earlierSizes && { earlierSizes }),
  };
}

/** Keeps the last desiredReplicas. Upstream: reconcileAutoscaler, horizontal.go, where the update fails. */
export function rescaleFailed(situation: Situation, decision: Decision, error: string, now: EpochMs): Decision {
  const message = `the HPA controller was unable to update the target scale: ${error}`;
  const undone = undoScaling(
    situation,
    decision,
    {
      verdict: { type: "AbleToScale", status: "False", reason: "FailedUpdateScale", message },
      because: error,
      insteadOf: (rescaled) => ({
        type: "Warning",
        reason: "FailedRescale",
        message: `${rescaled.message}; error: ${error}`,
      }),
    },
    now,
  );
  const desiredReplicas = situation.hpa.status?.desiredReplicas ?? 0;
  return { ...undone, desiredReplicas, status: { ...undone.status, desiredReplicas } };
}

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
