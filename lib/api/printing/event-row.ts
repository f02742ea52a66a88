import { sinceText } from "./human-duration";
import { EVENT_SOURCE, type PrintedEvent } from "./printed-event";

/** An event among those of several objects. `object` is "<kind>/<name>" in lower case, `name` the event's own. */
export interface ListedEvent extends PrintedEvent {
  readonly object: string;
  readonly name: string;
}

/** The columns of `kubectl get events`. */
export const eventColumns: readonly string[] = ["LAST SEEN", "TYPE", "REASON", "OBJECT", "MESSAGE"];

/** The columns of `kubectl get events -o wide`. */
export const wideEventColumns: readonly string[] = [
  ...eventColumns.slice(0, -1),
  "SUBOBJECT",
  "SOURCE",
  "MESSAGE",
  "FIRST SEEN",
  "COUNT",
  "NAME",
];

/** The cells of one event, in the order of eventColumns. Upstream: printEvent, pkg/printers/internalversion/printers.go. */
export function eventRow(event: ListedEvent, now: number): readonly string[] {
  const { firstTimestamp, lastTimestamp = firstTimestamp, type, reason, object, message } = event;
  return [sinceText(lastTimestamp, now), type, reason, object, message.trim()];
}

/** The cells of one event, in the order of wideEventColumns. */
export function wideEventRow(event: ListedEvent, now: number): readonly string[] {
  const { firstTimestamp, source = EVENT_SOURCE, count, name } = event;
  const [lastSeen = "", type = "", reason = "", object = "", message = ""] = eventRow(event, now);
  const first = sinceText(firstTimestamp, now);
  return [lastSeen, type, reason, object, "", source, message, first, String(Math.max(count, 1)), name];
}
