import type { HpaKey } from "../../model/hpa-key";
import { confirmedIn } from "./confirmed";
import type { EpochMs } from "../../k8s/time";
import type { LoadedHpas, Store } from "../../model/ports/store";
import type { SlotMessage } from "../../model/messages";
import type { Shard } from "../../model/stored/shard";
import type { State } from "../../model/stored/state";

/** A lost wake delays a change by this at most. */
export const longestCachedMs = 2 * 60_000;

interface CachedShard {
  readonly to: string | null;
  /** Valid for slots from here on. */
  readonly from: EpochMs;
  readonly loadedAt: EpochMs;
  readonly hpas: LoadedHpas;
}

/** The SHARD item says whether it is valid: docs/protocol.md */
export interface ShardCache {
  /** Removes the contents, so that a failed sync leaves nothing. */
  take(shard: Shard, message: SlotMessage): CachedShard | undefined;
  /** Call after the write that finished the slot. */
  keep(finished: Shard, message: SlotMessage, contents: Omit<CachedShard, "to" | "from">): void;
}

/** @param mostMemory bytes for all shards. The least recent gives way. */
export function openShardCache(mostMemory: number): ShardCache {
  const shards = new Map<string, CachedShard>();

  return {
    take(shard, message) {
      const id = idOf(shard);
      const found = shards.get(id);
      shards.delete(id);
      return found !== undefined && isTrueOf(shard, message, found) ? found : undefined;
    },

    keep(finished, { slot }, { hpas, loadedAt }) {
      const id = idOf(finished);
      shards.delete(id);
      shards.set(id, { to: finished.to, from: slot, hpas, loadedAt });
      let used = 0;
      for (const [other, { hpas }] of [...shards].reverse()) {
        used += hpas.memory;
        if (used > mostMemory) shards.delete(other);
      }
    },
  };
}

function idOf({ cluster, from }: Shard): string {
  return JSON.stringify([cluster, from]);
}

function isTrueOf(shard: Shard, { slot, until }: SlotMessage, { to, from, loadedAt }: CachedShard): boolean {
  const confirmed = confirmedIn(shard);
  if (confirmed === undefined || shard.to !== to) return false;
  const isFinished = shard.slot >= slot - (until - slot);
  return isFinished && from >= confirmed.changed && slot - loadedAt < longestCachedMs;
}

/** As in the table after writes through `store`. */
export interface TrackedStates {
  readonly store: Store;
  readonly states: () => Readonly<Record<string, State>>;
  readonly asLoaded: () => Readonly<Record<string, State>>;
  readonly hasWritten: () => boolean;
  /** States that were written without an answer, or in vain. */
  readonly unsure: () => readonly HpaKey[];
}

/** An unanswered write counts as not done. */
export function trackStates(store: Store, loaded: Readonly<Record<string, State>>): TrackedStates {
  const written = new Map<HpaKey, State | undefined>();
  const tried = new Set<HpaKey>();

  function done(key: HpaKey, state: State | undefined): void {
    written.set(key, state);
    tried.delete(key);
  }

  function after(form: (state: State) => State): Readonly<Record<string, State>> {
    if (written.size === 0) return loaded;
    const states = new Map(Object.entries(loaded));
    for (const [key, state] of written) {
      if (state === undefined) states.delete(key);
      else states.set(key, form(state));
    }
    return Object.fromEntries(states);
  }

  return {
    store: {
      ...store,
      async putState(cluster, key, state, signal) {
        tried.add(key);
        const result = await store.putState(cluster, key, state, signal);
        if (result.ok) done(key, state);
        return result;
      },
      async deleteState(cluster, key, version, signal) {
        tried.add(key);
        const isDone = await store.deleteState(cluster, key, version, signal);
        if (isDone) done(key, undefined);
        return isDone;
      },
    },
    hasWritten: () => written.size > 0 || tried.size > 0,
    unsure: () => [...tried],
    states: () => after((state) => state),
    asLoaded: () => after((state) => JSON.parse(JSON.stringify(state)) as State),
  };
}
