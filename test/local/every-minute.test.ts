/** @jest-environment node */
import { everyMinute } from "../../local/start";

const at = (time: string) => Date.parse(`2026-03-01T${time}Z`);

beforeEach(() => jest.useFakeTimers({ now: at("12:00:20") }));
afterEach(() => jest.useRealTimers());

test("makes up for the minute under way, then runs at every full minute until it is stopped", async () => {
  const runs: string[] = [];
  const stop = everyMinute((scheduledAt) => {
    runs.push(new Date(scheduledAt).toISOString().slice(11, 19));
    return Promise.resolve();
  });
  await jest.advanceTimersByTimeAsync(0);
  expect(runs).toEqual(["11:59:20", "12:00:20"]); // plan the slots of 12:00 and of 12:01
  await jest.advanceTimersByTimeAsync(100_000);
  expect(runs.slice(2)).toEqual(["12:01:00", "12:02:00"]);
  await stop();
  await jest.advanceTimersByTimeAsync(300_000);
  expect(runs).toHaveLength(4);
});

test("a stop waits for the run under way, and starts no other", async () => {
  const runs: string[] = [];
  let finish = () => {};
  const stop = everyMinute((scheduledAt) => {
    runs.push(new Date(scheduledAt).toISOString().slice(11, 19));
    return new Promise((resolve) => (finish = resolve));
  });
  let hasStopped = false;
  const stopped = stop().then(() => (hasStopped = true));
  await jest.advanceTimersByTimeAsync(300_000);
  expect(hasStopped).toBe(false);
  finish();
  await stopped;
  expect(runs).toEqual(["11:59:20"]);
});

test("a machine that slept through minutes runs within a second of its waking, and is not late by its sleep", async () => {
  const runs: string[] = [];
  const stop = everyMinute((scheduledAt) => {
    runs.push(new Date(scheduledAt).toISOString().slice(11, 19));
    return Promise.resolve();
  });
  await jest.advanceTimersByTimeAsync(0);
  jest.setSystemTime(at("12:30:10")); // its timers have counted nothing
  await jest.advanceTimersByTimeAsync(1_000);
  expect(runs.slice(2)).toEqual(["12:01:00"]);
  await jest.advanceTimersByTimeAsync(49_000);
  expect(runs.slice(3)).toEqual(["12:31:00"]);
  await stop();
});
