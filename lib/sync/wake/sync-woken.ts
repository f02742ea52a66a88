import { type HpaKey, hpaKey } from "../../model/hpa-key";
import type { SyncCounts } from "../../model/report";
import { type EpochMs, periodStart } from "../../k8s/time";
import type { Shard } from "../../model/stored/shard";
import { recordChange, forgetHpa } from "../slot/record-change";
import { sleepUntil } from "../../async/within-time";
import { Fault } from "../../model/fault";
import { claimAll, isAhead } from "../slot/claim";
import { emitEvents } from "../events/emit-events";
import { addScalings } from "../history/count-work";
import { countsOf, countRun, reportNews } from "../slot/report-run";
import { syncPeriodMs } from "../../model/entry/options";
import type { ShardContents } from "../../model/ports/store";
import type { SlotMessage, WakeMessage } from "../../model/messages";
import {
  isClassDue,
  periodClass,
  closedSpanObserved,
  holdsKey,
  lastObservedAt,
  type ObservedHpa,
} from "../../model/stored/last-observed";
import { deletedFrom } from "../slot/slot-tasks";
import { runTasks } from "../slot/run-tasks";
import type { HpaTask } from "../hpa/hpa-result";
import type { SyncContext, SyncPorts } from "../ports";
import { wokenRange } from "../../scheduler/plan-wakes";
import { missingQueuesOf } from "./write-queue-index";

/** With less time left, the next slot comes just as soon. */
const leastMs = 500;
/** A timer may fire a moment early. */
const earlyMs = 10;

/**
 * Syncs single HPAs between the slots:
 *
 *     slot 12:00:15           changed 12:00:20.4                 slot 12:00:30
 *     |-- the whole shard --| |-- these HPAs, until 12:00:30 --| |-- the whole shard; writes these states --|
 *
 * For its HPAs, a wake counts as a slot: it overtakes older slots, and newer slots overtake it. docs/protocol.md
 *
 * @returns the counts for each shard of the HPAs
 * @throws Fault of the table: the message should be delivered again
 */
export async function syncWoken(
  ports: SyncPorts,
  message: WakeMessage,
  context: SyncContext,
): Promise<readonly SyncCounts[]> {
  const { cluster, at, until = Infinity } = message;
  const startedAt = context.now();
  if (startedAt >= until)
    return [countRun(ports.reporter, { cluster, slot: at }, { startedAt, now: context.now })("late")];
  const shards = await ports.store.shardsOf(cluster, context.signal);
  const keys = [...new Set(message.names)].map((name) => hpaKey(message.namespace, name));
  const groups = [...shards, undefined].flatMap((shard): WokenGroup[] => {
    const own = keys.filter((key) => shards.find((range) => holdsKey(range, key)) === shard);
    return own.length === 0 ? [] : [{ message, context, shard, keys: own }];
  });
  const ended = await Promise.allSettled(groups.map((group) => syncGroup(ports, group)));
  return ended.flatMap((outcome) => {
    if (outcome.status === "rejected") throw outcome.reason;
    return outcome.value;
  });
}

/** In one namespace and one shard. */
interface WokenGroup {
  readonly message: WakeMessage;
  readonly context: SyncContext;
  /** Undefined: not created yet. */
  readonly shard: Shard | undefined;
  readonly keys: readonly HpaKey[];
}

/** A slot that overtakes the wake does its work, except for resting HPAs: for these, the wake begins again. */
async function syncGroup(ports: SyncPorts, group: WokenGroup): Promise<readonly SyncCounts[]> {
  const { message, context } = group;
  const { cluster, namespace } = message;
  const first = await syncAt(ports, group, message.at);
  if (first.resting.length === 0) return [first.counts];
  await sleepUntil(first.roomAt + earlyMs, context.signal, context.now);
  const shard = group.shard && (await ports.store.shard({ cluster, from: group.shard.from }, context.signal));
  const again = await syncAt(ports, { ...group, shard, keys: first.resting }, context.now());
  const left = again.resting.length;
  if (left === 0) return [first.counts, again.counts];
  const hpas = `${left} HPA${left === 1 ? "" : "s"} of namespace ${namespace}`;
  throw new Fault("conflict", `${hpas} of cluster ${cluster} had no time left in two slots; the wake comes again`);
}

interface WakeAttempt {
  readonly counts: SyncCounts;
  /** The slot that overtook the wake did not sync these. */
  readonly resting: readonly HpaKey[];
  /** When a wake has time again. */
  readonly roomAt: EpochMs;
}

