import { correlate } from "../../lib/sync/events/cached-event-log";
import type { HpaEvent } from "../../lib/model/situation";
import { emptyLog, type EventGroup, type EventLog } from "../../lib/model/stored/event-log";
import { expectToBe, expectToEqual } from "../expect-often";
import { readVectors } from "./vectors";

/** One occurrence, in ms after `start`, and what upstream's correlator made of it. See test/vectors/README.md. */
export interface Step extends HpaEvent {
  readonly at: number;
  /** Absent: dropped as spam. */
  readonly recorded?: { message: string; count: number; name: string; first: number; patched?: boolean };
  /** The messages that upstream keeps of a full group. */
  readonly left?: readonly string[];
}

const start = Date.parse("2026-03-01T12:00:00Z");

export const readSequences = () => readVectors<{ id: string; steps: readonly Step[] }>("events");

/** The messages that ours has of a full group: the one seen longest ago comes first. */
interface Messages {
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** Expects our correlator to record what upstream's did. */
export function replay(steps: readonly Step[], onFull: (step: Step, ours: Messages) => void = () => undefined): void {
  let log = emptyLog;
  for (const step of steps) {
    const { at, type, reason, message, recorded, left } = step;
    const now = start + at;
    const name = `worker.${(BigInt(now) * 1_000_000n).toString(16)}`;
    const correlated = correlate(log, { type, reason, message, name }, now);
    expectToEqual(
      correlated.recorded,
      recorded && {
        type,
        reason,
        message: recorded.message,
        name: recorded.name,
        count: recorded.count,
        firstTimestamp: start + recorded.first,
        lastTimestamp: now,
      },
    );
    // Upstream patches what is there already, and creates what is new.
    expectToBe(recorded?.patched ?? false, (correlated.recorded?.count ?? 0) > 1);
    if (left === undefined) log = correlated.log;
    else {
      onFull(step, { before: messagesOf(log, step), after: messagesOf(correlated.log, step) });
      log = withMessages(correlated.log, step, left);
    }
  }
}

const messagesOf = ({ groups }: EventLog, step: Step) => groups.find((group) => isOf(group, step))?.messages ?? [];

const isOf = (group: EventGroup, { type, reason }: Pick<HpaEvent, "type" | "reason">) =>
  group.type === type && group.reason === reason;

/** Upstream takes any message out of a full group; to follow it, what it took is taken here, too. */
function withMessages(log: EventLog, step: Step, messages: readonly string[]): EventLog {
  expectToBe(log.groups.find((group) => isOf(group, step))?.messages.length, messages.length);
  return { ...log, groups: log.groups.map((group) => (isOf(group, step) ? { ...group, messages } : group)) };
}
