import { isTrue, setConditions, type Verdict, zeroOwner } from "../../core/conditions";
import { currentReplicas } from "../../core/gate";
import type { Scale } from "../../k8s/objects";
import type { EpochMs } from "../../k8s/time";
import { zeroName } from "../../model/entry/adopt-zero";
import { hpaStates, isLeftAtZero } from "../../model/hpa-state";
import type { Decision, HpaEvent } from "../../model/situation";
import type { State } from "../../model/stored/state";
import { isUnwritten } from "../../model/stored/version";

/**
 * Where the state cannot know whose zero it is:
 *
 *     the cluster was put back to the last zero that ebb ended     ebb's
 *     a person asked ebb to adopt just this zero                   ebb's
 *     a new entry brought ScaledToZero, and the target runs        a later zero is not ebb's
 */
export function ownZero(
  state: State,
  { scale, adopts, now }: { readonly scale: Scale; readonly adopts: string | undefined; readonly now: EpochMs },
): State {
  const { lastZero, status, version } = state;
  const isOurs = isTrue(status.conditions, "ScaledToZero");
  const own = (verdict: Verdict): State => ({
    ...state,
    status: { ...status, conditions: setConditions(status.conditions ?? [], [verdict], now) },
  });
  if (currentReplicas(scale) > 0) return isOurs && isUnwritten(version) ? own(zeroOwner(false)) : state;
  if (isOurs) return state;
  if (lastZero !== undefined && scale.metadata.resourceVersion === lastZero) return own(zeroOwner(true));
  return adopts !== undefined && zeroName(scale) === adopts ? own(adopted) : state;
}

const adopted: Verdict = { ...zeroOwner(true), message: "ebb adopted the zero of another, as a person asked" };

export function zeroEvents(before: State, decision: Pick<Decision, "desiredReplicas" | "steps">): readonly HpaEvent[] {
  if (!isLeftAtZero(decision) || isLeftAtZero(before.decision)) return [];
  const message = `${hpaStates.notOurZero.words}; \`ebb adopt hpa NAME\` makes it ebb's`;
  return [{ type: "Normal", reason: "NotOurZero", message }];
}