async function syncAt(ports: SyncPorts, group: WokenGroup, wakeAt: EpochMs): Promise<WakeAttempt> {
  const { store, reporter } = ports;
  const { message, context, shard, keys } = group;
  const { cluster } = message;
  const startedAt = context.now();
  // If it were in the future, slots up to then would count as overtaken.
  const at = Math.min(wakeAt, startedAt);
  const counted = countRun(reporter, { cluster, slot: at }, { startedAt, now: context.now });

  const contents = await store.load(wokenRange(message, shard), context.signal);
  const periodMs = periodOf(contents);
  // First, and also if this wake is too late: a slot may have cached the old entry.
  const living = contents.hpas.filter(({ key }) => keys.includes(key) && !Object.hasOwn(contents.brokenStates, key));
  if (shard !== undefined) {
    const until = periodStart(context.now(), periodMs) + periodMs;
    const missing = await missingQueuesOf(
      store,
      shard,
      { ...contents, hpas: living },
      { end: until, signal: context.signal },
    );
    await recordChange(store, shard, { until, keys, states: contents.states, missing }, context.signal);
  }
  await forget(ports, contents, group);
  const ended = (counts: SyncCounts): WakeAttempt => ({ counts, resting: [], roomAt: startedAt });
  if (living.length === 0) return ended(counted("gone"));
  if ("invalid" in contents.cluster) {
    reporter.failed({ cluster, reason: "InvalidCluster", message: contents.cluster.invalid, at: startedAt });
    return ended(counted("synced", { hpas: living.length, failed: living.length }));
  }

  const slotMessage = slotMessageAt(at, group, periodMs);
  const isOver = (found: Shard | undefined) => (found === undefined ? shard !== undefined : found.slot >= at);
  const overtaken = (current: Shard | undefined): WakeAttempt => ({
    counts: counted("overtaken"),
    resting: restingOf(contents, living, { shard: current, slotMessage, periodMs }),
    roomAt: roomFrom(context.now(), periodMs),
  });
  if (isOver(shard) || context.now() > slotMessage.until - leastMs) return overtaken(shard);

  // A slot that finishes after the claim either shows here, or writes these states.
  const claimed = await claimAll(store, living, { contents, slotMessage, signal: context.signal });
  const current = await store.shard(slotMessage, context.signal);
  if (claimed.length === 0) return ended(counted("overtaken"));
  if (isOver(current)) return overtaken(current);

  const now = Math.max(context.now(), at);
  const slot = periodStart(at, periodMs);
  const { results } = await runTasks(ports, contents, {
    entry: contents.cluster.value,
    message: slotMessage,
    now,
    context,
    tasks: claimed.map((task): HpaTask => {
      const { key, state } = task;
      const hpa = { key, periodClass: periodClass(key, state?.syncPeriodSeconds, periodMs) };
      const lastObserved = lastObservedBefore(current, hpa, { now, slot });
      const closed =
        state && closedSpanObserved(state, { ...hpa, shard: current, lastObserved, periodMs, isUnconfirmed: true });
      return {
        ...task,
        ...hpa,
        lastObserved,
        closedSpanObserved: closed,
        mayHaveConcurrentRun: true,
        hasConcurrentReader: false,
      };
    }),
    deleted: [],
    writerId: ({ slot }) => ({ slot, wake: { at, done: true } }),
    isOver,
  });
  const recorded = results.filter((result) => result.recorded);
  reportNews(reporter, cluster, { results: recorded, knownLagging: {}, at: now });
  const counts = counted("synced", countsOf(results));
  await addScalings(ports, { shard: current, results }, context.signal);
  const range = shard ?? { cluster, from: "", to: null };
  await emitEvents(ports.events, results, { range, contents, message: slotMessage, at: now, context });
  return ended(counts);
}

/** HPAs that neither the last slot nor the next one syncs. */
function restingOf(
  { states }: ShardContents,
  hpas: ShardContents["hpas"],
  {
    shard,
    slotMessage,
    periodMs,
  }: { readonly shard: Shard | undefined; readonly slotMessage: SlotMessage; readonly periodMs: number },
): readonly HpaKey[] {
  if (shard === undefined) return [];
  return hpas.flatMap(({ key }) => {
    const state = Object.hasOwn(states, key) ? states[key] : undefined;
    const own = periodClass(key, state?.syncPeriodSeconds, periodMs);
    if (state === undefined || own === undefined || isAhead(state, slotMessage.slot)) return [];
    const isObserved = lastObservedAt(shard, { key, periodClass: own }) >= slotMessage.slot;
    return isObserved || isClassDue(own, { after: shard.slot, until: slotMessage.until }) ? [] : [key];
  });
}

function periodOf({ cluster }: ShardContents): number {
  return syncPeriodMs("value" in cluster ? cluster.value.spec.options : undefined);
}

/** Needs no cluster and no time limit: nothing else may ever clean up. */
async function forget(
  ports: SyncPorts,
  contents: ShardContents,
  { message: { cluster }, shard, keys, context }: WokenGroup,
): Promise<void> {
  // The next slot takes costs away.
  const hasSlots = shard !== undefined && "value" in contents.cluster;
  const deleted = deletedFrom(contents).filter(
    ({ key, deletionCosts }) => keys.includes(key) && !(hasSlots && deletionCosts !== undefined),
  );
  await Promise.all(deleted.map((hpa) => forgetHpa(ports, { cluster, ...hpa }, context.signal)));
}

/** The wake as a slot: it ends with the current one, or after one period without shards. */
function slotMessageAt(at: EpochMs, { message, shard }: WokenGroup, periodMs: number): SlotMessage {
  const until = (shard === undefined ? at : periodStart(at, periodMs)) + periodMs;
  return { cluster: message.cluster, from: shard?.from ?? "", slot: at, until };
}

function roomFrom(now: EpochMs, periodMs: number): EpochMs {
  const end = periodStart(now, periodMs) + periodMs;
  return now > end - leastMs ? end : now;
}

/** The current slot may be about to observe the span: a window may get too long, never too short. */
function lastObservedBefore(
  shard: Shard | undefined,
  hpa: ObservedHpa,
  { now, slot }: { readonly now: EpochMs; readonly slot: EpochMs },
): EpochMs {
  if (shard === undefined) return now;
  const known = lastObservedAt(shard, hpa);
  const { periodClass: own } = hpa;
  const mayBeObserved = shard.slot < slot && (own === undefined || isClassDue(own, { after: shard.slot, until: slot }));
  return mayBeObserved ? Math.max(known, now) : known;
}
