import { setTimeout as sleep } from "node:timers/promises";
import type { ApiServer } from "../../test/e2e/servers/api-server";
import { startControllerManager } from "../../test/e2e/servers/controller-manager";
import { type ExternalMetrics, group } from "./external-metrics";
import { processOf } from "./processes";
import type { Side } from "./side";

export interface Limits {
  /** Of requests to the API server, a second; and of HPAs at a time. Absent: the controller's own defaults. */
  readonly queriesPerSecond?: number;
  readonly syncs?: number;
  readonly periodSeconds: number;
}

const longestMs = 120_000;

/**
 * The real kube-controller-manager with its HPA controller alone. Its first round comes one period after the start,
 * when all HPAs are due at once. A later round is spread as the one before it, because each HPA is due one period after
 * it was done. A round is from the first reading of a metric to the last one: the very last writes come after it.
 */
export async function startUpstream(
  apiServer: ApiServer,
  { metrics, count }: { readonly metrics: ExternalMetrics; readonly count: number },
  { queriesPerSecond, syncs, periodSeconds }: Limits,
): Promise<Side> {
  metrics.forget();
  const child = await startControllerManager(apiServer, {
    controllers: ["horizontal-pod-autoscaler-controller"],
    flags: [
      `--horizontal-pod-autoscaler-sync-period=${periodSeconds}s`,
      ...(queriesPerSecond === undefined
        ? []
        : [`--kube-api-qps=${queriesPerSecond}`, `--kube-api-burst=${queriesPerSecond}`]),
      ...(syncs === undefined ? [] : [`--concurrent-horizontal-pod-autoscaler-syncs=${syncs}`]),
    ],
  });
  return {
    pid: processOf("kube-controller-manager"),
    setLoad: (load) => metrics.setLoad(load),
    async round() {
      const deadline = performance.now() + longestMs;
      while (new Set(metrics.asked.map(({ index }) => index)).size < count) {
        if (performance.now() > deadline) {
          throw new Error(`expected a round of ${count} HPAs in ${longestMs / 1_000} s, got ${metrics.asked.length}`);
        }
        await sleep(50);
      }
      const times = metrics.asked.map(({ at }) => at);
      if (times.length > count) {
        throw new Error(`a round takes longer than ${periodSeconds} s: HPAs were read twice before all were read once`);
      }
      metrics.forget();
      return { from: times[0] ?? NaN, to: times.at(-1) ?? NaN, passedOn: { [`GET ${group}`]: times.length } };
    },
    stop: () => child.stop(),
  };
}
