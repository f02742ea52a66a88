import { type Account, moveIn, openAccount, openEvents } from "../../simulate/services/account";
import { openCloudWatchModel } from "../../simulate/services/cloudwatch";
import { openTableModel } from "../../simulate/services/dynamodb";
import { openEnvironments } from "../../simulate/services/environments";
import { openEventSource } from "../../simulate/services/event-source";
import { openClock, type WorldClock } from "../faults/world/clock";

const minute = 60_000;

test("a reservation is the function's alone, and all that it has", () => {
  const account = openAccount(10, { tick: 2 });
  const taken = (name: string, times: number) =>
    Array.from({ length: times }, () => account.take(name)).filter(Boolean);
  expect([taken("tick", 3).length, taken("neighbour", 12).length, taken("sync", 1).length]).toEqual([2, 8, 0]);
  expect(account.refused).toEqual({ tick: 1, neighbour: 4, sync: 1 });
  account.give("neighbour");
  expect([account.take("tick"), account.take("sync")]).toEqual([false, true]);
});

describe("an event that Lambda cannot hand over", () => {
  async function handedOver(freeAtMs: number) {
    const clock = openClock(0);
    const account = openAccount(1);
    account.take("neighbour");
    clock.after(freeAtMs, undefined, () => account.give("neighbour"));
    const events = openEvents({ clock, account, name: "tick", maximumAgeMs: 2 * minute });
    let at: number | undefined;
    events.begin(() => Promise.resolve(void (at = clock.now)));
    await clock.runUntil(10 * minute);
    return { at, ...events.figures };
  }

  test("is tried again after 1, 2, 4, … seconds", async () => {
    expect(await handedOver(5_000)).toEqual({ at: 7_000, lost: 0, longestWaitMs: 7_000 });
  });

  test("is lost when the next try would be too late", async () => {
    expect(await handedOver(62_000)).toEqual({ at: 63_000, lost: 0, longestWaitMs: 63_000 });
    expect(await handedOver(64_000)).toEqual({ at: undefined, lost: 1, longestWaitMs: 0 });
  });
});

describe("messages whose sync is never started", () => {
  /** Nobody gives an execution back. */
  const full: Account = { take: () => false, give: () => undefined, refused: {} };

  async function after(minutes: number, more: { maxReceives?: number; retentionMs?: number } = {}) {
    const clock = openClock(0);
    const source = sourceIn(clock, full, more);
    for (let at = 0; at < 20; at += 1) source.show({ body: "", receives: 0, sentAt: 0 });
    await clock.runUntil(minutes * minute);
    return source.used;
  }

  function sourceIn(clock: WorldClock, account: Account, more: object) {
    const around = {
      ...{ clock, counts: new Map<string, number>(), pausedUntil: 0, random: () => 0.5 },
      ...{ table: openTableModel({ reads: 1, writes: 1 }), cloudwatch: openCloudWatchModel(1) },
    };
    const environments = openEnvironments(around, { memory: 512, warm: "last", account });
    const settings = { syncMemory: 512, syncConcurrency: 10, syncBatchSize: 4, pollers: "keep", ...more } as const;
    return openEventSource(settings, around, environments, () => Promise.reject(new Error("nothing runs")));
  }

  test("return after the visibility timeout, and expire before they are dead letters", async () => {
    expect(await after(2)).toMatchObject({ received: 20, dead: 0, expired: 0, inFlight: 20, invocations: 0 });
    expect(await after(5)).toMatchObject({ received: 40, dead: 0, expired: 0 });
    expect(await after(60)).toMatchObject({ received: 100, dead: 0, expired: 20, inFlight: 0 });
  });

  test("would be dead letters if they lived for hours, or were received three times", async () => {
    expect(await after(60, { retentionMs: 14_400_000 })).toMatchObject({ dead: 20, expired: 0 });
    expect(await after(60, { maxReceives: 3 })).toMatchObject({ dead: 20, expired: 0 });
  });
});

test("a neighbour takes all that it wants, in its time", async () => {
  const clock = openClock(0);
  const account = openAccount(50);
  moveIn(
    { wants: 60, busyMs: 30_000, everyMs: 60_000, runsMs: 1_000, againMs: 100 },
    { clock, account, random: () => 0.5 },
  );
  const left: number[] = [];
  for (const at of [20_000, 45_000, 80_000])
    clock.after(at, undefined, () => {
      let free = 0;
      while (account.take("probe")) free += 1;
      for (let given = 0; given < free; given += 1) account.give("probe");
      left.push(free);
    });
  await clock.runUntil(2 * minute);
  expect(left).toEqual([0, 50, 0]);
});
