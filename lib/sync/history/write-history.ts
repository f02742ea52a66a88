import { type EpochMs, minuteMs, periodStart } from "../../k8s/time";
import { withinTime } from "../../async/within-time";
import { Fault, isFault } from "../../model/fault";
import type { HpaKey } from "../../model/hpa-key";
import type { HistoryWriter } from "../../model/ports/history";
import type { SlotMessage } from "../../model/messages";
import { type HistorySample, type RosterHpa, blockOf, columnsOf, restMs } from "../../model/stored/history";
import type { HistoryRecord, Shard } from "../../model/stored/shard";
import { holdsKey } from "../../model/stored/last-observed";
import { type Latest, withLatest } from "../../model/stored/latest";
import type { State } from "../../model/stored/state";
import type { HpaResult, HpaTask } from "../hpa/hpa-result";
import type { SyncContext, SyncPorts } from "../ports";
import type { SlotTasks } from "../slot/slot-tasks";
import { isPackingMinute, packBlocks } from "./pack-blocks";
import { rosterHpaOf, sampleOf } from "./sample";

interface SlotHistory {
  readonly shard: Shard;
  readonly results: readonly HpaResult[];
  readonly slotTasks: Pick<SlotTasks, "tasks" | "resting">;
  readonly hasDeleted: boolean;
  readonly states: Readonly<Record<string, State>>;
  readonly message: SlotMessage;
  readonly now: EpochMs;
  readonly context: SyncContext;
}

const mostMs = 2_000;
/** 1,000 HPAs are 40 requests, and a second of half a core. */
const packingMs = 6_000;

/** Records the first slot of a minute, if its rows differ. Counts when the slot finishes. */
export async function writeHistory(
  ports: Pick<SyncPorts, "store" | "reporter" | "history">,
  slot: SlotHistory,
): Promise<HistoryRecord | undefined> {
  const { history: writer, reporter } = ports;
  const { shard, message, now, context } = slot;
  const { history: before } = shard;
  if (writer === undefined) return undefined;
  const seen = message.slot;
  if (before !== undefined && !isDue(before, seen) && !changesMembers(slot)) return { ...before, seen };
  const most = isPackingMinute(shard, seen) ? packingMs : mostMs;
  const workMs = Math.max(0, Math.min(most, (message.until - context.now()) / 2));
  try {
    return await withinTime(
      workMs,
      context.signal,
      (signal) => record({ ...ports, writer }, slot, signal),
      () => new Fault("timeout", "the history was not written in the slot's time"),
    );
  } catch (error) {
    if (!isFault(error)) throw error;
    const { cluster } = shard;
    if (before?.lost === undefined)
      reporter.failed({ cluster, reason: "HistoryNotWritten", message: error.message, at: now });
    const { hash: _, ...known } = before ?? { last: [], packed: blockOf(seen) };
    return { ...known, seen, lost: before?.lost ?? seen };
  }
}

function isDue({ seen, last, lost }: HistoryRecord, slot: EpochMs): boolean {
  return periodStart(slot, minuteMs) > periodStart(seen, minuteMs) || last.length !== 1 || lost !== undefined;
}

function changesMembers({ slotTasks: { tasks }, hasDeleted }: SlotHistory): boolean {
  return hasDeleted || tasks.some(({ state }) => state === undefined);
}

async function record(
  { writer, store, reporter }: Pick<SyncPorts, "store" | "reporter"> & { readonly writer: HistoryWriter },
  slot: SlotHistory,
  signal: AbortSignal,
): Promise<HistoryRecord> {
  const { shard, message } = slot;
  const seen = message.slot;
  const before: HistoryRecord = shard.history ?? { last: [], packed: blockOf(seen), seen };
  const tasks = [...slot.slotTasks.tasks, ...slot.slotTasks.resting].filter(({ key }) => holdsKey(shard, key));
  const shown = slot.slotTasks.resting.length === 0 ? {} : await store.latest(shard, signal);
  const hpas = new Map(tasks.map(({ key, entry }) => [key, rosterHpaOf(entry)]));
  const isKnown = before.roster !== undefined && message.slot - before.roster.at < restMs;
  const roster = await writer.putRoster(shard, hpas, isKnown ? before.roster?.hash : undefined, signal);
  const rosterRef =
    isKnown && before.roster?.hash === roster.hash ? before.roster : { hash: roster.hash, at: message.slot };
  const samples = samplesOf(slot, { tasks, hpas, shown });
  const gap = gapBefore(message, before);
  const isRested = message.slot - Math.max(...before.last.map((one) => one.slot)) >= restMs;
  const mustWrite = before.last.length !== 1 || gap !== undefined || isRested;
  const hash = await writer.putMinute(
    shard,
    {
      ...{ slot: message.slot, roster: roster.hash, previous: before.last, ...(gap !== undefined && { gap }) },
      columns: columnsOf(roster.keys.map((key) => samples.get(key) ?? null)),
      known: mustWrite ? undefined : before.hash,
    },
    signal,
  );
  const isSame = !mustWrite && hash === before.hash;
  const last = isSame ? before.last : [{ from: shard.from, slot: message.slot }];
  const next: HistoryRecord = { last, hash, roster: rosterRef, packed: before.packed, seen };
  if (!isPackingMinute(shard, message.slot)) return next;
  return { ...next, packed: await packBlocks({ writer, reporter }, { shard, message, record: next }, signal) };
}

interface Sampled {
  readonly tasks: readonly HpaTask[];
  readonly hpas: ReadonlyMap<HpaKey, RosterHpa>;
  readonly shown: Latest;
}

function samplesOf(
  { results, states, now }: SlotHistory,
  { tasks, hpas, shown }: Sampled,
): ReadonlyMap<HpaKey, HistorySample> {
  const resultOf = new Map(results.map((result) => [result.key, result]));
  return new Map(
    tasks.flatMap(({ key, entry, state }) => {
      const result = resultOf.get(key);
      const stored = Object.hasOwn(states, key) ? states[key] : state;
      if (hpas.get(key)?.off === true || result?.recorded === false) return [];
      const values = result?.latest ?? (stored && withLatest(stored, result === undefined ? shown[key] : undefined));
      return values === undefined ? [] : [[key, sampleOf(values, entry, now)] as const];
    }),
  );
}

/** Whole minutes without a slot, or with failed writes. */
function gapBefore({ slot, until }: SlotMessage, { last, lost, seen }: HistoryRecord): EpochMs | undefined {
  if (last.length === 0) return undefined;
  const unknownFrom = periodStart(seen + Math.max(minuteMs, until - slot), minuteMs);
  if (lost !== undefined) return Math.min(unknownFrom, lost, slot);
  return unknownFrom < periodStart(slot, minuteMs) ? unknownFrom : undefined;
}
