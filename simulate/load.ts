import { toItem } from "../lib/table/items/attributes";
import { clusterKey, hpaItemKey } from "../lib/table/items/keys";
import type { Item } from "../test/faults/world/memory-table";

export const periodMs = 15_000;
/** The first slot of every recording. Slots are counted from here. */
export const start = Date.parse("2026-03-01T12:00:00Z");

/** What the queues hold. `burstFrom`: the slot in which one queue of a hundred fills. */
export interface Load {
  readonly name: "at rest" | "moving" | "moving, a tenth on CloudWatch";
  readonly burstFrom?: number;
}

/** Whether the HPA reads the backlog of its workers from CloudWatch, once a minute, and not from a queue. */
export const isOnCloudWatch = ({ name }: Pick<Load, "name">, index: number) =>
  name === "moving, a tenth on CloudWatch" && index % 10 === 3;

/** Messages of workload number `index`. Target 5: up to five messages need one replica, 40 need eight. */
export function depthOf(load: Load, index: number, now: number): number {
  const slot = Math.floor((now - start) / periodMs);
  if (load.burstFrom !== undefined && slot >= load.burstFrom && index % 100 === 7) return 40;
  return load.name === "at rest" ? 3 : 1 + ((index + slot) % 5);
}

const namespaces = 20;
export const nameOf = (index: number) => `consumer-${String(index).padStart(5, "0")}`;
export const namespaceOf = (index: number) => `team-${String(index % namespaces).padStart(2, "0")}`;

export function clusterItem(cluster: string): Item {
  const auth = { type: "token", secret: `ebb/${cluster}` };
  return toItem({ ...clusterKey(cluster), spec: { endpoint: `https://${cluster}.example`, auth } });
}

/** As `ebb init` writes them: a queue each, or a metric of CloudWatch. */
export function entryItems(cluster: string, hpas: number, load: Pick<Load, "name">): readonly Item[] {
  return Array.from({ length: hpas }, (_, index) => {
    const name = nameOf(index);
    const key = `${namespaceOf(index)}/${name}` as const;
    const ofWorkers = { namespace: "Workers", metric: "Backlog", "dimension.Worker": `${cluster}-${name}` };
    const metric = isOnCloudWatch(load, index)
      ? { name: "cloudwatch", selector: { matchLabels: ofWorkers } }
      : { name: "sqs", selector: { matchLabels: { queue: `${cluster}-${name}` } } };
    return toItem({
      ...hpaItemKey(cluster, key),
      apiVersion: "autoscaling/v2",
      kind: "HorizontalPodAutoscaler",
      metadata: { labels: { team: namespaceOf(index) } },
      spec: {
        scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name },
        minReplicas: 1,
        maxReplicas: 10,
        metrics: [{ type: "External", external: { metric, target: { type: "AverageValue", averageValue: "5" } } }],
      },
    });
  });
}
