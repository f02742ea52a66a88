import { isFault } from "../../model/fault";
import type { EpochMs } from "../../k8s/time";
import type { Shard } from "../../model/state";
import { defaultSyncPeriodMs, syncPeriodMs } from "../../model/entry/options";
import { planSlots } from "./plan-slots";
import type { TickCounts } from "../../model/report";
import type { Reporter, SlotQueue, Store } from "../../model/ports";
import { reshard } from "./reshard";

const minuteMs = 60_000;

export interface TickPorts {
  readonly store: Store;
  readonly queue: SlotQueue;
  readonly reporter: Reporter;
}

/**
 * Once a minute: sends one message for each shard and each slot of the next minute. A new shard also gets the remaining
 * slots of this one. A tick that runs twice sends the same messages twice, which is harmless: a slot is finished once.
 *
 * A shard whose cluster is not listed gets no message, and stays: a list that misses a cluster for a moment must not
 * cost its recommendation history.
 *
 * @param scheduledAt the scheduled minute, not the moment when the schedule fired.
 * @throws Fault of the table or the queue, so that the platform runs the tick again.
 */
export async function tick(
  ports: TickPorts,
  scheduledAt: EpochMs,
  { now, signal }: { readonly now: () => EpochMs; readonly signal: AbortSignal },
): Promise<TickCounts> {
  const [clusters, found] = await Promise.all([ports.store.clusters(signal), ports.store.shards(signal)]);
  const planned = await Promise.all(
    clusters.map(async (entry) => {
      const own = found.filter((shard) => shard.cluster === entry.key);
      const shards = await shardsOf(ports, entry.key, own, { now, signal });
      const periodMs = "value" in entry ? syncPeriodMs(entry.value.spec.options) : defaultSyncPeriodMs;
      // The previous tick did not know a new shard, so nobody has sent the rest of this minute.
      const minutes = (shard: Shard) => (isKnown(shard, own) ? [scheduledAt] : [scheduledAt - minuteMs, scheduledAt]);
      const plan = (shard: Shard) => minutes(shard).flatMap((minute) => planSlots(shard, periodMs, minute, now()));
      return { shards, messages: shards.flatMap(plan) };
    }),
  );
  const messages = planned.flatMap((plan) => plan.messages);
  await ports.queue.send(messages, signal);

  const shards = planned.reduce((sum, plan) => sum + plan.shards.length, 0);
  const counts: TickCounts = { clusters: clusters.length, shards, messages: messages.length };
  ports.reporter.ticked(counts);
  return counts;
}

function isKnown(shard: Shard, found: readonly Shard[]): boolean {
  return found.some(({ from }) => from === shard.from);
}

/**
 * A failure to reshape one cluster's shards must not cost any cluster its slots. The shards that were found still get
 * theirs.
 */
async function shardsOf(
  ports: TickPorts,
  cluster: string,
  found: readonly Shard[],
  { now, signal }: { readonly now: () => EpochMs; readonly signal: AbortSignal },
): Promise<readonly Shard[]> {
  try {
    return await reshard(ports.store, cluster, found, { now, signal });
  } catch (error) {
    if (!isFault(error)) throw error;
    ports.reporter.failed({ cluster, reason: "FailedReshard", message: error.message, at: now() });
    return found;
  }
}
