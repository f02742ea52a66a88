import type { Cluster, Store } from "../../lib/model/ports";

export interface Interrupted {
  readonly store: Store;
  readonly cluster: Cluster;
  /** Resolves when the call is reached. */
  readonly stopped: Promise<"stopped">;
  /** Lets the run go on from there; without it, the run is never heard of again. */
  wake(): void;
}

/**
 * Far ends that stop a run at its n-th call: before the call is made, or (`effect`) when it has been made and its answer is on the way.
 * Calls that the run makes beside that one wait with it.
 */
export function interrupted(far: { store: Store; cluster: Cluster }, call: number, effect: boolean): Interrupted {
  let calls = 0;
  let stop: () => void;
  let wake: () => void;
  const stopped = new Promise<"stopped">((resolve) => (stop = () => resolve("stopped")));
  const awake = new Promise<void>((resolve) => (wake = resolve));
  let isAwake = false;

  const wrap = <T extends object>(target: T): T =>
    new Proxy(target, {
      get(object, name) {
        const method: unknown = Reflect.get(object, name);
        if (typeof method !== "function") return method;
        const make = (args: unknown[]) => (method as (...a: unknown[]) => Promise<unknown>).apply(object, args);
        return async (...args: unknown[]): Promise<unknown> => {
          calls += 1;
          if (calls < call || isAwake) return make(args);
          if (calls > call || !effect) {
            stop();
            await awake;
            return make(args);
          }
          const answer = await make(args);
          stop();
          await awake;
          return answer;
        };
      },
    });
  return {
    store: wrap(far.store),
    cluster: wrap(far.cluster),
    stopped,
    wake: () => {
      isAwake = true;
      wake();
    },
  };
}
