import type { HpaSpec } from "../../lib/k8s/hpa";

/** The workloads that both controllers scale: a Deployment each, with an HPA on the length of its own queue. */
export const namespace = "default";
export const replicas = 3;
const perReplica = 5;

export const nameOf = (index: number) => `worker-${String(index).padStart(5, "0")}`;
export const indexOf = (name: string) => Number(name.slice("worker-".length));

/** What all queues hold. Both sides read the same numbers, each from its own far end. */
export interface Load {
  /** Each step changes the length of every queue, and no replica count. */
  readonly moves: number;
  /** Each step is one replica more for every workload. */
  readonly grown: number;
}

/** 11 to 15 messages at 5 for each replica: 3 replicas, whatever the queue. */
export function lengthOf(index: number, { moves, grown }: Load): number {
  return (replicas - 1 + grown) * perReplica + 1 + ((index + moves) % perReplica);
}

export function specOf(name: string, metric: string): HpaSpec {
  return {
    scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name },
    ...{ minReplicas: 1, maxReplicas: 100 },
    metrics: [
      {
        type: "External",
        external: {
          metric: { name: metric, selector: { matchLabels: { queue: name } } },
          target: { type: "AverageValue", averageValue: String(perReplica) },
        },
      },
    ],
  };
}
