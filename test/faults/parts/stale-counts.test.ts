import { busyHour, idleWeeks } from "../../sync/stale-story";

/** Many hours and weeks of queues whose counts lag and spike as SQS's do (test/fakes/sqs/stale-account.ts). */
const seedsTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

test("in 30 hours, nothing goes to zero with work that was there all the time, and not counted", async () => {
  let zeros = 0;
  for (const seed of seedsTo(30)) {
    const { lost, scaled } = await busyHour({ seed, slots: 240 });
    expect([seed, lost]).toEqual([seed, []]);
    zeros += scaled.filter(({ to }) => to === 0).length;
  }
  expect(zeros).toBeGreaterThan(60);
});

test("beside the poller neither, in 6 hours", async () => {
  let byPoller = 0;
  for (const seed of seedsTo(6)) {
    const { lost, scaled } = await busyHour({ seed, slots: 240, isPolled: true });
    expect([seed, lost]).toEqual([seed, []]);
    byPoller += scaled.filter(({ by, to }) => by === "poller" && to > 0).length;
  }
  expect(byPoller).toBeGreaterThan(10);
});

test("in 24 weeks of idle queues, they are started less than once in a week on average", async () => {
  let [spikes, starts] = [0, 0];
  for (const seed of seedsTo(6)) {
    const week = await idleWeeks({ seed, weeks: 4 });
    spikes += week.spikes.length;
    starts += week.starts.length;
  }
  expect(spikes).toBeGreaterThan(96);
  expect(starts).toBeLessThan(24);
  // Only visible messages start anything: one in two weeks, as assumed.
  expect(starts).toBeGreaterThan(3);
});

test("messages in flight alone start nothing in 6 weeks with 20 spikes each", async () => {
  const staleness = { spikesAWeek: { inFlight: 20, visible: 0 } };
  for (const seed of seedsTo(3)) {
    const { spikes, starts } = await idleWeeks({ seed, weeks: 2, staleness });
    expect(spikes.length).toBeGreaterThan(20);
    expect([seed, starts]).toEqual([seed, []]);
  }
});
