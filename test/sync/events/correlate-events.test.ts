import fc from "fast-check";
import { correlate } from "../../../lib/sync/events/cached-event-log";
import { emptyLog, shownEvents, type EventLog } from "../../../lib/model/stored/event-log";
import type { HpaEvent } from "../../../lib/model/situation";
import type { EpochMs } from "../../../lib/k8s/time";

const start = Date.parse("2026-03-01T12:00:00Z");
const after = (seconds: number): EpochMs => start + seconds * 1000;

/** Occurrences of a warning, `seconds` after the start; the log after them, and what each was recorded as. */
function occur(
  occurrences: readonly { seconds: number; message?: string; type?: HpaEvent["type"]; reason?: string }[],
) {
  let log: EventLog = emptyLog;
  const recorded = occurrences.map(({ seconds, message = "m", type = "Warning", reason = "Bad" }, index) => {
    const step = correlate(log, { type, reason, message, name: `worker.${index}` }, after(seconds));
    log = step.log;
    return step.recorded;
  });
  return { log, recorded };
}

const each = (count: number, every: number) =>
  Array.from({ length: count }, (_, index) => ({ seconds: index * every }));

test("identical events become one with a count, the first name, and the first and last time", () => {
  const { recorded } = occur([{ seconds: 0 }, { seconds: 15 }, { seconds: 30 }]);
  expect(recorded.map((event) => event?.count)).toEqual([1, 2, 3]);
  expect(recorded[2]).toEqual({
    type: "Warning",
    reason: "Bad",
    message: "m",
    name: "worker.0",
    count: 3,
    firstTimestamp: after(0),
    lastTimestamp: after(30),
  });
});

test("after 25 at once, one event in five minutes is recorded, and its count includes the dropped ones", () => {
  // Every 15 s: the bucket gains 1 token for each 20 that are spent of its 25. The 27th event finds 0.3 of a token.
  const counts = occur(each(100, 15)).recorded.map((event) => event?.count);
  const through = counts.filter((count) => count !== undefined);
  expect(through).toEqual([...Array.from({ length: 26 }, (_, index) => index + 1), 41, 61, 81]);
});

test("Normal and Warning events have a budget each", () => {
  const warnings = each(30, 0);
  const { recorded } = occur([...warnings, { seconds: 1, type: "Normal" }]);
  expect(recorded.filter((event) => event !== undefined)).toHaveLength(26);
  expect(recorded.at(-1)?.count).toBe(1);
});

test("from the tenth message of a reason within ten minutes, messages are combined", () => {
  const messages = Array.from({ length: 12 }, (_, index) => ({ seconds: index * 15, message: `size ${index}` }));
  const { recorded, log } = occur(messages);
  expect(recorded.slice(8).map((event) => [event?.message, event?.count, event?.name])).toEqual([
    ["size 8", 1, "worker.8"],
    ["(combined from similar events): size 9", 1, "worker.9"],
    ["(combined from similar events): size 10", 2, "worker.9"],
    ["(combined from similar events): size 11", 3, "worker.9"],
  ]);
  expect(shownEvents(log, after(200))).toHaveLength(10);
});

test("a combined event shows the last recorded message, not a dropped one", () => {
  const messages = Array.from({ length: 30 }, (_, index) => ({ seconds: 0, message: `size ${index}` }));
  const { log } = occur(messages);
  expect(shownEvents(log, after(1)).at(-1)).toMatchObject({
    message: "(combined from similar events): size 24",
    count: 16,
  });
});

test("more than ten minutes without events of a reason end the combining", () => {
  const nine = Array.from({ length: 9 }, (_, index) => ({ seconds: 0, message: `size ${index}` }));
  expect(occur([...nine, { seconds: 600, message: "x" }]).recorded.at(-1)?.message).toBe(
    "(combined from similar events): x",
  );
  expect(occur([...nine, { seconds: 600.001, message: "x" }]).recorded.at(-1)?.message).toBe("x");
});

test("messages of another reason, or of another type, are not combined with them", () => {
  const nine = Array.from({ length: 9 }, (_, index) => ({ seconds: 0, message: `size ${index}` }));
  expect(occur([...nine, { seconds: 1, message: "x", reason: "Other" }]).recorded.at(-1)?.message).toBe("x");
  expect(occur([...nine, { seconds: 1, message: "x", type: "Normal" }]).recorded.at(-1)?.message).toBe("x");
});

test("a combined event takes one message out of its group, so the same message again is an event of its own", () => {
  const ten = Array.from({ length: 10 }, (_, index) => ({ seconds: 0, message: `size ${index}` }));
  const { recorded } = occur([...ten, { seconds: 1, message: "size 9" }, { seconds: 2, message: "size 10" }]);
  expect(recorded.slice(-2).map((event) => [event?.message, event?.count])).toEqual([
    ["size 9", 1],
    ["(combined from similar events): size 10", 2],
  ]);
});

test("what comes alone after a combined event has a count and a name of its own", () => {
  const twelve = Array.from({ length: 12 }, (_, index) => ({ seconds: 0, message: `size ${index}` }));
  expect(occur([...twelve, { seconds: 700, message: "x" }]).recorded.at(-1)).toMatchObject({
    ...{ message: "x", count: 1, name: "worker.12" },
  });
});

test("an event is forgotten with its count after two hours", () => {
  expect(occur([{ seconds: 0 }, { seconds: 7_499.999 }]).recorded.at(-1)?.count).toBe(2);
  expect(occur([{ seconds: 0 }, { seconds: 7_500 }]).recorded.at(-1)?.count).toBe(1);
});

test("a long message is cut to an event's limit, between characters", () => {
  const [event] = occur([{ seconds: 0, message: "é".repeat(2_000) }]).recorded;
  expect(event?.message).toBe(`${"é".repeat(510)}…`);
  expect(occur([{ seconds: 0, message: "x".repeat(1_024) }]).recorded[0]?.message).toBe("x".repeat(1_024));
});

test("a log stays small after any sequence of events", () => {
  const occurrence = fc.record({
    seconds: fc.integer({ min: 0, max: 7_000 }),
    message: fc.integer({ min: 0, max: 400 }).map((n) => `${n} ${"€".repeat(1_000)}`),
    reason: fc.integer({ min: 0, max: 40 }).map((n) => `Reason${n}`),
    type: fc.constantFrom("Normal" as const, "Warning" as const),
  });
  fc.assert(
    fc.property(fc.array(occurrence, { minLength: 200, maxLength: 400 }), (occurrences) => {
      const { log } = occur([...occurrences].sort((a, b) => a.seconds - b.seconds));
      expect(Buffer.byteLength(JSON.stringify(log))).toBeLessThan(200_000);
    }),
    { numRuns: 20 },
  );
});
