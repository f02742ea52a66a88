import { hashesFor, queueName } from "./queue-hash";
import { Fault } from "../../model/fault";
import type { WakeRequest } from "../../model/wake-request";
import type { WokenHpa } from "../../scheduler/plan-wakes";

/** The most in one event. An alarm or a message names one. */
export const mostQueuesPerEvent = 256;

export interface WantedHpas {
  readonly hpas: readonly WokenHpa[];
  /** Undefined: all clusters. */
  readonly queues: ReadonlyMap<string | undefined, ReadonlySet<string>>;
}

/** @throws Fault badEntry */
export function wantedBy(requests: readonly WakeRequest[]): WantedHpas {
  const hpas = new Map<string, WokenHpa>();
  const queues = new Map<string | undefined, Set<string>>();
  for (const request of requests)
    if ("name" in request) hpas.set(JSON.stringify([request.cluster, request.namespace, request.name]), request);
    else {
      const known = queues.get(request.cluster) ?? new Set();
      queues.set(request.cluster, known.add(queueName(request.queue)));
    }
  const count = [...queues.values()].reduce((sum, { size }) => sum + size, 0);
  if (count <= mostQueuesPerEvent) return { hpas: [...hpas.values()], queues };
  throw new Fault(
    "badEntry",
    `wake event: expected at most ${mostQueuesPerEvent} different queues, got ${count}: send them in several events`,
  );
}

/** `hashes`: an index that names the queue has one of these. */
export interface WantedQueue {
  readonly name: string;
  readonly hashes: readonly number[];
}

export function queuesIn(cluster: string, { queues }: WantedHpas): readonly WantedQueue[] {
  const names = new Set([...(queues.get(undefined) ?? []), ...(queues.get(cluster) ?? [])]);
  return [...names].map((name) => ({ name, hashes: hashesFor(name) }));
}
