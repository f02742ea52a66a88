import { isMap } from "../../k8s/map";
import { hashOfName, hashOfPrefix, queueName } from "./queue-hash";

type Data = Readonly<Record<string, unknown>>;

/** Not validated. */
export type SpecOfSource = (name: string) => unknown;

export interface ReadQueues {
  readonly names: readonly string[];
  readonly prefixes: readonly string[];
}

/**
 * Reads External metrics of the kind `sqs`, with or without an entry. Ignores regions and accounts: an HPA woken in
 * vain finds nothing to do.
 */
export function queuesOf(document: unknown, specOf: SpecOfSource): ReadQueues {
  const given = externalMetrics(document).flatMap(({ name, labels }) => {
    const spec = specOf(name);
    const source = isMap(spec) ? spec : undefined;
    if ((source === undefined ? name : source["kind"]) !== "sqs") return [];
    return [{ ...parametersOf(source), ...labels }];
  });
  return queuesIn(given);
}

/** Queues of HPAs that name no others. */
export function queuesOfSource(spec: unknown): ReadQueues {
  return queuesIn(isMap(spec) && spec["kind"] === "sqs" ? [parametersOf(spec)] : []);
}

function queuesIn(given: readonly Data[]): ReadQueues {
  return {
    names: given.flatMap(({ queue, queues }) => namesIn(queue, queues)),
    prefixes: given.flatMap(({ queuePrefix }) => (isText(queuePrefix) ? [queuePrefix] : [])),
  };
}

function parametersOf(source: Data | undefined): Data {
  return isMap(source?.["parameters"]) ? source["parameters"] : {};
}

export function sourceNames(document: unknown): readonly string[] {
  return externalMetrics(document).map(({ name }) => name);
}

/** By the parameters `queue` and `queues`. */
export function namesIn(queue: unknown, queues: unknown): readonly string[] {
  const all = [queue, ...(typeof queues === "string" ? queues.split(",") : [])];
  return all.filter(isText).map((one) => queueName(one.trim()));
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

/** Distinct. */
export function queueHashes({ names, prefixes }: ReadQueues): readonly number[] {
  const hashes = [...names.map(hashOfName), ...prefixes.map(hashOfPrefix)];
  return [...new Set(hashes)].filter((hash) => hash !== undefined);
}

export function readsQueue({ names, prefixes }: ReadQueues, name: string): boolean {
  return names.includes(name) || prefixes.some((prefix) => name.startsWith(prefix));
}

interface NamedMetric {
  readonly name: string;
  readonly labels: Data;
}

function externalMetrics(document: unknown): readonly NamedMetric[] {
  const spec = isMap(document) ? document["spec"] : undefined;
  const metrics = isMap(spec) && Array.isArray(spec["metrics"]) ? (spec["metrics"] as readonly unknown[]) : [];
  return metrics.flatMap((listed) => {
    const external = isMap(listed) && isMap(listed["external"]) ? listed["external"] : {};
    const metric = isMap(external["metric"]) ? external["metric"] : {};
    const selector = isMap(metric["selector"]) ? metric["selector"] : {};
    const labels = isMap(selector["matchLabels"]) ? selector["matchLabels"] : {};
    return typeof metric["name"] === "string" ? [{ name: metric["name"], labels }] : [];
  });
}
