/**
 * What an answer's text says, read here again: strictly, and without the code under test. undefined: nothing that a
 * decision may use.
 */
export type PlainItems = readonly unknown[] | undefined;

export function plainItems(body: string, kind: string): PlainItems {
  try {
    const document = JSON.parse(body) as Record<string, unknown> | null;
    const items = document?.["kind"] === kind ? (document["items"] ?? []) : undefined;
    return Array.isArray(items) ? (items as unknown[]) : undefined;
  } catch {
    return undefined;
  }
}

const quantity = /^[+-]?(\d+\.?\d*|\.\d+)(m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei|n|u|[eE][+-]?\d+)?$/;

/** The sum of an external metric; undefined unless every item has a value. */
export function plainSum(items: PlainItems): number | undefined {
  if (items === undefined || items.length === 0) return undefined;
  let sum = 0;
  for (const item of items) {
    const value = memberOf(item, "value");
    if (typeof value !== "number" && (typeof value !== "string" || !quantity.test(value))) return undefined;
    // A suffix is a mutation's; what it means does not matter here, only that it is a value.
    sum += Number.parseFloat(String(value));
  }
  return sum;
}

export function memberOf(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (found, name) =>
      typeof found === "object" && found !== null ? (found as Record<string, unknown>)[name] : undefined,
    value,
  );
}

const milli = (value: unknown) => Number.parseFloat(String(value)) * (String(value).endsWith("m") ? 1 : 1_000);

/** A list as it arrived, and before a story made something else of it. */
export interface ListAnswer {
  readonly seen: PlainItems;
  readonly meant: PlainItems;
}

/**
 * The least size that a decision may shrink to, from the pods and metrics that it was given: what is measured, and a
 * whole target for each pod that certainly belongs to the HPA and certainly has no metric. undefined: a list cannot be
 * read. What a story made something else of, and may still be readable, counts for nothing here, unless it is below
 * zero: upstream adds that up too.
 */
export function leastByPods(
  { pods, metrics }: { readonly pods: ListAnswer; readonly metrics: ListAnswer },
  app: string,
  targetMilli: number,
): number | undefined {
  if (pods.seen === undefined || metrics.seen === undefined) return undefined;
  const originals = (items: PlainItems) => new Set((items ?? []).map((item) => JSON.stringify(item)));
  const truePods = originals(pods.meant);
  const trueMetrics = originals(metrics.meant);
  const own = pods.seen.filter(
    (pod) => truePods.has(JSON.stringify(pod)) && memberOf(pod, "metadata", "labels", "app") === app,
  );
  const nameOf = (item: unknown) => memberOf(item, "metadata", "name") ?? memberOf(item, "describedObject", "name");
  const usages = new Map(metrics.seen.map((item) => [nameOf(item), item]));
  let total = 0;
  for (const pod of own) {
    const item = usages.get(nameOf(pod));
    const isReady = memberOf(memberOf(pod, "status", "conditions", "0"), "status") === "True";
    const usage = milli(memberOf(item, "containers", "0", "usage", "cpu") ?? memberOf(item, "value"));
    if (item === undefined) total += isReady ? targetMilli : 0;
    else if (!trueMetrics.has(JSON.stringify(item))) total += usage < 0 ? usage : 0;
    else if (isReady && !isYoung(pod, item)) total += usage;
  }
  return Math.ceil(total / targetMilli - 0.06);
}

/** Of a CPU, a pod's first window counts as not ready (upstream: replica_calculator.go, groupPods). */
function isYoung(pod: unknown, item: unknown): boolean {
  if (memberOf(item, "containers") === undefined) return false;
  const readySince = Date.parse(String(memberOf(pod, "status", "conditions", "0", "lastTransitionTime")));
  return Date.parse(String(memberOf(item, "timestamp"))) < readySince + 30_000;
}
