import { correlate } from "../../lib/sync/events/cached-event-log";
import { emptyLog, type EventGroup, type EventLog } from "../../lib/model/stored/event-log";
import type { HpaEvent } from "../../lib/model/situation";
import { readVectors } from "./vectors";
import { expectToBe, expectToEqual } from "../expect-often";

/** One occurrence, in ms after `start`, and what upstream's correlator made of it. See test/vectors/README.md. */
interface Step extends HpaEvent {
  readonly at: number;
  /** Absent: dropped as spam. */
  readonly recorded?: { message: string; count: number; name: string; first: number; patched?: boolean };
  /** What is left of its group's messages where upstream took one out. */
  readonly left?: readonly string[];
}

const start = Date.parse("2026-03-01T12:00:00Z");
const sequences = readVectors<{ id: string; steps: readonly Step[] }>("events");

test("the recorded sequences are all there", () => {
  expect(sequences).toHaveLength(200);
  const steps = sequences.flatMap((sequence) => sequence.steps);
  expect(steps.filter(({ recorded }) => recorded === undefined).length).toBeGreaterThan(1_000);
  expect(steps.filter(({ left }) => left !== undefined).length).toBeGreaterThan(1_000);
});

test.each(sequences)("sequence $id", ({ steps }) => {
  let log = emptyLog;
  for (const { at, type, reason, message, recorded, left } of steps) {
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
    log = left === undefined ? correlated.log : withMessages(correlated.log, { type, reason }, left);
  }
});

/** Upstream takes any message out of a full group; to follow it, what it took is taken here, too. */
function withMessages(log: EventLog, { type, reason }: Pick<HpaEvent, "type" | "reason">, messages: readonly string[]) {
  const isIt = (group: EventGroup) => group.type === type && group.reason === reason;
  expectToBe(log.groups.find(isIt)?.messages.length, messages.length);
  return { ...log, groups: log.groups.map((group) => (isIt(group) ? { ...group, messages } : group)) };
}
