import { asHpaKey, type HpaKey } from "../../model/hpa-key";
import type { EpochMs } from "../../k8s/time";
import { isPaused } from "../../model/entry/annotations";
import {
  isClassDue,
  type PeriodClass,
  periodClass,
  laggingSince,
  closedSpanObserved,
  lastObservedAt,
  type ObservedHpa,
} from "../../model/stored/last-observed";
import type { Shard } from "../../model/stored/shard";
import type { DeletionCosts, State } from "../../model/stored/state";
import { readHpaEntry, type ReadEntry } from "../hpa/read-entry";
import type { HpaTask } from "../hpa/hpa-result";
import type { ListedHpa, ShardContents } from "../../model/ports/store";
import type { SlotMessage } from "../../model/messages";

export interface DeletedHpa {
  readonly key: HpaKey;
  readonly version: number;
  readonly deletionCosts?: DeletionCosts;
}

interface ClassedHpa extends ObservedHpa {
  readonly periodClass: PeriodClass;
}

export interface SlotTasks {
  /** Lagging HPAs first, those that failed last time last: a silent endpoint delays no other HPA. */
  readonly tasks: readonly HpaTask[];
  /** HPAs with longer periods that are not due. */
  readonly resting: readonly HpaTask[];
  readonly classes: readonly ClassedHpa[];
  /** HPAs with shorter periods than the cluster's. */
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
      // An unfinished slot's run may yet record an observation: a window may get too long, never too short.
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

function isDueBetween(own: PeriodClass | undefined, after: EpochMs, until: EpochMs): boolean {
  return own === undefined || isClassDue(own, { after, until });
}

/** Due in any case: a new HPA or period, something open, or an unreadable entry, which costs nothing. */
function isDueAnyway({ entry, state }: HpaTask): boolean {
  if (state === undefined || state.intent !== undefined || state.confirming === true) return true;
  return "errors" in entry || entry.syncPeriodSeconds !== state.syncPeriodSeconds;
}

/** The last slot that observed anything. A failed slot is finished, with an older heartbeat. */
export function lastSync({ slot, heartbeat }: Pick<Shard, "slot" | "heartbeat">, message: SlotMessage): EpochMs {
  return heartbeat >= slot ? slot : heartbeat - (message.until - message.slot);
}

function classesOf({ key, entry, periodClass: own }: HpaTask, periodMs: number): readonly ClassedHpa[] {
  const wanted = "errors" in entry ? undefined : periodClass(key, entry.syncPeriodSeconds, periodMs);
  return [...new Set([own, wanted])].flatMap((name) => (name === undefined ? [] : [{ key, periodClass: name }]));
}

function shorterOf({ key, entry }: HpaTask, { slot, until }: SlotMessage): readonly ShorterHpa[] {
  if ("errors" in entry || isPaused(entry.operations, slot)) return [];
  const { syncPeriodSeconds: seconds = Infinity } = entry;
  return seconds * 1_000 < until - slot ? [{ key, seconds }] : [];
}

/** A late write of an earlier run could bring back an outdated recommendation: this sync writes every state. */
function mayOverlap(states: ShardContents["states"][string][], shard: Shard, message: SlotMessage): boolean {
  return isUnfinished(shard, message) || states.some((state) => state.slot > shard.slot);
}

export function isUnfinished(shard: Shard, message: SlotMessage): boolean {
  return shard.slot < slotBefore(message);
}

function slotBefore({ slot, until }: SlotMessage): EpochMs {
  return slot - (until - slot);
}

/** A wake may still be active or paused, until a later slot writes the state. */
function isWoken(state: State | undefined, shard: Shard): boolean {
  return state?.wake !== undefined && state.wake.at > shard.slot;
}

const known = new WeakMap<ListedHpa, ReadEntry>();

function readOnce(listed: ListedHpa): ReadEntry {
  const entry = known.get(listed) ?? readHpaEntry(listed);
  known.set(listed, entry);
  return entry;
}

export function deletedFrom({ hpas, states }: ShardContents): readonly DeletedHpa[] {
  const present = new Set(hpas.map(({ key }) => key));
  const all = Object.entries(states).map(([key, { version, deletionCosts }]) => ({
    ...{ key: asHpaKey(key), version },
    ...(deletionCosts && { deletionCosts }),
  }));
  return all.filter(({ key }) => !present.has(key));
}
