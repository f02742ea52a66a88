import { setTimeout as sleep } from "node:timers/promises";
import type { ApiServer } from "../../test/e2e/servers/api-server";
import { startControllerManager } from "../../test/e2e/servers/controller-manager";
import type { Fleet, Side } from "../harness/fleet";
import type { MetricsApi } from "./metrics-api";
import { processOf } from "../harness/processes";

export interface Limits {
  /** Of requests to the API server, a second; and of HPAs at a time. Absent: the controller's own defaults. */
  readonly queriesPerSecond?: number;
  readonly syncs?: number;
  readonly periodSeconds: number;
}

const longestMs = 180_000;

/**
 * The real kube-controller-manager with its HPA controller alone. Its first round comes one period after the start,
 * when all HPAs are due at once. A later round is spread as the one before it, because each HPA is due one period after
 * it was done. A round is from the first reading of a metric to the last one: the very last writes come after it.
 */
export async function startUpstream(
  apiServer: ApiServer,
  { metrics, fleet }: { readonly metrics: MetricsApi; readonly fleet: Fleet },
  { queriesPerSecond, syncs, periodSeconds }: Limits,
): Promise<Side> {
  metrics.asked.length = 0;
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
      let end = endOfRound(metrics.asked, fleet.count);
      for (; end === undefined; end = endOfRound(metrics.asked, fleet.count)) {
        if (performance.now() > deadline) {
          throw new Error(`expected a round of ${fleet.count} HPAs, got ${metrics.asked.length} readings in time`);
        }
        await sleep(50);
      }
      const asked = metrics.asked.splice(0, end);
      if (asked.length > fleet.count)
        throw new Error(`expected rounds of less than ${periodSeconds} s, got a longer one`);
      const [from = NaN, to = NaN] = [asked[0]?.at, asked.at(-1)?.at];
      return { from, to, passedOn: { [`GET ${metrics.group}`]: asked.length } };
    },
    stop: () => child.stop(),
  };
}

/** How many readings it takes until every HPA was read; undefined: some were not yet. */
function endOfRound(asked: MetricsApi["asked"], count: number): number | undefined {
  const read = new Set<number>();
  const last = asked.findIndex(({ index }) => read.add(index).size === count);
  return last === -1 ? undefined : last + 1;
}
