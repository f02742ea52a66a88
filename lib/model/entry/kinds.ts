export type EntryKind = "Cluster" | "HorizontalPodAutoscaler" | "MetricSource";

export interface KindNames {
  readonly apiVersion: string;
  /** As in kubectl's output: `<singular>/<name>`. */
  readonly singular: string;
  /** As in kubectl's errors: `<plural> "<name>" not found`. */
  readonly plural: string;
  readonly namespaced: boolean;
}

export const kinds: Readonly<Record<EntryKind, KindNames>> = {
  Cluster: { apiVersion: "ebb.dev/v1", singular: "cluster.ebb.dev", plural: "clusters.ebb.dev", namespaced: false },
  HorizontalPodAutoscaler: {
    apiVersion: "autoscaling/v2",
    singular: "horizontalpodautoscaler.autoscaling",
    plural: "horizontalpodautoscalers.autoscaling",
    namespaced: true,
  },
  MetricSource: {
    apiVersion: "ebb.dev/v1",
    singular: "metricsource.ebb.dev",
    plural: "metricsources.ebb.dev",
    namespaced: false,
  },
};
