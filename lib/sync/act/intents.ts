import type { Behavior } from "../../k8s/hpa";
import { currentReplicas } from "../../core/gate";
import { settleIntent } from "../../core/settle";
import type { EpochMs } from "../../k8s/time";
import type { Intent, State } from "../../model/state";
import type { Scale } from "../../k8s/objects";

export interface Settled {
  readonly state: State;
  /** The intent whose run did not live to tell of it, and which the cluster shows to have been applied. */
  readonly landed?: Intent;
}

/**
 * Settles the open intents of a state by what the cluster shows now. Of those that were announced on one resourceVersion, one write landed at
 * most; which one, the size tells:
 *
 *     1 → 5 announced, its run paused ── 1 → 3 announced, its run died ── the resourceVersion moved, 5 replicas: the first one landed
 *
 * A run that was paused may write long after it announced, and nobody knows when it did: between its intent and `now`. The event says both, and
 * the rate limits count it by the one or the other, whichever holds them longer. Not even the last sync says more: it may not have been able to
 * read the scale.
 */
export function settleIntents(before: State, scale: Scale, now: EpochMs, behavior?: Behavior): Settled {
  const { earlier = [], ...state } = before;
  const { intent } = state;
  if (intent === undefined || scale.metadata.resourceVersion === intent.resourceVersion) return { state: before };
  const applied = [intent, ...earlier].find(({ to }) => to === currentReplicas(scale));
  const settled = settleIntent({ ...state, intent: applied ?? intent }, scale, now, behavior);
  return { state: settled, ...(applied === undefined ? {} : { landed: applied }) };
}

type OpenIntents = Pick<State, "intent" | "earlier">;

/** The intents of a state, to be carried on into its successor. */
export function openIntents({ intent, earlier }: State): OpenIntents {
  return { ...(intent === undefined ? {} : { intent }), ...(earlier === undefined ? {} : { earlier }) };
}

/** A new intent beside those that stand open: what they announced may still land in its place. */
export function withIntent(intent: Intent, before: State): OpenIntents & { readonly intent: Intent } {
  const open = before.intent === undefined ? [] : [before.intent, ...(before.earlier ?? [])];
  const earlier = open.filter(({ to }) => to !== intent.to);
  return { intent, ...(earlier.length === 0 ? {} : { earlier }) };
}

/** Takes the latest intent back, and leaves those before it open. */
export function withoutLatest({ intent: _, earlier: [latest, ...rest] = [], ...state }: State): State {
  return {
    ...state,
    ...(latest === undefined ? {} : { intent: latest }),
    ...(rest.length === 0 ? {} : { earlier: rest }),
  };
}
