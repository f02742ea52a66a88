import { openCloudWatchModel } from "../../simulate/services/cloudwatch";
import { openEnvironments, type Worker } from "../../simulate/services/environments";
import { type Message, openEventSource } from "../../simulate/services/event-source";
import { openTableModel } from "../../simulate/services/dynamodb";
import { openInstance, type Surroundings } from "../../simulate/services/instance";
import { limits } from "../../simulate/services/limits";
import { play } from "../../simulate/playback/replay";
import { openClock, type WorldClock } from "../faults/world/clock";

const environment = (clock: WorldClock): Surroundings => ({
  ...{ clock, counts: new Map(), pausedUntil: 0, random: () => 0.5 },
  ...{ table: openTableModel({ reads: 1e6, writes: 1e6 }), cloudwatch: openCloudWatchModel(50) },
});

/** Batches of one, each in a function of its own for so long: when each began, in seconds. */
async function begun(messages: number, startsPerTenSeconds: number, runsMs: number) {
  const clock = openClock(0);
  const around = environment(clock);
  const environments = openEnvironments(around, { memory: 1_769, warm: "last", startsPerTenSeconds });
  const at: number[] = [];
  const run = (_worker: Worker, _messages: readonly Message[]) => {
    at.push(clock.now / 1_000);
    return new Promise<ReadonlySet<Message>>((resolve) => clock.after(runsMs, undefined, () => resolve(new Set())));
  };
  const settings = { syncMemory: 1_769, syncConcurrency: 1_000, syncBatchSize: 1, pollers: "all" } as const;
  const source = openEventSource(settings, around, environments, run);
  for (let count = 0; count < messages; count += 1) source.show({ body: "", receives: 0, sentAt: 0 });
  await clock.runUntil(400_000);
  return { at, environments, used: source.used };
}

test("functions start no faster than Lambda allows, and the messages of refused invocations wait", async () => {
  const { at, environments, used } = await begun(30, 10, 60_000);
  // A burst of ten. The others return after the visibility timeout, when ten are warm and ten more may start.
  expect(at.filter((second) => second < 1)).toHaveLength(10);
  expect(at.slice(10).every((second) => second >= 180)).toBe(true);
  expect(at).toHaveLength(30);
  expect(environments.refused).toBe(20);
  expect(used).toMatchObject({ received: 50, inFlight: 0, dead: 0 });
});

test("a warm function needs no start", async () => {
  const { at, environments } = await begun(30, 10, 100);
  expect(at).toHaveLength(30);
  expect(environments.starts).toBeLessThan(30);
});

test("400 functions start at once at AWS's rate", async () => {
  const { environments } = await begun(400, limits.lambda.startsPerTenSeconds, 60_000);
  expect(environments).toMatchObject({ starts: 400, refused: 0, mostStarts: 400 });
});

describe("CloudWatch", () => {
  const answeredOf = (calls: number, datapoints: number, now: number, model: ReturnType<typeof openCloudWatchModel>) =>
    Array.from({ length: calls }, () => model.admit({ metrics: 100, datapoints }, now)).filter(Boolean).length;

  test("answers 50 calls of GetMetricData a second", () => {
    const model = openCloudWatchModel(50);
    expect([0, 500, 1_500, 60_000].map((now) => answeredOf(100, 500, now, model))).toEqual([50, 25, 50, 50]);
    expect(model).toMatchObject({ throttled: 225, used: { calls: 175, metrics: 17_500 }, peaks: { calls: 200 } });
  });

  test("answers 180,000 datapoints a second", () => {
    const model = openCloudWatchModel(50);
    expect(answeredOf(50, 5_000, 0, model)).toBe(36);
  });
});

test("a table that is used up takes no request until it has refilled", () => {
  const table = openTableModel({ reads: 100, writes: 10 }, { reads: 100, writes: 10 });
  const write = (now: number) => table.admit({ reads: 0, writes: 10, partition: "CLUSTER#a" }, now);
  expect([write(0), write(0), write(100), write(1_100)]).toEqual([true, false, true, true]);
  expect(table).toMatchObject({ throttled: 1, used: { writes: 30 }, peaks: { cluster: { writes: 20 } } });
});

test.each([
  { name: "in time", until: 15_000, behind: 0 },
  { name: "cut while it writes what earlier slots left", until: 40, behind: 9 },
])("a slot that is played back $name ends once", async ({ until, behind }) => {
  const clock = openClock(0);
  const instance = openInstance(1_769, environment(clock));
  const read = { operation: "dynamodb Query", latency: "item", cpuMs: 1, units: { reads: 1, writes: 0, partition: "" } } as const; // prettier-ignore
  const shard = { operation: "dynamodb PutItem", latency: "item", cpuMs: 1, units: { reads: 0, writes: 1, partition: "SHARD" } } as const; // prettier-ignore
  const trace = { asks: [read, shard], next: [[], []], stages: [[0], [1]], finish: 1 };
  const seen: unknown[] = [];
  play({
    ...{ trace, instance, clock, until, partition: "CLUSTER#a", isCold: false, isNew: false, owed: 100 },
    metricsRead: () => undefined,
    finish: (left) => void seen.push(left),
    done: (failed) => void seen.push(failed),
  });
  await clock.runUntil(60_000);
  expect(seen).toEqual([behind, false]);
});
