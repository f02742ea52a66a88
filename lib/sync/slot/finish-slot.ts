import type { SlotMessage } from "../../model/messages";
import type { Store } from "../../model/ports/store";
import type { EpochMs } from "../../k8s/time";
import type { Shard } from "../../model/stored/shard";
import type { SyncContext, SyncPorts } from "../ports";
import { shownFailing } from "./count-failing";

/** How far the sender's clock may be ahead. */
const skewMs = 60_000;

export interface ClockFailure {
  readonly reason: "ClockAhead" | "ClockWentBack";
  /** Constant, so that it is reported once. */
  readonly failure: string;
}

/** One of two clocks is wrong. Slots only grow: finishing this one would skip all before it. */
export function comesTooEarly({ slot }: SlotMessage, now: EpochMs): boolean {
  return slot - now > skewMs;
}

export const clockAhead: ClockFailure = {
  reason: "ClockAhead",
  failure: "dropped a message for a slot that is more than a minute ahead of the clock",
};

/** The clock went back: nothing is synced until it catches up. */
export function clockWentBack(shard: Shard, { slot, until }: SlotMessage, now: EpochMs): ClockFailure | undefined {
  if (shard.slot - now <= until - slot) return undefined;
  const failure = `the last finished slot is ${instant(shard.slot)}, ahead of the clock; waiting for the clock to catch up`;
  return { reason: "ClockWentBack", failure };
}

function instant(at: EpochMs): string {
  return new Date(at).toISOString();
}

const tries = 3;

/**
 * Applies `next` again after a harmless change.
 *
 * @returns undefined: another run finished the slot or a newer one, or the range changed
 */
export async function finishSlot(
  store: Store,
  loaded: Shard,
  next: (current: Shard) => Shard,
  { message, signal }: { readonly message: SlotMessage; readonly signal: AbortSignal },
): Promise<Shard | undefined> {
  let current = loaded;
  for (let attempt = 1; attempt <= tries; attempt++) {
    const after = next(current);
    if (await store.replaceShard(current, after, signal)) return after;
    const found = await store.shard(message, signal);
    if (found === undefined || found.slot >= message.slot || !covers(loaded, found)) return undefined;
    current = found;
  }
  return undefined;
}

function covers(loaded: Shard, found: Shard): boolean {
  return loaded.to === null || (found.to !== null && found.to <= loaded.to);
}

export interface SlotRun {
  readonly message: SlotMessage;
  readonly now: EpochMs;
  readonly context: SyncContext;
}

/** `failure` undefined removes the last one. */
export function withFailure({ failure: _, ...shard }: Shard, failure: string | undefined): Shard {
  return { ...shard, version: shard.version + 1, ...(failure === undefined ? {} : { failure }) };
}

interface FailedSlot extends SlotRun {
  readonly failure: string;
  readonly failing: number | undefined;
  /** A deleted cluster is no failure: nothing is reported. */
  readonly isDeleted: boolean;
}

/** The heartbeat stays: nothing was observed. */
export async function failShard(
  { store, reporter }: SyncPorts,
  shard: Shard,
  { message, now, context, failure, failing, isDeleted }: FailedSlot,
): Promise<boolean> {
  const next = ({ failing: _, ...current }: Shard) => ({
    ...withFailure(current, failure),
    ...shownFailing(failing),
    slot: message.slot,
  });
  const finished = (await finishSlot(store, shard, next, { message, signal: context.signal })) !== undefined;
  if (finished && shard.failure !== failure && !isDeleted) {
    reporter.failed({ cluster: shard.cluster, reason: "InvalidCluster", message: failure, at: now });
  }
  return finished;
}

/** Reports once: the shard remembers the failure. */
export async function reportClock(
  { store, reporter }: SyncPorts,
  shard: Shard,
  { reason, failure }: ClockFailure,
  { now, signal }: SyncContext,
): Promise<void> {
  if (shard.failure === failure || !(await store.replaceShard(shard, withFailure(shard, failure), signal))) return;
  const at = now();
  const message = `${failure} (it is ${new Date(at).toISOString()})`;
  reporter.failed({ cluster: shard.cluster, reason, message, at });
}
