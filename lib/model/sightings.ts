import type { HpaKey } from "./hpa-key";
import type { EpochMs } from "../k8s/time";
import type { Shard, ShardRange, State } from "./state";

/** When an HPA was last seen: with its shard's heartbeat, unless the last slots did not reach it. */

export function holdsKey({ from, to }: ShardRange, key: HpaKey): boolean {
  return key >= from && (to === null || key < to);
}

/** Users name the keys: a key may equal a property that every object inherits (`constructor`). */
export function behindSince({ behind }: Pick<Shard, "behind">, key: HpaKey): EpochMs | undefined {
  return Object.hasOwn(behind, key) ? behind[key] : undefined;
}

/** The state with its open run up to date: the run was last seen when its shard last finished a slot. */
export function recall(state: State, lastSeen: EpochMs): State {
  const runs = state.history?.recommendations ?? [];
  const last = runs.at(-1);
  if (!state.open || state.history === null || last === undefined || last.at >= lastSeen) return state;
  return {
    ...state,
    history: { ...state.history, recommendations: [...runs.slice(0, -1), { ...last, at: lastSeen }] },
  };
}
