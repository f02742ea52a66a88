import { isFault, type Fault } from "../api/errors";
import type { Cluster } from "./ports";

/** After this many calls in a row that found nobody there, the others are spared the wait. */
const givesUpAfter = 3;

/**
 * The cluster, for the length of one sync: once calls keep timing out or not connecting, and none has succeeded since, further reads are
 * rejected at once with the same Fault. So a dead API server costs one sync a few timeouts, not one for each HPA.
 * Writes go through always: whoever has something to write has just read from a cluster that answers.
 */
export function guardCluster(cluster: Cluster): Cluster {
  let misses = 0;
  let last: Fault | undefined;

  async function guarded<T>(call: () => Promise<T>): Promise<T> {
    if (misses >= givesUpAfter && last !== undefined) throw last;
    try {
      const answer = await call();
      misses = 0;
      return answer;
    } catch (error) {
      if (isFault(error, "timeout") || isFault(error, "unreachable")) {
        misses += 1;
        last = error;
      } else {
        misses = 0; // it answered, if only with an error
      }
      throw error;
    }
  }

  return {
    getScale: (target, signal) => guarded(() => cluster.getScale(target, signal)),
    putScale: (target, scale, signal) => cluster.putScale(target, scale, signal),
    listPods: (namespace, selector, signal) => guarded(() => cluster.listPods(namespace, selector, signal)),
    podMetrics: (namespace, selector, signal) => guarded(() => cluster.podMetrics(namespace, selector, signal)),
    podsMetric: (query, signal) => guarded(() => cluster.podsMetric(query, signal)),
    objectMetric: (query, signal) => guarded(() => cluster.objectMetric(query, signal)),
    externalMetric: (query, signal) => guarded(() => cluster.externalMetric(query, signal)),
  };
}

/** A cluster that could not even be connected to: every call meets the same Fault, so every HPA of it says why on itself. */
export function unreachableCluster(fault: Fault): Cluster {
  const reject = () => Promise.reject(fault);
  return {
    getScale: reject,
    putScale: reject,
    listPods: reject,
    podMetrics: reject,
    podsMetric: reject,
    objectMetric: reject,
    externalMetric: reject,
  };
}
