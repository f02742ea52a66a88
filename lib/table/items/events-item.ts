import { forgottenAfterMs } from "../../model/event-log";
import type { EventEntry, EventGroup, EventLog, RecordedEvent, TokenBucket } from "../../model/event-log";
import { fromItem, type Item, toItem } from "./attributes";
import { type Check, count, fields, flag, listOf, membersOf, text, that, wholeNumber } from "./checks";
import { eventsKey, expiresAtAttribute } from "./keys";

/** The events of one HPA as they stand in the table. */
export interface StoredEvents {
  /** Grows with each write; every write is conditional on the version it was computed from. 0: nothing stands. */
  readonly version: number;
  readonly log: EventLog;
}

/** An EVENTS# item's data, or why it cannot be read. */
export type DecodedEvents = { readonly value: StoredEvents } | { readonly broken: string };

/** The events of one HPA as they are shown. */
export interface HpaEvents {
  /** "namespace/name" */
  readonly key: string;
  /** Those of the last hour, by the moment of their last occurrence, latest last. */
  readonly events: readonly RecordedEvent[];
  /** Why the item cannot be read; then there are no events. */
  readonly broken?: string;
}

/** Whatever is in a log is without effect once its last event is that old, so its expiry decides nothing. */
export function encodeEvents(cluster: string, key: string, { version, log }: StoredEvents): Item {
  const lastSeen = Math.max(0, ...log.entries.map(({ seenAt }) => seenAt));
  const expiresAt = Math.ceil((lastSeen + forgottenAfterMs) / 1000);
  return toItem({ ...eventsKey(cluster, key), version, ...log, [expiresAtAttribute]: expiresAt });
}

export function decodeEvents(item: Item): DecodedEvents {
  const attributes = fromItem(item);
  const broken = eventsForm(attributes, "");
  if (broken !== undefined) return { broken };
  const { version, entries, groups, buckets } = attributes as unknown as EventLog & Pick<StoredEvents, "version">;
  return { value: { version, log: { entries, groups, buckets } } };
}

const type = that("Normal or Warning", (value) => value === "Normal" || value === "Warning");

const entry = membersOf<EventEntry>(
  { type, reason: text, message: text, name: text, firstTimestamp: wholeNumber, count, seenAt: wholeNumber },
  { combined: flag, recorded: fields({ count, at: wholeNumber }) },
);

const group = membersOf<EventGroup>({ type, reason: text, messages: listOf(text), at: wholeNumber }, {});

const bucket = membersOf<TokenBucket>(
  { tokens: that("a number", (value) => typeof value === "number"), at: wholeNumber },
  {},
);

const eventsForm: Check = fields({
  version: count,
  entries: listOf(entry),
  groups: listOf(group),
  buckets: membersOf<EventLog["buckets"]>({}, { Normal: bucket, Warning: bucket }),
});
