import type { EpochMs } from "../../k8s/time";
import type { ShardRange } from "../../model/stored/shard";
import type { EventRecorder } from "./event-recorder";

import type { ShardContents } from "../../model/ports/store";
import type { SlotMessage } from "../../model/messages";
import type { HpaResult } from "../hpa/hpa-result";
import type { SyncContext } from "../ports";

export interface EmittingSync {
  readonly range: ShardRange;
  readonly contents: Pick<ShardContents, "cluster" | "hpas" | "states">;
  readonly message: Pick<SlotMessage, "until">;
  readonly at: EpochMs;
  readonly context: SyncContext;
}

export function emitEvents(
  events: EventRecorder,
  results: readonly HpaResult[],
  { range, contents, message, at, context }: EmittingSync,
): Promise<void> {
  // A deleted HPA emits nothing, even if it could not be forgotten.
  const present = new Set(contents.hpas.map(({ key }) => key));
  const hpas = results
    .filter(({ key }) => present.has(key))
    .map(({ key, events, target }) => ({ key, events, target, isNew: !Object.hasOwn(contents.states, key) }));
  const end = Math.min(message.until, context.deadline);
  const entry = "value" in contents.cluster ? contents.cluster.value : undefined;
  return events.record({ entry, range, at, hpas }, { inTime: () => context.now() < end, signal: context.signal });
}

/** Another run that finishes the slot finds these events in the state, and does not repeat them. */
export function isEmittedAnyway({ recorded, news, events }: HpaResult): boolean {
  return recorded && (news !== undefined || events.some(({ type }) => type === "Normal"));
}
