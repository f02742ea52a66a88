import { isMap } from "../../k8s/map";
import type { WokenHpa } from "./plan-wakes";

/** An entry as it is in the table. Nothing in the document is validated. */
export interface ListedEntry {
  readonly ref: { readonly cluster: string; readonly namespace?: string; readonly name: string };
  readonly document: Readonly<Record<string, unknown>>;
}

/**
 * The HPAs that read this queue: their External metrics are of the kind `sqs`, by a SOURCE entry or without one, and
 * name the queue or a prefix of its name. Regions and accounts are not compared: one HPA too many is woken and finds
 * nothing to do.
 */
export function hpasOnQueue(
  queue: string,
  { hpas, sources }: { readonly hpas: readonly ListedEntry[]; readonly sources: readonly ListedEntry[] },
): readonly WokenHpa[] {
  const name = queueName(queue);
  const known = new Map(
    sources.map(({ ref, document }) => [JSON.stringify([ref.cluster, ref.name]), document["spec"]]),
  );
  return hpas.flatMap(({ ref: { cluster, namespace, name: hpa }, document }) => {
    if (namespace === undefined) return [];
    const isOnQueue = externalMetrics(document).some((metric) => {
      const spec = known.get(JSON.stringify([cluster, metric.name]));
      const source = isMap(spec) ? spec : undefined;
      if ((source === undefined ? metric.name : source["kind"]) !== "sqs") return false;
      const given = isMap(source?.["parameters"]) ? source["parameters"] : {};
      return covers({ ...given, ...metric.labels }, name);
    });
    return isOnQueue ? [{ cluster, namespace, name: hpa }] : [];
  });
}

/** Of a name, a URL or an ARN. */
function queueName(queue: string): string {
  return queue.slice(Math.max(queue.lastIndexOf("/"), queue.lastIndexOf(":")) + 1);
}

function covers({ queue, queues, queuePrefix }: Readonly<Record<string, unknown>>, name: string): boolean {
  const named = [queue, ...(typeof queues === "string" ? queues.split(",") : [])];
  if (named.some((one) => typeof one === "string" && queueName(one.trim()) === name)) return true;
  return typeof queuePrefix === "string" && queuePrefix !== "" && name.startsWith(queuePrefix);
}

interface NamedMetric {
  readonly name: string;
  readonly labels: Readonly<Record<string, unknown>>;
}

function externalMetrics({ spec }: ListedEntry["document"]): readonly NamedMetric[] {
  const metrics = isMap(spec) && Array.isArray(spec["metrics"]) ? (spec["metrics"] as readonly unknown[]) : [];
  return metrics.flatMap((listed) => {
    const external = isMap(listed) && isMap(listed["external"]) ? listed["external"] : {};
    const metric = isMap(external["metric"]) ? external["metric"] : {};
    const selector = isMap(metric["selector"]) ? metric["selector"] : {};
    const labels = isMap(selector["matchLabels"]) ? selector["matchLabels"] : {};
    return typeof metric["name"] === "string" ? [{ name: metric["name"], labels }] : [];
  });
}
