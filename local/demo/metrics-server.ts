import type { Clock } from "../clock";
import { isConditionTrue } from "../backends/kubernetes/controllers/machinery";
import type { SimulatedCluster } from "../backends/kubernetes/cluster";
import { type KubernetesObject, listAt, textAt, timestamp } from "../backends/kubernetes/resources/object";
import { pods } from "../backends/kubernetes/resources/kinds";
import type { Random } from "../random";
import type { PodProcess } from "../backends/kubernetes/controllers/pod-lifecycle";
import type { Message } from "../backends/sqs/message";
import type { Queue } from "../backends/sqs/queue";

/** All pods with this label share the demand, in millicores. */
interface CpuDemand {
  readonly app: string;
  readonly millicoresAt: (now: number) => number;
}

/** Lowest at `start`. */
export function wave(low: number, high: number, periodMs: number, start: number): (now: number) => number {
  return (now) => low + ((high - low) * (1 - Math.cos((2 * Math.PI * (now - start)) / periodMs))) / 2;
}

const scrapeSeconds = 5;
const idleMillicores = 3;

/** At intervals, like metrics-server. */
export function startMetricsServer(parts: {
  readonly cluster: Pick<SimulatedCluster, "store" | "metrics">;
  readonly clock: Clock;
  readonly random: Random;
  readonly demands: readonly CpuDemand[];
}): () => void {
  const { cluster, clock, random, demands } = parts;
  let stopped = false;
  const scrape = (): void => {
    if (stopped) return;
    const running = cluster.store.list(pods, "").filter((pod) => textAt(pod, "status.phase") === "Running");
    for (const pod of running) {
      const demand = demands.find(({ app }) => app === pod.metadata.labels?.["app"]);
      const serving = running.filter((each) => each.metadata.labels?.["app"] === demand?.app && serves(each)).length;
      const noise = random.between(0.95, 1.05);
      const share = demand !== undefined && serves(pod) ? demand.millicoresAt(clock.now()) / serving : idleMillicores;
      cluster.metrics.setPodUsage(usageOf(pod, Math.round(share * noise), clock.now()));
    }
    clock.after(scrapeSeconds * 1_000, scrape);
  };
  const unsubscribe = cluster.store.subscribe(({ type, resource, object }) => {
    const { name, namespace = "" } = object.metadata;
    if (type === "DELETED" && resource === pods) cluster.metrics.removePodUsage(namespace, name);
  });
  scrape();
  return () => {
    stopped = true;
    unsubscribe();
  };
}

const serves = (pod: KubernetesObject): boolean =>
  isConditionTrue(pod, "Ready") && pod.metadata.deletionTimestamp === undefined;

function usageOf(pod: KubernetesObject, millicores: number, now: number) {
  const { name, namespace = "", labels } = pod.metadata;
  const [first, ...others] = listAt(pod, "spec.containers").map((container) => String(textAt(container, "name")));
  const usage = (cpu: number) => ({ cpu: `${cpu}m`, memory: "48Mi" });
  return {
    ...{ name, namespace, timestamp: timestamp(now), windowSeconds: scrapeSeconds },
    ...(labels && { labels }),
    containers: Object.fromEntries([
      [first ?? "main", usage(millicores)],
      ...others.map((container) => [container, usage(idleMillicores)] as const),
    ]),
  };
}

/** When stopped, it finishes its message. After a kill, the message reappears. */
export function startConsumer(parts: {
  readonly queue: Queue;
  readonly clock: Clock;
  readonly serviceMs: () => number;
  readonly onProcessed: (message: Message) => void;
}): PodProcess {
  const { queue, clock } = parts;
  const longPollMs = 20_000;
  const nothing = (): void => undefined;
  // Declared first, because receive may call back before it returns.
  let cancelWaiting = nothing;
  let cancelWork = nothing;
  let working = false;
  let finish: (() => void) | undefined;

  const poll = (): void => {
    if (finish !== undefined) return finish();
    cancelWaiting = queue.receive({ max: 1, waitMs: longPollMs }, ([message]) => {
      if (message === undefined) cancelWork = clock.after(0, poll);
      else work(message);
    });
  };
  const work = (message: Message): void => {
    working = true;
    cancelWork = clock.after(parts.serviceMs(), () => {
      working = false;
      if (message.receiptHandle !== undefined) queue.delete(message.receiptHandle);
      parts.onProcessed(message);
      poll();
    });
  };

  const kill = (): void => {
    cancelWaiting();
    cancelWork();
  };

  cancelWork = clock.after(0, poll);
  return {
    stop(done) {
      finish = done;
      if (working) return;
      kill();
      done();
    },
    kill,
  };
}
