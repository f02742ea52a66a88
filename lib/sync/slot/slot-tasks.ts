import { asHpaKey, type HpaKey } from "../../model/hpa-key";
import type { EpochMs } from "../../k8s/time";
import { isPaused } from "../../model/entry/annotations";
import { isClassDue, type PeriodClass, periodClass } from "../../model/stored/own-period";
import { laggingSince, closedSpanObserved, lastObservedAt, type ObservedHpa } from "../../model/stored/last-observed";
import type { Shard, State } from "../../model/stored/state";
import { readHpaEntry } from "../hpa/read-entry";
import type { HpaTask } from "../hpa/hpa-task";
import type { ReadEntry } from "../hpa/read-entry";
import type { ListedHpa, ShardContents } from "../../model/ports/store";
import type { SlotMessage } from "../../model/messages";

/** An HPA whose entry is gone and whose state is still in the table, with the state's version. */
export interface DeletedHpa {
  readonly key: HpaKey;
  readonly version: number;
}

interface ClassedHpa extends ObservedHpa {
  readonly periodClass: PeriodClass;
}

/** What a slot does with the HPAs of its shard. */
export interface SlotTasks {
  /**
   * In starting order: first those that the last slots did not reach, last those that failed last time. So waiting for
   * an endpoint that does not answer delays no other HPA.
   */
  readonly tasks: readonly HpaTask[];
  /** HPAs that are not due in this slot, because they have longer periods of their own. */
  readonly resting: readonly HpaTask[];
  /** The classes of both, by their entries and by their states. */
  readonly classes: readonly ClassedHpa[];
  /** HPAs that are to be synced more often than the slots come. */
  readonly shorter: readonly ShorterHpa[];
}

interface ShorterHpa {
  readonly key: HpaKey;
  readonly seconds: number;
}

export function tasksOf(
  contents: ShardContents,
  shard: Shard,
  { message, isUnconfirmed }: { readonly message: SlotMessage; readonly isUnconfirmed: (key: HpaKey) => boolean },
): SlotTasks {
  const { hpas, states, brokenStates } = contents;
  const mayHaveConcurrentRun = mayOverlap(Object.values(states), shard, message);
  const afterUnfinished = isUnfinished(shard, message);
  const periodMs = message.until - message.slot;
  const all = hpas
    .filter(({ key }) => !Object.hasOwn(brokenStates, key))
    .map((listed): HpaTask => {
      const { key, document } = listed;
      const lagging = laggingSince(shard, key);
      const state = Object.hasOwn(states, key) ? states[key] : undefined;
      const own = periodClass(key, state?.syncPeriodSeconds, periodMs);
      const knownAt = lastObservedAt(shard, { key, periodClass: own });
      // The run of an unfinished slot may yet record that it saw the open span a moment ago: a window may get too long,
      // never too short.
      const mayBeObserved = afterUnfinished && isDueBetween(own, shard.slot, slotBefore(message));
      const lastObserved = mayBeObserved ? Math.max(knownAt, message.slot) : knownAt;
      const closed =
        state &&
        closedSpanObserved(state, {
          key,
          periodClass: own,
          shard,
          lastObserved,
          periodMs,
          isUnconfirmed: isUnconfirmed(key),
        });
      return {
        key,
        document,
        entry: readOnce(listed),
        state,
        periodClass: own,
        lastObserved,
        closedSpanObserved: closed,
        mayHaveConcurrentRun:
          mayHaveConcurrentRun || lagging !== undefined || closed !== undefined || isWoken(state, shard),
        // After an unfinished slot, every run writes every state.
        hasConcurrentReader: !afterUnfinished,
      };
    });
  const isDue = (task: HpaTask) =>
    mayHaveConcurrentRun ||
    laggingSince(shard, task.key) !== undefined ||
    isWoken(task.state, shard) ||
    isDueAnyway(task) ||
    isDueBetween(task.periodClass, lastSync(shard, message), message.slot);
  const startOrder = ({ key, state }: HpaTask) => {
    if ((state?.warnings ?? []).length > 0) return 2;
    return laggingSince(shard, key) === undefined ? 1 : 0;
  };
  return {
    tasks: all.filter(isDue).sort((a, b) => startOrder(a) - startOrder(b)),
    resting: all.filter((task) => !isDue(task)),
    classes: all.flatMap((task) => classesOf(task, periodMs)),
    shorter: all.flatMap((task) => shorterOf(task, message)),
  };
}

/** An HPA without an own period is due in every slot. */
function isDueBetween(own: PeriodClass | undefined, after: EpochMs, until: EpochMs): boolean {
  return own === undefined || isClassDue(own, { after, until });
}

/**
 * The HPA is due whatever its period is: it is new, its period is another than the state's, or it cannot be read, which
 * costs nothing. And so it is while something of the last sync is open.
 */
function isDueAnyway({ entry, state }: HpaTask): boolean {
  if (state === undefined || state.intent !== undefined || state.confirming === true) return true;
  return "errors" in entry || entry.syncPeriodSeconds !== state.syncPeriodSeconds;
}

/** The last slot that saw anything. A slot that failed as a whole is finished, and the heartbeat is before it. */
export function lastSync({ slot, heartbeat }: Pick<Shard, "slot" | "heartbeat">, message: SlotMessage): EpochMs {
  return heartbeat >= slot ? slot : heartbeat - (message.until - message.slot);
}

function classesOf({ key, entry, periodClass: own }: HpaTask, periodMs: number): readonly ClassedHpa[] {
  const wanted = "errors" in entry ? undefined : periodClass(key, entry.syncPeriodSeconds, periodMs);
  return [...new Set([own, wanted])].flatMap((name) => (name === undefined ? [] : [{ key, periodClass: name }]));
}

/** A paused HPA is woken for nothing. */
function shorterOf({ key, entry }: HpaTask, { slot, until }: SlotMessage): readonly ShorterHpa[] {
  if ("errors" in entry || isPaused(entry.operations, slot)) return [];
  const { syncPeriodSeconds: seconds = Infinity } = entry;
  return seconds * 1_000 < until - slot ? [{ key, seconds }] : [];
}

/**
 * Whether another run may still be active or paused: the previous slot was never finished, or a run has already written
 * for this slot.
 *
 * An unchanged state is not written, so its version does not stop a late write of that run, and that write could bring
 * back an outdated recommendation. So this sync writes every state, and any earlier run meets a conflict.
 */
function mayOverlap(states: ShardContents["states"][string][], shard: Shard, message: SlotMessage): boolean {
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
