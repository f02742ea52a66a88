import type { EpochMs } from "../../k8s/time";
import type { SlotMessage } from "../../model/messages";
import type { ShardContents } from "../../model/ports/store";
import type { SyncCounts } from "../../model/report";
import type { Shard } from "../../model/stored/shard";
import { sizeOf } from "../../model/size";
import { mostItemBytes } from "../../model/stored/fit-to-item";
import { emitEvents, isEmittedAnyway } from "../events/emit-events";
import { countFailing, countUnsynced, reportLasting, shownFailing } from "./count-failing";
import { countsOf, countRun, describeBroken, reportNews } from "./report-run";
import {
  clockAhead,
  clockWentBack,
  comesTooEarly,
  finishSlot,
  failShard,
  reportClock,
  type SlotRun,
  withFailure,
} from "./finish-slot";
import { runTasks } from "./run-tasks";
import { workOfSlot } from "../history/count-work";
import { writeHistory } from "../history/write-history";
import { withWork } from "../../model/stored/counters";
import { writeIdleIndex } from "./write-idle-index";
import { finishedRecord, type WrittenIndex } from "../../model/stored/queue-index";
import { writeQueueIndex } from "../wake/write-queue-index";
import { writeLatestValues, observedInSlot } from "./write-latest-values";
import { holdsKey } from "../../model/stored/last-observed";
import { nextConfirmed, unconfirmedStates } from "./confirmed";
import { recordChange } from "./record-change";
import { trackStates, type TrackedStates } from "./shard-cache";
import { knownSources } from "../../readings/read-sources";
import { deletedFrom, isUnfinished, tasksOf, type SlotTasks } from "./slot-tasks";
import { idleAfter, type IdleHpas } from "./idle-hpas";
import type { HpaResult } from "../hpa/hpa-result";
import type { SyncContext, SyncPorts } from "../ports";

/**
 * Messages come late and twice: the conditional write at the end finishes a slot once.
 *
 * @throws Fault of the table: the message should be delivered again. Other failures show on their HPAs.
 */
export async function syncShard(ports: SyncPorts, message: SlotMessage, context: SyncContext): Promise<SyncCounts> {
  const startedAt = context.now();
  const workedBefore = context.workedMs();
  const counted = countRun(ports.reporter, message, { startedAt, now: context.now });

  if (startedAt >= message.until) return counted("late");
  const shard = await ports.store.shard(message, context.signal);
  if (shard === undefined) return counted("gone");
  if (message.slot <= shard.slot) {
    const wentBack = clockWentBack(shard, message, startedAt);
    if (wentBack !== undefined) await reportClock(ports, shard, wentBack, context);
    return counted("done");
  }
  if (comesTooEarly(message, startedAt)) {
    await reportClock(ports, shard, clockAhead, context);
    return counted("early");
  }

  // Our clock may be behind the sender's.
  const now = Math.max(startedAt, message.slot);
  const known = ports.shardCache?.take(shard, message);
  const contents = await ports.store.load(shard, context.signal, known?.hpas);
  if ("invalid" in contents.cluster) {
    const failing = ports.failing && countUnsynced({ shard, limits: ports.failing, ...message }, contents.hpas.length);
    const { invalid: failure, missing } = contents.cluster;
    // The cluster was deleted with all entries. The next tick deletes the shard.
    const isDeleted = missing === true && contents.hpas.length === 0;
    const finished = await failShard(ports, shard, { message, now, context, failure, failing, isDeleted });
    return counted(finished ? "synced" : "fenced", { hpas: contents.hpas.length, failed: contents.hpas.length });
  }

  const tracked = trackStates(ports.store, contents.states);
  const isUnconfirmed = known === undefined ? unconfirmedStates(shard, contents.states) : () => false;
  const slotTasks = tasksOf(contents, shard, { message, isUnconfirmed });
  const shown = await writeQueueIndex(ports, { shard, contents, message, context });
  const { results, queries, requests } = await runTasks({ ...ports, store: tracked.store }, contents, {
    entry: contents.cluster.value,
    message,
    now,
    context,
    tasks: slotTasks.tasks,
    deleted: deletedFrom(contents),
    writerId: () => ({ slot: message.slot }),
    isOver: (current) => current === undefined || current.slot >= message.slot,
  });
  const loadedAt = known?.loadedAt ?? message.slot;
  const lagMs = startedAt - message.slot;
  const ran = { results, queries, requests, lagMs, workedBefore, loadedAt };
  const synced = { shard, contents, slotTasks, shown, tracked, ...ran };
  const finished = await finish(ports, synced, { message, now, context });
  const counts = counted(finished ? "synced" : "fenced", countsOf(results));
  const emitting = finished ? results : results.filter(isEmittedAnyway);
  await emitEvents(ports.events, emitting, { range: shard, contents, message, at: now, context });
  return counts;
}

interface Synced {
  readonly shard: Shard;
  readonly contents: ShardContents;
  readonly slotTasks: SlotTasks;
  readonly shown: WrittenIndex;
  readonly results: readonly HpaResult[];
  readonly queries: number;
  readonly requests: ReadonlyMap<string, number>;
  readonly lagMs: number;
  readonly workedBefore: number;
  readonly tracked: TrackedStates;
  readonly loadedAt: EpochMs;
}

