import type { Cluster } from "../../lib/model/ports/cluster";
import type { Store } from "../../lib/model/ports/store";
import { overWire, type Stop } from "../fakes/wire";

export interface Interrupted {
  readonly store: Store;
  readonly cluster: Cluster;
  /** Resolves when the call is reached. */
  readonly stopped: Promise<"stopped">;
  /** Lets the run continue from there; without it, the run stops for ever. */
  wake(): void;
}

/**
 * Backends that stop a run at its n-th call: before the call is made, or (`effect`) when it has been made and its
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

export interface Stopping<T> {
  readonly far: T;
  /** Resolves when the method is called first. */
  readonly stopped: Promise<void>;
  /** Of the method. */
  readonly calls: () => number;
  /** Lets the run continue; without it, the run stops for ever. */
  readonly wake: () => void;
}

/** A backend that stops a run at each call of one method, until it is woken. */
export function stoppedAt<T extends object>(far: T, method: keyof T, at: Stop): Stopping<T> {
  let count = 0;
  let reached = (): void => undefined;
  let wake = (): void => undefined;
  const stopped = new Promise<void>((resolve) => (reached = resolve));
  const release = new Promise<void>((resolve) => (wake = resolve));
  const stopOf = (name: string | symbol) => {
    if (name !== method) return undefined;
    count += 1;
    return { at, reached };
  };
  return { far: overWire(far, { stopOf, release }), stopped, calls: () => count, wake };
}
