import { isFault, type Fault } from "../../model/fault";
import type { Cluster } from "../../model/ports";
import { takeTurns } from "../../async/limit";

/** After this many calls in a row that found nobody there, the others are spared the wait. */
const givesUpAfter = 3;

/**
 * Scales that are read at a time: twice the connections that are kept to a cluster. All at once would stand before every other read in
 * the connections' queue, so that where time is short no HPA would come to its end instead of the first ones.
 */
const concurrentScales = 32;

/**
 * The cluster, for the length of one sync: once calls keep timing out or not connecting, and none has succeeded since, further reads of the
 * same server are rejected at once with the same Fault. So a dead server costs one sync a few timeouts, not one for each HPA. Each metrics
 * API is a server of its own behind the API server: one that hangs says nothing about the others.
 * Writes go through always: whoever has something to write has just read from a cluster that answers.
 */
export function guardCluster(cluster: Cluster): Cluster {
  const apiServer = guard();
  const [resourceMetrics, customMetrics, externalMetrics] = [guard(), guard(), guard()];
  const inTurn = takeTurns(concurrentScales);
  return {
    getScale: (target, signal) => inTurn(() => apiServer(() => cluster.getScale(target, signal))),
    putScale: (target, scale, signal) => cluster.putScale(target, scale, signal),
    listPods: (namespace, selector, signal) => apiServer(() => cluster.listPods(namespace, selector, signal)),
    podMetrics: (namespace, selector, signal) => resourceMetrics(() => cluster.podMetrics(namespace, selector, signal)),
    podsMetric: (query, signal) => customMetrics(() => cluster.podsMetric(query, signal)),
    objectMetric: (query, signal) => customMetrics(() => cluster.objectMetric(query, signal)),
    recordEvent: (target, event, signal) => cluster.recordEvent(target, event, signal),
    externalMetric: (query, signal) => externalMetrics(() => cluster.externalMetric(query, signal)),
  };
}

function guard(): <T>(call: () => Promise<T>) => Promise<T> {
  let misses = 0;
  let last: Fault | undefined;
  return async (call) => {
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
    recordEvent: reject,
  };
}
