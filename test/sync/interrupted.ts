import type { Cluster, Store } from "../../lib/model/ports";
import { overWire, type Stop } from "../fakes/wire";

export interface Interrupted {
  readonly store: Store;
  readonly cluster: Cluster;
  /** Resolves when the call is reached. */
  readonly stopped: Promise<"stopped">;
  /** Lets the run go on from there; without it, the run is never heard of again. */
  wake(): void;
}

/**
 * Far ends that stop a run at its n-th call: before the call is made, or (`effect`) when it has been made and its
 * answer is on the way. Calls that the run makes beside that one wait with it.
 */
export function interrupted(far: { store: Store; cluster: Cluster }, call: number, effect: boolean): Interrupted {
  let calls = 0;
  let isAwake = false;
  let reached = (): void => undefined;
  let release = (): void => undefined;
  const stopped = new Promise<"stopped">((resolve) => (reached = () => resolve("stopped")));
  const awake = new Promise<void>((resolve) => (release = resolve));

  const stopOf = () => {
    calls += 1;
    if (calls < call || isAwake) return undefined;
    const at: Stop = calls === call && effect ? "afterEffect" : "beforeEffect";
    return { at, reached };
  };
  const wire = { stopOf, release: awake };
  return {
    store: overWire(far.store, wire),
    cluster: overWire(far.cluster, wire),
    stopped,
    wake: () => {
      isAwake = true;
      release();
    },
  };
}
