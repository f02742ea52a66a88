import { isMap } from "../../k8s/map";
import type { HpaMetrics, QueueReads } from "../../model/ports/queue-reads";
import type { HpaKey } from "../../model/hpa-key";
import { longestName } from "./queue-hash";
import { namesIn, queuesOf, readsQueue, sourceNames } from "./queues-of";
import type { WantedQueue } from "./wanted";

/** Sources read at a time: 25 of the largest are 10 MB. */
const sourcesPerRead = 25;
/** Sources that are remembered. What is kept of one is small. */
const mostKept = 20_000;

/** Which of a cluster's entries read the wanted queues, by what the table has of them now. */
export type Match = (hpas: readonly HpaMetrics[], signal: AbortSignal) => Promise<readonly HpaKey[]>;

export function openMatch(reads: Pick<QueueReads, "sources">, cluster: string, wanted: readonly WantedQueue[]): Match {
  const names = new Set(wanted.map(({ name }) => name));
  /** The spec of each source as far as it matters for the wanted queues; undefined: there is no such source. */
  const specs = new Map<string, object | undefined>();

  async function know(hpas: readonly HpaMetrics[], signal: AbortSignal): Promise<void> {
    const named = new Set(hpas.flatMap(({ document }) => sourceNames(document)));
    const unknown = [...named].filter((name) => !specs.has(name) && isNameOfEntry(name));
    if (specs.size + unknown.length > mostKept) specs.clear();
    for (let start = 0; start < unknown.length; start += sourcesPerRead) {
      const some = unknown.slice(start, start + sourcesPerRead);
      const found = await reads.sources(cluster, some, signal);
      for (const name of some) specs.set(name, found.has(name) ? reduced(found.get(name), names) : undefined);
    }
  }

  return async (hpas, signal) => {
    await know(hpas, signal);
    return hpas
      .filter(({ document }) => {
        const queues = queuesOf(document, (name) => specs.get(name));
        return wanted.some(({ name }) => readsQueue(queues, name));
      })
      .map(({ key }) => key);
  };
}

/** A key of the table has 1 KB. No entry has a longer name, and a request with it would fail. */
function isNameOfEntry(name: string): boolean {
  return name !== "" && Buffer.byteLength(name) <= 1_000;
}

/** What of a source says which of the wanted queues it reads: a thousand long ones take no memory. */
function reduced(spec: unknown, names: ReadonlySet<string>): object {
  if (!isMap(spec) || spec["kind"] !== "sqs") return { kind: "other" };
  const { queue, queues, queuePrefix } = isMap(spec["parameters"]) ? spec["parameters"] : {};
  const wantedIn = (...listed: Parameters<typeof namesIn>) => namesIn(...listed).filter((name) => names.has(name));
  const prefix = typeof queuePrefix === "string" && queuePrefix.length <= longestName ? queuePrefix : "";
  const parameters = { queue: wantedIn(queue, "")[0] ?? "", queues: wantedIn("", queues).join(), queuePrefix: prefix };
  return { kind: "sqs", parameters };
}
