import type { HpaSpec, MetricSpec } from "../../lib/k8s/hpa";

/** Workloads that both controllers scale: Deployments with an HPA each. */
export interface Fleet {
  readonly name: string;
  readonly count: number;
  /** Each Deployment has this many running pods, and its HPA follows their CPU. Absent: it follows a queue. */
  readonly pods?: number;
  /** Longer than a round of upstream's controller, or the next one begins within it. */
  readonly periodSeconds: number;
  /** How many namespaces share the Deployments equally; default 1. */
  readonly namespaces?: number;
  /** HPAs of a shard; default 1,000, as the tick splits them. */
  readonly perShard?: number;
}

export const namespace = "default";
const perReplica = 5;
const growth = 4;

/** Of the Deployment and its HPA. Without several namespaces, "default". */
export function namespaceOf({ count, namespaces = 1 }: Fleet, index: number): string {
  if (namespaces === 1) return namespace;
  return `team-${String(Math.floor((index * namespaces) / count)).padStart(3, "0")}`;
}

export const nameOf = (index: number) => `worker-${String(index).padStart(5, "0")}`;
export const indexOf = (name: string) => Number(name.slice("worker-".length));

/** What all queues hold, or all pods use. Both sides read the same numbers, each from its own backend. */
export interface Load {
  /** Each step changes every value, and no replica count. */
  readonly moves: number;
  /** Each step is four replicas more for every workload with a queue: the default behavior lets all grow at once. */
  readonly grown: number;
}

/** Without running pods, the size is zero, and an HPA reads no metrics. */
export const replicasOf = ({ pods = 3 }: Fleet, { grown }: Load = { moves: 0, grown: 0 }) => pods + growth * grown;

/** 11 to 15 messages at 5 for each replica: 3 replicas, whatever the queue. */
export function lengthOf(index: number, { moves, grown }: Load): number {
  return (2 + growth * grown) * perReplica + 1 + ((index + moves) % perReplica);
}

/** 48 to 52 % of the requested 100m, with a target of 50 %: within tolerance. */
export const milliCpuOf = (index: number, { moves }: Load) => 48 + ((index + moves) % 5);

/** @param external the name of the metric with the queues' lengths */
export function specOf({ pods }: Fleet, name: string, external: string): HpaSpec {
  const metric: MetricSpec =
    pods === undefined
      ? {
          type: "External",
          external: {
            metric: { name: external, selector: { matchLabels: { queue: name } } },
            target: { type: "AverageValue", averageValue: String(perReplica) },
          },
        }
      : { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } } };
  const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name };
  return { scaleTargetRef, minReplicas: 1, maxReplicas: 1_000, metrics: [metric] };
}

export const podName = (workload: string, pod: number) => `${workload}-${pod}`;

/** One of the two controllers, as the bench drives and watches it. */
export interface Side {
  readonly pid: number;
  setLoad(load: Load): Promise<void> | void;
  /** Handles every HPA once. */
  round(): Promise<Round>;
  stop(): Promise<void>;
}

export interface Round {
  /** Of `performance.now()`. */
  readonly from: number;
  readonly to: number;
  /** HPAs that it did not come to before the next slot. */
  readonly missed?: number;
  /** Requests that the API server passes on to another and does not count itself. */
  readonly passedOn?: Readonly<Record<string, number>>;
}
