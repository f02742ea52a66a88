import type { MetricSpec } from "../../../lib/k8s/hpa";
import type { Note, Taking } from "./left-over";

/** The bounds of the HPA. KEDA's defaults are 0 and 100. */
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
    const text = `becomes minReplicas: while there is work, the metrics may choose any size from ${Number(idle) + 1}, where KEDA has at least ${least}`;
    return { minReplicas: Number(idle), maxReplicas, notes: [{ field: "spec.idleReplicaCount", text }] };
  }
  if (least > 0 || metrics.some(({ type }) => type === "External"))
    return { minReplicas: least, maxReplicas, notes: [] };
  const text = "becomes minReplicas 1, as in KEDA: without pods, no CPU or memory metric can start one";
  return { minReplicas: 1, maxReplicas, notes: [{ field: "spec.minReplicaCount", text }] };
}
