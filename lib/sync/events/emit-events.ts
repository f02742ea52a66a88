import type { EpochMs } from "../../k8s/time";
import type { ShardRange } from "../../model/state";
import type { EventRecorder } from "./event-recorder";

import type { ShardContents } from "../../model/ports";
import type { SlotMessage } from "../../model/messages";
import type { HpaResult, SyncContext } from "../turn/turn";

/** What the results emit came of: the sync of this range, from these contents. */
export interface EmittingSync {
  readonly range: ShardRange;
  readonly contents: Pick<ShardContents, "cluster" | "hpas" | "states">;
  readonly message: Pick<SlotMessage, "until">;
  readonly at: EpochMs;
  readonly context: SyncContext;
}

/** Has the events of a sync kept, in what is left of its time, once all else is done. */
export function emitEvents(
  events: EventRecorder,
  results: readonly HpaResult[],
  { range, contents, message, at, context }: EmittingSync,
): Promise<void> {
  // The failure to forget an HPA whose entry is gone belongs to nobody.
  const present = new Set(contents.hpas.map(({ key }) => key));
  const hpas = results
    .filter(({ key }) => present.has(key))
    .map(({ key, events, target }) => ({ key, events, target, isNew: !Object.hasOwn(contents.states, key) }));
  const end = Math.min(message.until, context.deadline);
  const entry = "value" in contents.cluster ? contents.cluster.value : undefined;
  return events.record({ entry, range, at, hpas }, { inTime: () => context.now() < end, signal: context.signal });
}

/** What a run has written is known to whoever finishes the slot in its place, and not told again; the rest is the finisher's to emit. */
export function isEmittedAnyway({ recorded, news, events }: HpaResult): boolean {
  return recorded && (news !== undefined || events.some(({ type }) => type === "Normal"));
}
