import type { MetricSpec } from "../../../lib/api/hpa";
import type { Note, Taking } from "./left-over";

/** The bounds of the HPA. KEDA's are 0 and 100 where none are given. */
export interface Replicas {
  readonly minReplicas: number;
  readonly maxReplicas: number;
  readonly notes: readonly Note[];
}

export function convertReplicas(spec: Taking, metrics: readonly MetricSpec[]): Replicas {
  const least = Number(spec.take("minReplicaCount") ?? 0);
  const maxReplicas = Number(spec.take("maxReplicaCount") ?? 100);
  const idle = spec.take("idleReplicaCount");
  if (idle !== undefined) {
    const text = `is minReplicas: while there is work, the metrics alone say how many, from ${Number(idle) + 1} on, not at least ${least}`;
    return { minReplicas: Number(idle), maxReplicas, notes: [{ field: "spec.idleReplicaCount", text }] };
  }
  if (least > 0 || metrics.some(({ type }) => type === "External"))
    return { minReplicas: least, maxReplicas, notes: [] };
  const text = "is minReplicas 1: CPU and memory of no pods cannot say when to start one, in KEDA either";
  return { minReplicas: 1, maxReplicas, notes: [{ field: "spec.minReplicaCount", text }] };
}
