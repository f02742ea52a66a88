import type { HpaSpec, MetricSpec } from "../../../lib/k8s/hpa";
import type { HpaKey } from "../../../lib/model/hpa-key";
import { clusterPrefix, hpaItemKey, sourceKey } from "../../../lib/table/items/keys";
import type { CrowdTarget } from "./size-plan";

export const cluster = "prod";
export const pk = `${clusterPrefix}${cluster}`;

export const crowdKey = (index: number): HpaKey => `crowd/c${String(index).padStart(5, "0")}`;

export function crowdTargets(count: number, more: (index: number) => Partial<CrowdTarget> = () => ({})): CrowdTarget[] {
  return Array.from({ length: count }, (_, index) => ({ key: crowdKey(index), replicas: 1, ...more(index) }));
}

/** An HPA item of the crowd with these metrics. */
export function hpaItem(index: number, metrics: readonly MetricSpec[], more: Partial<HpaSpec> = {}): object {
  const key = crowdKey(index);
  const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: key.slice(key.indexOf("/") + 1) };
  const spec: HpaSpec = { scaleTargetRef, minReplicas: 1, maxReplicas: 10, metrics, ...more };
  return { ...hpaItemKey(cluster, key), spec };
}

export function external(name: string, labels?: Readonly<Record<string, string>>): MetricSpec {
  const metric = { name, ...(labels && { selector: { matchLabels: labels } }) };
  return { type: "External", external: { metric, target: { type: "AverageValue", averageValue: "5" } } };
}

export function sourceItem(name: string, kind: string, parameters: object): object {
  return { ...sourceKey(cluster, name), spec: { kind, parameters } };
}
