import { asHpaKey } from "../../model/hpa-key";
import type { EpochMs } from "../../k8s/time";
import { behindSince, closedSeen, holdsKey } from "../../model/sightings";
import type { Shard, State } from "../../model/state";
import { readHpaEntry } from "./read-entry";
import type { DeletedHpa, HpaResult, HpaTask, ReadEntry } from "../frame";
import type { ListedHpa, ShardContents } from "../../model/ports";
import type { SlotMessage } from "../../model/messages";

/**
 * The HPAs of a slot, in starting order: first those that the last slots did not reach, last those that failed last
 * time. So waiting for an endpoint that does not answer delays no other HPA.
 */
export function tasksOf(
  { hpas, states, brokenStates }: ShardContents,
  shard: Shard,
  { message, isStray }: { readonly message: SlotMessage; readonly isStray: boolean },
): readonly HpaTask[] {
  const contested = isContested(Object.values(states), shard, message);
  const afterUnfinished = isUnfinished(shard, message);
  const periodMs = message.until - message.slot;
  const tasks = hpas
    .filter(({ key }) => !Object.hasOwn(brokenStates, key))
    .map((listed): HpaTask => {
      const { key, document } = listed;
      const behind = behindSince(shard, key);
      const state = Object.hasOwn(states, key) ? states[key] : undefined;
      const knownAt = behind ?? shard.heartbeat;
      // The run of an unfinished slot may yet record that it saw the open run a moment ago: a window may get too long,
      // never too short.
      const lastSeen = afterUnfinished ? Math.max(knownAt, message.slot) : knownAt;
      const closed = state && closedSeen(state, { key, shard, lastSeen, periodMs, isStray });
      return {
        key,
        document,
        entry: readOnce(listed),
        state,
        lastSeen,
        closedSeen: closed,
        contested: contested || behind !== undefined || closed !== undefined || isWoken(state, shard),
        // After an unfinished slot, every run writes every state.
        hasCompany: !afterUnfinished,
      };
    });
  const rank = ({ key, state }: HpaTask) => {
    if ((state?.warnings ?? []).length > 0) return 2;
    return behindSince(shard, key) === undefined ? 1 : 0;
  };
  return tasks.sort((a, b) => rank(a) - rank(b));
}

/**
 * Whether another run may still be active or paused: the previous slot was never finished, or a run has already written
 * for this slot.
 *
 * An unchanged state is not written, so its version does not stop a late write of that run, and that write could bring
 * back an outdated recommendation. So this sync writes every state, and any earlier run meets a conflict.
 */
function isContested(states: ShardContents["states"][string][], shard: Shard, message: SlotMessage): boolean {
  return isUnfinished(shard, message) || states.some((state) => state.slot > shard.slot);
}

/** The slot before this one was never finished. */
export function isUnfinished(shard: Shard, message: SlotMessage): boolean {
  return shard.slot < slotBefore(message);
}

function slotBefore({ slot, until }: SlotMessage): EpochMs {
  return slot - (until - slot);
}

/**
 * A wake of this HPA may still be active or paused, until a later slot has written the state. This concerns no other
 * HPA.
 */
function isWoken(state: State | undefined, shard: Shard): boolean {
  return state?.wake !== undefined && state.wake.at > shard.slot;
}

/** A process that keeps what it has loaded reads an entry once. */
const known = new WeakMap<ListedHpa, ReadEntry>();

function readOnce(listed: ListedHpa): ReadEntry {
  const entry = known.get(listed) ?? readHpaEntry(listed);
  known.set(listed, entry);
  return entry;
}

/** States of HPAs whose entry is gone. */
export function deletedFrom({ hpas, states }: ShardContents): readonly DeletedHpa[] {
  const present = new Set(hpas.map(({ key }) => key));
  const all = Object.entries(states).map(([key, { version }]) => ({ key: asHpaKey(key), version }));
  return all.filter(({ key }) => !present.has(key));
}

/** Namespace and name of an HPA. A longer key belongs to an invalid entry, which has no open run to keep. */
const longestKey = 63 + 1 + 253;

/** The HPAs of the range whose outcome is not in the table, each with when its open run was last seen. */
export function whoIsBehind(shard: Shard, results: readonly HpaResult[]): Readonly<Record<string, EpochMs>> {
  const missed = results.filter(({ key, recorded }) => !recorded && holdsKey(shard, key) && key.length <= longestKey);
  return Object.fromEntries(missed.map(({ key }) => [key, behindSince(shard, key) ?? shard.heartbeat]));
}
