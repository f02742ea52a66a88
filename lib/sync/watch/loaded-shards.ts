import { measure } from "../../model/size";
import type { Idle } from "../../model/stored/idle";
import type { Shard } from "../../model/stored/state";

/** What the watcher keeps of a shard. */
export interface LoadedShard {
  /** Of the item that was read. */
  readonly mark: string;
  readonly shard: Shard;
  readonly idle: Idle;
}

interface Held extends LoadedShard {
  readonly id: string;
  readonly memory: number;
}

/**
 * The shards that the watcher has read, within one memory for all. When it is full, the cluster that takes most gives
 * way with its largest shard: nothing that one cluster has costs another one its place, if that takes no more than its
 * share.
 */
export function openLoadedShards(mostMemory: number, onGivenWay: (shard: Shard, memory: number) => void) {
  const held = new Map<string, Held>();

  function makeRoom(): void {
    while (sumOf(held.values()) > mostMemory) {
      const { shards } = largestOf(byCluster(held.values()));
      const largest = largestOf(shards);
      // Its mark stays, so it is not read again before its item changes.
      held.set(largest.id, { ...largest, idle: {}, memory: 0 });
      onGivenWay(largest.shard, largest.memory);
    }
  }

  return {
    markOf: (id: string): string | undefined => held.get(id)?.mark,
    ids: (): readonly string[] => [...held.keys()],
    values: (): Iterable<LoadedShard> => held.values(),
    delete: (id: string): void => void held.delete(id),
    add(id: string, loaded: LoadedShard): void {
      held.set(id, { ...loaded, id, memory: measure(loaded.idle).memory });
      makeRoom();
    },
  };
}

interface ClusterShards {
  readonly shards: readonly Held[];
  readonly memory: number;
}

function byCluster(all: Iterable<Held>): readonly ClusterShards[] {
  const clusters = new Map<string, Held[]>();
  for (const one of all) clusters.set(one.shard.cluster, [...(clusters.get(one.shard.cluster) ?? []), one]);
  return [...clusters.values()].map((shards) => ({ shards, memory: sumOf(shards) }));
}

function sumOf(all: Iterable<{ readonly memory: number }>): number {
  let sum = 0;
  for (const { memory } of all) sum += memory;
  return sum;
}

/** @param all not empty. */
function largestOf<T extends { readonly memory: number }>(all: readonly T[]): T {
  return all.reduce((most, one) => (one.memory > most.memory ? one : most));
}
