import type { Behavior } from "../../k8s/hpa";
import { cutText } from "../../k8s/go-text";
import { currentReplicas } from "../../core/gate";
import { overwritten, settleIntent } from "../../core/settle";
import type { EpochMs } from "../../k8s/time";
import type { Intent, IntentSizes, State } from "../../model/stored/state";
import type { Scale } from "../../k8s/objects";

export interface SettledState {
  readonly state: State;
  /** The cluster shows that it was applied, and its own run did not report it. */
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
 * longer. The last sync is no bound: it may not have read the scale.
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

/** The largest changes that the range can mean. */
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

/** Open intents may still be applied, and the new one may be withdrawn. The oldest of each size is enough. */
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
