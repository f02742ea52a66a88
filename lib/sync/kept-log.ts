import { correlate, type NamedEvent } from "../core/correlate-events";
import { emptyLog, type EventLog, type RecordedEvent } from "../core/event-log";
import type { EpochMs } from "../core/situation";
import type { SeenTarget, StoredEvents } from "./ports";

export interface Occurrence extends NamedEvent {
  readonly at: EpochMs;
}

/** An HPA's events as they stand in the table, and what has occurred since then. */
export interface KeptLog {
  /** Of what stands; 0: nothing does. */
  readonly version: number;
  /** With what has occurred since. */
  readonly log: EventLog;
  /** What the table has not heard of. Most of it was dropped as spam, and waits for what is not. */
  readonly unsaved: readonly Occurrence[];
  /** What the unsaved has changed of what is shown, each event as it is by now. */
  readonly recorded: readonly RecordedEvent[];
  /** Since when there is something to write. */
  readonly dueSince?: EpochMs;
  /** What the HPA scales, as last seen. */
  readonly target?: SeenTarget;
}

/** Two events in 15 s come to 40 in the five minutes that pass until one of them is not dropped. */
const maxUnsaved = 256;

export function keptLog(standing: StoredEvents | undefined): KeptLog {
  return { version: standing?.version ?? 0, log: standing?.log ?? emptyLog, unsaved: [], recorded: [] };
}

export function withOccurrences(kept: KeptLog, occurrences: readonly Occurrence[]): KeptLog {
  return occurrences.reduce(withOccurrence, kept);
}

function withOccurrence(kept: KeptLog, occurrence: Occurrence): KeptLog {
  const { at, ...event } = occurrence;
  const { log, recorded } = correlate(kept.log, event, at);
  const unsaved = [...kept.unsaved, occurrence].slice(-maxUnsaved);
  if (recorded === undefined) return { ...kept, log, unsaved };
  const others = kept.recorded.filter(({ name }) => name !== recorded.name);
  return { ...kept, log, unsaved, recorded: [...others, recorded], dueSince: kept.dueSince ?? at };
}

/** The same occurrences, on what somebody else has written meanwhile. */
export function rebased({ unsaved, target }: KeptLog, standing: StoredEvents | undefined): KeptLog {
  return withOccurrences(withTarget(keptLog(standing), target), unsaved);
}

export function withTarget(kept: KeptLog, target: SeenTarget | undefined): KeptLog {
  return target === undefined ? kept : { ...kept, target };
}
