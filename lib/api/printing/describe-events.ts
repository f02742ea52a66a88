import { sinceText } from "./human-duration";
import { EVENT_SOURCE, type PrintedEvent } from "./printed-event";

/**
 * The end of `kubectl describe`: lines with their cells separated by tabs, the oldest event first, where what counts is when it was
 * last seen. Upstream: DescribeEvents, kubectl pkg/describe/describe.go.
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
        return `  ${type}\t${reason}\t${ageOfEvent(event, now)}\t${source}\t${message.trim()}`;
      }),
  ];
}

function ageOfEvent({ count, firstTimestamp, lastTimestamp }: PrintedEvent, now: number): string {
  const first = sinceText(firstTimestamp, now);
  return count > 1 ? `${sinceText(lastTimestamp, now)} (x${count} over ${first})` : first;
}
