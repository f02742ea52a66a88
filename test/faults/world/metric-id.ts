/** The name of an HPA's metric: no two HPAs share one. */
export function metricId(key: string, metric: number): string {
  return `${key.replace("/", ".")}.${metric}`;
}

/** The HPA of such a name. */
export function keyOfMetric(id: string): string {
  return id.slice(0, id.lastIndexOf(".")).replace(".", "/");
}
