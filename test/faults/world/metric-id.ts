/** The name of an HPA's metric: no two HPAs share one. */
export function metricId(key: string, metric: number): string {
  return `${key.replace("/", ".")}.${metric}`;
}
