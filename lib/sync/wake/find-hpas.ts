import { limitConcurrency, someAtATime } from "../../async/semaphore";
import type { BoundedRunTime } from "../../async/run-time";
import { errorText, isFault } from "../../model/fault";
import { type HpaKey, isHpaKey, nameOf, namespaceOf } from "../../model/hpa-key";
import type { IndexedShard, QueueReads } from "../../model/ports/queue-reads";
import type { Reporter } from "../../model/report";
import type { WokenHpa } from "../../scheduler/plan-wakes";
import { type SearchStage, searchCluster, type SearchStep } from "./search-cluster";
import { wantedQueues, type WantedHpas } from "./queues-of";

const concurrentClusters = 8;
/** A batch is some MB, and several times that as data. */
const concurrentBatches = 2;

export interface FindPorts {
  readonly reads: QueueReads;
  readonly reporter: Pick<Reporter, "failed">;
}

/** Clusters take turns, HPAs in indexes first. Unread parts are reported, and left to the slots. */
export async function* findWokenHpas(
  { reads, reporter }: FindPorts,
  wanted: WantedHpas,
  { now, deadline, signal }: BoundedRunTime,
): AsyncGenerator<readonly WokenHpa[]> {
  if (wanted.queues.size === 0) return;
  const shards = await shardsOf(reads, wanted, signal);
  const limited = limitConcurrency(concurrentBatches);
  let active = [...shards].map(([cluster, own]): Search => {
    const queues = wantedQueues(cluster, wanted);
    return { cluster, steps: searchCluster(reads, { cluster, shards: own, wanted: queues, limited, signal }), next: 0 };
  });
  const failed = (cluster: string, why: string) => {
    const message = `${why}: HPAs that read the queue may wait for their next slot`;
    reporter.failed({ cluster, reason: "IncompleteWake", message, at: now() });
  };

  let found: WokenHpa[] = [];
  let [stage, yieldedAt] = [0, now()];
  while (active.length > 0 && now() < deadline) {
    const lowest = Math.min(...active.map(({ next }) => next));
    if (found.length > 0 && (lowest > stage || now() - yieldedAt >= yieldedEveryMs)) {
      yield found;
      [found, yieldedAt] = [[], now()];
    }
    stage = lowest;
    const due = active.filter(({ next }) => next === stage);
    const over = new Set<Search>();
    await someAtATime(due, { limit: concurrentClusters, signal }, async (search) => {
      try {
        const step = await search.steps.next();
        if (step.done === true) return void over.add(search);
        search.next = stages.indexOf(step.value.next);
        found.push(...step.value.found.filter(isHpaKey).map((key) => wokenHpa(search.cluster, key)));
      } catch (error) {
        if (!isFault(error) || signal.aborted) throw error;
        over.add(search);
        failed(search.cluster, errorText(error));
      }
    });
    active = active.filter((search) => !over.has(search));
  }
  for (const { cluster } of active) failed(cluster, "its entries are too many to be looked through in time");
  if (found.length > 0) yield found;
}

const stages: readonly SearchStage[] = ["indexes", "named", "notNamed", "pages"];
/** Each wake loads a namespace, so few large wakes cost less. */
const yieldedEveryMs = 500;

interface Search {
  readonly cluster: string;
  readonly steps: AsyncGenerator<SearchStep>;
  next: number;
}

function wokenHpa(cluster: string, key: HpaKey): WokenHpa {
  return { cluster, namespace: namespaceOf(key), name: nameOf(key) };
}

async function shardsOf(
  reads: QueueReads,
  { queues }: WantedHpas,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, readonly IndexedShard[]>> {
  const named = [...queues.keys()].filter((cluster) => cluster !== undefined);
  const [only, ...others] = queues.keys();
  const all = queues.has(undefined) ? await reads.clusters(signal) : [];
  const found = await reads.shards(others.length === 0 ? only : undefined, signal);
  const byCluster = new Map([...all, ...named].map((cluster): [string, IndexedShard[]] => [cluster, []]));
  for (const shard of found) byCluster.get(shard.cluster)?.push(shard);
  return byCluster;
}
