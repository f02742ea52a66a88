import type { Context, ScheduledEvent } from "aws-lambda";
import { tickHandler } from "../../functions/tick";
import { Fault, isFault } from "../../lib/model/fault";
import type { SlotQueue } from "../../lib/model/ports/slot-queue";
import { isWake, type QueueMessage } from "../../lib/model/messages";
import { openReporter, type Telemetry } from "../../functions/reporter";
import { memoryStore } from "../fakes/memory-store";

const minute = Date.parse("2026-03-01T12:00:00Z");
const context = { awsRequestId: "request-1", getRemainingTimeInMillis: () => 50_000 } as unknown as Context;
const event = (time: unknown) => ({ time }) as ScheduledEvent;

function open(send?: SlotQueue["send"]) {
  const store = memoryStore();
  store.clusterEntries.set("prod", {
    key: "prod",
    value: { name: "prod", spec: { endpoint: "https://prod.example", auth: { type: "token", secret: "ebb/prod" } } },
  });
  const sent: QueueMessage[] = [];
  const reported: string[] = [];
  const reporter: Telemetry = {
    ...openReporter(),
    started: (id) => reported.push(`started ${id}`),
    ticked: ({ clusters, shards, messages }) => reported.push(`ticked ${clusters} ${shards} ${messages}`),
    invocationFailed: (error) => reported.push(`invocationFailed ${String(error)}`),
    flush: () => reported.push("flush"),
  };
  const queue: SlotQueue = {
    send: send ?? ((messages) => Promise.resolve(void sent.push(...messages.map(({ message }) => message)))),
  };
  return {
    handle: tickHandler({ ports: { store, queue, reporter }, reporter, now: () => minute + 20_000 }),
    sent,
    reported,
  };
}

test("a scheduled event sends the slots of the minute after the one it names, however late it is", async () => {
  const { handle, sent, reported } = open();
  const slots = () => sent.splice(0).map((message) => (isWake(message) ? NaN : message.slot - minute));
  await handle(event("2026-03-01T12:00:00Z"), context);
  // The shard is new, so that the tick before has sent it nothing: it also gets what is left of this minute.
  expect(slots()).toEqual([15_000, 30_000, 45_000, 60_000, 75_000, 90_000, 105_000]);
  await handle(event("2026-03-01T12:00:00Z"), context);
  expect(slots()).toEqual([60_000, 75_000, 90_000, 105_000]);
  expect(reported.filter((line) => line.startsWith("ticked"))).toEqual(["ticked 1 1 7", "ticked 1 1 4"]);
});

test.each([[undefined], ["soon"], [17]])("an event of the time %j fails, naming the field", async (time) => {
  const { handle, sent, reported } = open();
  const failed: unknown = await Promise.resolve(handle(event(time), context)).catch((error: unknown) => error);
  expect(isFault(failed, "badEntry")).toBe(true);
  expect(reported[1]).toContain("event, field time: expected an instant, got");
  expect(sent).toEqual([]);
});

test("a queue that does not take the messages fails the invocation, so that the platform runs it again", async () => {
  const { handle, reported } = open(() => Promise.reject(new Fault("throttled", "slot queue: throttled")));
  await expect(handle(event("2026-03-01T12:00:00Z"), context)).rejects.toThrow("slot queue: throttled");
  expect(reported).toEqual(["started request-1", "invocationFailed Fault: slot queue: throttled", "flush"]);
});