async function finish(
  ports: SyncPorts,
  { shard, contents, slotTasks, shown, results, queries, requests, lagMs, workedBefore, tracked, loadedAt }: Synced,
  { message, now, context }: SlotRun,
): Promise<boolean> {
  const { store, reporter, shardCache } = ports;
  const { cluster } = message;
  const news = { knownLagging: shard.behind, at: now };
  // Recorded states show the next run their news in any case: report these now, the rest on finishing.
  reportNews(reporter, cluster, { ...news, results: results.filter(({ recorded }) => recorded) });
  const broken = describeBroken(contents);
  const entries = contents.hpas.filter(({ key }) => holdsKey(shard, key)).length;
  const states = tracked.states();
  const hasDeleted = deletedFrom(contents).length > 0;
  const [latest, idle, history] = await Promise.all([
    writeLatestValues({ store, reporter }, { shard, results, slotTasks, message, now, context }),
    writeIdleIndex(
      { store, reporter },
      { shard, ...idleNow(ports, contents, { slotTasks, results, now, message }), message, context },
    ),
    writeHistory(ports, { shard, results, slotTasks, hasDeleted, states, message, now, context }),
  ]);
  const workedMs = Math.min(context.workedMs() - workedBefore, message.until - message.slot);
  const failing =
    ports.failing && countFailing({ ...contents, ...message, shard, limits: ports.failing, now }, slotTasks, results);
  const outcome = {
    ...{ slot: message.slot, until: message.until, states },
    hasWritten: tracked.hasWritten() || isUnfinished(shard, message),
    isSure: results.every(({ recorded }) => recorded),
    unsure: tracked.unsure(),
  };
  const restingAtZero = slotTasks.resting.filter(({ state }) => state?.status.currentReplicas === 0).length;
  const periodMs = message.until - message.slot;
  const ranMs = context.now() - message.slot - lagMs;
  const work = history && workOfSlot({ results, requests, lagMs, ranMs, periodMs, restingAtZero });
  const nextWith = (current: Shard, named = results): Shard => ({
    ...withoutOptional(withFailure(current, broken)),
    ...(latest === undefined ? {} : { latest }),
    ...(idle === undefined ? {} : { idle }),
    ...(work && { history, counters: withWork(current.counters, work) }),
    ...observedInSlot(current, { message, now }, { ...slotTasks, results: named }),
    entries: contents.hpas.filter(({ key }) => holdsKey(current, key)).length,
    workedMs: meanOf(current.workedMs ?? 0, workedMs),
    queries: wantedOf(current.queries ?? 0, queries),
    ...shownFailing(failing?.count),
    ...finishedRecord(shard, current, shown),
    confirmed: nextConfirmed(current, outcome),
  });
  // Deleted HPAs have nothing to observe, and may not fill the item.
  const living = new Set(slotTasks.tasks.map(({ key }) => key));
  const bytes = sizeOf(nextWith(shard));
  const named = bytes > mostItemBytes ? results.filter(({ key }) => living.has(key)) : results;
  const next = (current: Shard) => nextWith(current, named);
  const itemBytes = named.length < results.length ? sizeOf(next(shard)) : bytes;
  if (itemBytes > mostItemBytes)
    return leaveToSplit({ store, reporter }, shard, { entries, itemBytes }, { message, now, context });
  const finished = await finishSlot(store, shard, next, { message, signal: context.signal });
  if (finished === undefined) {
    // Unnamed states are compared, and differ.
    const change = { until: message.until, keys: [], states: {} };
    if (outcome.hasWritten) await recordChange(store, shard, change, context.signal);
    return false;
  }
  if (shardCache !== undefined && outcome.isSure && Object.keys(contents.brokenStates).length === 0) {
    const { hpas, memory } = contents;
    shardCache.keep(finished, message, { hpas: { hpas, states: tracked.asLoaded(), memory }, loadedAt });
  }
  reportNews(reporter, cluster, { ...news, results: results.filter(({ recorded }) => !recorded) });
  if (broken !== undefined && broken !== shard.failure)
    reporter.failed({ cluster, reason: "BrokenState", message: broken, at: now });
  reportLasting(reporter, failing, { cluster, at: now });
  return true;
}

/** The item cannot name all lagging HPAs. The slot stays unfinished: the tick splits by what is recorded here. */
async function leaveToSplit(
  { store, reporter }: Pick<SyncPorts, "store" | "reporter">,
  shard: Shard,
  large: Pick<Shard, "entries"> & { readonly itemBytes: number },
  { now, context }: SlotRun,
): Promise<boolean> {
  const failure = `the shard has ${large.entries} HPAs, too many for one slot; the next tick splits it`;
  if (shard.failure === failure && shard.itemBytes !== undefined) return false;
  const isRecorded = await store.replaceShard(shard, { ...withFailure(shard, failure), ...large }, context.signal);
  if (isRecorded) reporter.failed({ cluster: shard.cluster, reason: "ShardTooLarge", message: failure, at: now });
  return false;
}

/** One slot says little: a starting function works longer, and a paused one seems to. */
function meanOf(before: number, last: number): number {
  return Math.round((3 * before + last) / 4);
}

/** The most of the last slots, slowly falling: not every HPA has queries in each. */
function wantedOf(before: number, last: number): number {
  return Math.max(last, Math.floor((15 * before) / 16));
}

function withoutOptional({
  latest: _,
  idle: __,
  ownPeriods: ___,
  shorterPeriods: ____,
  failing: _____,
  itemBytes: ______,
  history: _______,
  counters: ________,
  ...shard
}: Shard): Shard {
  return shard;
}

function idleNow(
  { poller, sources }: SyncPorts,
  contents: ShardContents,
  { slotTasks, results, now, message }: Pick<Synced, "slotTasks" | "results"> & Pick<SlotRun, "now" | "message">,
): IdleHpas {
  if (poller === undefined) return { idle: {}, unpolled: [] };
  const known = knownSources(contents, sources);
  const periodMs = message.until - message.slot;
  return idleAfter([...slotTasks.tasks, ...slotTasks.resting], results, { settings: poller, known, periodMs, now });
}
