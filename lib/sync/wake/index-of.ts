import { createHash } from "node:crypto";
import type { SourceEntry } from "../../model/entry/entries";
import { type HpaKey, splitKey } from "../../model/hpa-key";
import { maxMin, treeOf } from "../../model/max-min";
import type { Entry, ListedHpa } from "../../model/ports/store";
import { emptyIndex, type IndexedHpa, type QueueIndex } from "../../model/stored/queue-index";
import { queueHashes, queuesOf, type SpecOfSource } from "./queues-of";

/** Of one item, so that it fits with the keys of 1,000 HPAs: eight queues for each of them. */
const mostQueues = 8_000;

/** The queues of an HPA, by their hashes. */
export interface QueuesRead {
  readonly key: HpaKey;
  readonly queues: readonly number[];
}

/** The HPAs of a shard that read queues, in key order, and which. */
export function readsOf(hpas: readonly ListedHpa[], sources: readonly Entry<SourceEntry>[]): readonly QueuesRead[] {
  const specs = new Map(sources.map((source) => [source.key, "value" in source ? source.value.spec : undefined]));
  const specOf: SpecOfSource = (name) => specs.get(name);
  return hpas.flatMap(({ key, document }) => {
    const queues = queueHashes(queuesOf(document, specOf));
    return queues.length === 0 ? [] : [{ key, queues }];
  });
}

/** The index of HPAs. If they read more queues than fit, those that read more than their fair share are not named. */
export function indexOf(reads: readonly QueuesRead[]): QueueIndex {
  const tree = treeOf(reads.map(({ key }) => splitKey(key)));
  const shares = maxMin(mostQueues, { tree, demands: reads.map(({ queues }) => queues.length) }, 0);
  const hpas = Object.fromEntries(
    reads.map(({ key, queues }, index): [HpaKey, IndexedHpa] => [
      key,
      queues.length <= (shares[index] ?? 0) ? { queues } : { more: true },
    ]),
  );
  return { hash: reads.length === 0 ? emptyIndex : hashOf(hpas), hpas };
}

/** 96 bits: the indexes of one shard differ by it. */
function hashOf(hpas: QueueIndex["hpas"]): string {
  return createHash("sha256").update(JSON.stringify(hpas)).digest("base64url").slice(0, 16);
}
