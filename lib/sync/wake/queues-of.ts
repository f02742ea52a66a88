import { isMap } from "../../k8s/map";
import { fnv1a } from "../../model/fnv1a";
import { Fault } from "../../model/fault";
import type { WakeRequest } from "../../model/wake-request";
import type { WokenHpa } from "../../scheduler/plan-wakes";

type Data = Readonly<Record<string, unknown>>;

export type SpecOfSource = (name: string) => unknown;

export interface ReadQueues {
  readonly names: readonly string[];
  readonly prefixes: readonly string[];
}

/** Ignores regions and accounts: an HPA woken in vain finds nothing to do. */
export function queuesOf(document: unknown, specOf: SpecOfSource): ReadQueues {
  const given = externalMetrics(document).flatMap(({ name, labels }) => {
    const spec = specOf(name);
    const source = isMap(spec) ? spec : undefined;
    if ((source === undefined ? name : source["kind"]) !== "sqs") return [];
    return [{ ...parametersOf(source), ...labels }];
  });
  return queuesIn(given);
}

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

export const longestName = 80;

export function queueName(queue: string): string {
  return queue.slice(Math.max(queue.lastIndexOf("/"), queue.lastIndexOf(":")) + 1);
}

/** Undefined: no queue is named so. */
export function hashOfName(name: string): number | undefined {
  return name === "" || name.length > longestName ? undefined : fnv1a(`=${name}`);
}

/** Undefined: no queue is named so. */
function hashOfPrefix(prefix: string): number | undefined {
  return prefix === "" || prefix.length > longestName ? undefined : fnv1a(`^${prefix}`);
}

/** An index that names this queue has one of these. */
export function hashesFor(name: string): readonly number[] {
  const prefixes = Array.from({ length: Math.min(name.length, longestName) }, (_, index) => name.slice(0, index + 1));
  return [hashOfName(name), ...prefixes.map(hashOfPrefix)].filter((hash) => hash !== undefined);
}

/** `sorted`: ascending. */
export function includesSorted(sorted: Uint32Array, value: number): boolean {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const found = sorted[middle] ?? 0;
    if (found === value) return true;
    if (found < value) low = middle + 1;
    else high = middle;
  }
  return false;
}

/** The most in one event. An alarm or a message names one. */
const mostQueuesPerEvent = 256;

export interface WantedHpas {
  readonly hpas: readonly WokenHpa[];
  /** Undefined: all clusters. */
  readonly queues: ReadonlyMap<string | undefined, ReadonlySet<string>>;
}

/** @throws Fault badEntry */
export function wantedBy(requests: readonly WakeRequest[]): WantedHpas {
  const hpas = new Map<string, WokenHpa>();
  const queues = new Map<string | undefined, Set<string>>();
  for (const request of requests)
    if ("name" in request) hpas.set(JSON.stringify([request.cluster, request.namespace, request.name]), request);
    else {
      const known = queues.get(request.cluster) ?? new Set();
      queues.set(request.cluster, known.add(queueName(request.queue)));
    }
  const count = [...queues.values()].reduce((sum, { size }) => sum + size, 0);
  if (count <= mostQueuesPerEvent) return { hpas: [...hpas.values()], queues };
  throw new Fault(
    "badEntry",
    `wake event: expected at most ${mostQueuesPerEvent} different queues, got ${count}: send them in several events`,
  );
}

/** `hashes`: an index that names the queue has one of these. */
export interface WantedQueue {
  readonly name: string;
  readonly hashes: readonly number[];
}

export function wantedQueues(cluster: string, { queues }: WantedHpas): readonly WantedQueue[] {
  const names = new Set([...(queues.get(undefined) ?? []), ...(queues.get(cluster) ?? [])]);
  return [...names].map((name) => ({ name, hashes: hashesFor(name) }));
}
