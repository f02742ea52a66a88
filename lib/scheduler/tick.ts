import type { RunTime } from "../async/run-time";
import { limitConcurrency } from "../async/semaphore";
import { pause } from "../async/within-time";
import { type EpochMs, minuteMs } from "../k8s/time";
import { defaultSyncPeriodMs, syncPeriodMs } from "../model/entry/options";
import { isFault } from "../model/fault";
import type { SlotMessage } from "../model/messages";
import type { SlotQueue } from "../model/ports/slot-queue";
import type { Store } from "../model/ports/store";
import type { Reporter, TickCounts } from "../model/report";
import type { Shard } from "../model/stored/shard";
import { type DelayedWake, planOwnWakes, shareWakes } from "./plan-wakes";
import { reshard } from "./reshard";

export interface TickPorts {
  readonly store: Store;
  readonly queue: SlotQueue;
  readonly reporter: Reporter;
}

/** A split queries all keys of a shard. */
const concurrentReshards = 8;

/**
 * Sends the next minute's slots, then splits and merges shards (a new one also gets the rest of this minute), then
 * sends the wakes of shorter periods. Messages that repeat, or are for a merged shard, are harmless. A shard of an
 * unlisted cluster gets no message, but stays, with its history.
 *
 * @param scheduledAt the minute, not the moment when the schedule fired
 * @throws Fault of the table or the queue, so that the platform runs the tick again
 */
export async function tick(ports: TickPorts, scheduledAt: EpochMs, { now, signal }: RunTime): Promise<TickCounts> {
  const [entries, shards] = await Promise.all([
    retryThrottled(() => ports.store.clusters(signal), signal),
    retryThrottled(() => ports.store.shards(signal), signal),
  ]);
  const plan = ({ shards, periodMs }: PlannedCluster, minutes: readonly EpochMs[]) =>
    shards.flatMap((shard) => minutes.flatMap((minute) => planSlots(shard, periodMs, minute, now())));
  const clusters = entries.map((entry) => ({
    name: entry.key,
    periodMs: "value" in entry ? syncPeriodMs(entry.value.spec.options) : defaultSyncPeriodMs,
    shards: shards.filter(({ cluster }) => cluster === entry.key),
  }));
  const known = clusters.flatMap((cluster) => plan(cluster, [scheduledAt]));
  await ports.queue.send(known, signal);

  const limited = limitConcurrency(concurrentReshards);
  const reshaped = await Promise.all(
    clusters.map(async (cluster) => {
      const after = await limited(() => shardsOf(ports, cluster, { now, signal }));
      return { ...cluster, all: after.length, shards: after.filter((shard) => !isKnown(shard, cluster.shards)) };
    }),
  );
  // The previous tick did not know them: nobody has sent the rest of this minute.
  const added = reshaped.flatMap((cluster) => plan(cluster, [scheduledAt - minuteMs, scheduledAt]));
  await ports.queue.send(added, signal);
  const wakes = ownWakes(ports.reporter, clusters, { scheduledAt, now: now() });
  await ports.queue.send(wakes, signal);

  const counts: TickCounts = {
    clusters: clusters.length,
    shards: reshaped.reduce((sum, { all }) => sum + all, 0),
    messages: known.length + added.length + wakes.length,
    failing: clusters.flatMap((cluster) => cluster.shards).reduce((sum, { failing = 0 }) => sum + failing, 0),
  };
  ports.reporter.ticked(counts);
  return counts;
}

/** SQS takes so many in some seconds. Slots do the rest. */
const mostWakes = 10_000;

/** Last: wakes may cost no shard its slots. */
function ownWakes(
  reporter: Reporter,
  clusters: readonly PlannedCluster[],
  { scheduledAt, now }: { readonly scheduledAt: EpochMs; readonly now: EpochMs },
): readonly DelayedWake[] {
  function* plan() {
    for (const { shards, periodMs } of clusters)
      for (const shard of shards) yield planOwnWakes(shard, periodMs, scheduledAt, now);
  }
  const { wakes, cut } = shareWakes(plan, mostWakes, Math.floor(scheduledAt / minuteMs));
  for (const { cluster, wanted, share } of cut) {
    const message = `HPAs with shorter sync periods: expected at most ${mostWakes} messages a minute for all clusters, got ${wanted} of this one, and its share is ${share}; give the cluster a shorter syncPeriodSeconds, or the HPAs longer periods`;
    reporter.failed({ cluster, reason: "TooManyWakes", message, at: now });
  }
  return wakes;
}

interface PlannedCluster {
  readonly name: string;
  readonly periodMs: number;
  readonly shards: readonly Shard[];
}

function isKnown(shard: Shard, found: readonly Shard[]): boolean {
  return found.some(({ from }) => from === shard.from);
}

/** A failure must cost no cluster its slots: the shards that were found get theirs. */
async function shardsOf(
  ports: TickPorts,
  { name, periodMs, shards }: PlannedCluster,
  { now, signal }: RunTime,
): Promise<readonly Shard[]> {
  try {
    return await reshard(ports.store, name, shards, { periodMs, now, signal });
  } catch (error) {
    if (!isFault(error)) throw error;
    ports.reporter.failed({ cluster: name, reason: "FailedReshard", message: error.message, at: now() });
    return shards;
  }
}

/** 15 s in all. */
const pausesMs: readonly number[] = [250, 1_000, 2_000, 4_000, 8_000];

/** @throws the last failure, and any but "throttled" at once */
export async function retryThrottled<T>(read: () => Promise<T>, signal: AbortSignal, pauses = pausesMs): Promise<T> {
  for (const pauseMs of pauses) {
    try {
      return await read();
    } catch (error) {
      if (!isFault(error, "throttled")) throw error;
      await pause(pauseMs, signal);
    }
  }
  return read();
}

/** SQS's limit. */
const longestDelaySeconds = 900;

interface DelayedMessage {
  readonly message: SlotMessage;
  readonly delaySeconds: number;
}

/**
 * For the minute *after* the scheduled one.
 *
 *     tick of 12:00, fired at 12:00:41          slots of 12:01, period 15 s
 *     |------------------x--------------|-----|-----|-----|-----|
 *                        delays:       19 s  34 s  49 s  64 s
 *
 * However late in its minute the tick fires, messages are in time; a repeated tick plans the same slots.
 *
 * @param periodMs with more than a minute, some minutes have no slot
 */
export function planSlots(shard: Shard, periodMs: number, scheduledAt: EpochMs, now: EpochMs): DelayedMessage[] {
  const start = (Math.floor(scheduledAt / minuteMs) + 1) * minuteMs;
  const messages: DelayedMessage[] = [];
  for (let slot = Math.ceil(start / periodMs) * periodMs; slot < start + minuteMs; slot += periodMs) {
    const until = slot + periodMs;
    // With less than half a slot left, the sync would read nothing before the next one.
    if (now - slot > periodMs / 2) continue;
    const delaySeconds = Math.min(Math.max(Math.ceil((slot - now) / 1000), 0), longestDelaySeconds);
    messages.push({ message: { cluster: shard.cluster, from: shard.from, slot, until }, delaySeconds });
  }
  return messages;
}
