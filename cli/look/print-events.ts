import { escapeLine } from "../../lib/k8s/escape-terminal";
import { sinceText } from "../../lib/k8s/human-duration";
import type { Found } from "../../lib/read/found";
import { collect } from "../shell/input/document-options";
import { failure } from "../shell/failure";
import { resourceOf } from "../shell/input/parse-targets";

/** core/v1, with times in epoch ms. */
export interface PrintedEvent {
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly count: number;
  readonly firstTimestamp?: number;
  readonly lastTimestamp?: number;
  /** source.component, by default "horizontal-pod-autoscaler". */
  readonly source?: string;
}

const EVENT_SOURCE = "horizontal-pod-autoscaler";

interface ListedEvent extends PrintedEvent {
  readonly object: string;
  readonly name: string;
}

export const eventColumns: readonly string[] = ["LAST SEEN", "TYPE", "REASON", "OBJECT", "MESSAGE"];

export const wideEventColumns: readonly string[] = [
  ...eventColumns.slice(0, -1),
  "SUBOBJECT",
  "SOURCE",
  "MESSAGE",
  "FIRST SEEN",
  "COUNT",
  "NAME",
];

/** In the order of eventColumns. Upstream: printEvent, pkg/printers/internalversion/printers.go. */
export function eventRow(event: ListedEvent, now: number): readonly string[] {
  const { firstTimestamp, lastTimestamp = firstTimestamp, type, reason, object, message } = event;
  return [sinceText(lastTimestamp, now), type, reason, object, message.trim()];
}

export function wideEventRow(event: ListedEvent, now: number): readonly string[] {
  const { firstTimestamp, source = EVENT_SOURCE, count, name } = event;
  const [lastSeen = "", type = "", reason = "", object = "", message = ""] = eventRow(event, now);
  const first = sinceText(firstTimestamp, now);
  return [lastSeen, type, reason, object, "", source, message, first, String(Math.max(count, 1)), name];
}

/**
 * For `kubectl events`, in the order of eventColumns. Upstream: printOneEvent, kubectl pkg/cmd/events/event_printer.go.
 */
export function eventHistoryRow(event: PrintedEvent & Pick<ListedEvent, "object">, now: number): readonly string[] {
  return [ageOfEvent(event, now), event.type, event.reason, event.object, event.message.trim()];
}

/**
 * For `kubectl describe`, with tabs between the cells, the last seen event last. Upstream: DescribeEvents, kubectl
 * pkg/describe/describe.go.
 */
export function describeEvents(events: readonly PrintedEvent[], now: number): string[] {
  if (events.length === 0) return ["Events:\t<none>"];
  return [
    "Events:",
    "  Type\tReason\tAge\tFrom\tMessage",
    "  ----\t------\t----\t----\t-------",
    ...events
      .toSorted((a, b) => (a.lastTimestamp ?? 0) - (b.lastTimestamp ?? 0))
      .map((event) => {
        const { type, reason, source = EVENT_SOURCE, message } = event;
        // A line break would begin a line that looks like another event.
        return `  ${[type, reason, ageOfEvent(event, now), source, message.trim()].map(escapeLine).join("\t")}`;
      }),
  ];
}

function ageOfEvent({ count, firstTimestamp, lastTimestamp }: PrintedEvent, now: number): string {
  const first = sinceText(firstTimestamp, now);
  return count > 1 ? `${sinceText(lastTimestamp, now)} (x${count} over ${first})` : first;
}

export interface EventChoice {
  readonly for?: string;
  readonly types?: readonly string[];
}

/** @throws Failure unless --for names an HPA */
export function eventFilter({ for: target, types = [] }: EventChoice): (event: Found) => boolean {
  const name = target === undefined ? "" : hpaOf(target);
  return ({ object }) => {
    const { involvedObject, type = "" } = object as { involvedObject?: { name?: string }; type?: string };
    return (name === "" || involvedObject?.name === name) && (types.length === 0 || types.includes(type));
  };
}

/** As in kubectl, `hpa/` means all. */
function hpaOf(given: string): string {
  const [type = "", name, ...more] = given.split("/");
  if (name === undefined) throw failure("--for must be in resource/name form");
  if (more.length > 0) throw failure("arguments in resource/name form may not have more than one slash");
  if (resourceOf(type.toLowerCase()).name === "hpa") return name;
  throw failure(`--for: expected hpa/<name>, got "${escapeLine(given)}": the table has events of HPAs alone`);
}

/** Repeatable, separated by commas, in any letter case. @throws Failure, in kubectl's words */
export function eventTypes(text: string, previous: readonly string[] = []): readonly string[] {
  const types = collect(text).map((given) => {
    const type = ["Normal", "Warning"].find((known) => known.toLowerCase() === given.toLowerCase());
    if (type === undefined) throw failure(`valid --types are Normal or Warning, got "${escapeLine(given)}"`);
    return type;
  });
  return [...previous, ...types];
}
