import { asHpaKey } from "../../lib/model/hpa-key";
import { decisionOptions } from "../../lib/model/entry/options";
import type { MetricSources, SourceQuery, SourceReading, ReadContext } from "../../lib/model/ports/sources";
import { openPoll } from "../../lib/poller/poll";
import type { PolledCluster, PolledQuery } from "../../lib/poller/polled-queries";
import { metricValue } from "../sync/sync-fixture";
import { idleHpa } from "./world";

const start = Date.parse("2026-11-10T12:00:00Z");
const { signal } = new AbortController();

function setUp(startedAt = start) {
  const answers = new Map<string, SourceReading | Promise<SourceReading>>();
  const asked: { readonly query: SourceQuery; readonly rotation: ReadContext }[] = [];
  const found: string[][] = [];
  const noted: [string, boolean][] = [];
  const connected: string[] = [];
  const sources: MetricSources = {
    sqs: {
      ...{ isBuiltIn: true, keepMs: () => 0 },
      open: (rotation) => ({
        read: (query) => {
          asked.push({ query, rotation });
          return Promise.resolve(
            answers.get(String(query.parameters["queue"])) ?? { items: [metricValue("depth", 0)] },
          );
        },
      }),
    },
  };
  const clusters = {
    connect: ({ name }: { name: string }) => (connected.push(name), Promise.reject(new Error("none"))),
  };
  const events = {
    now: () => start,
    found: (ids: readonly { key: string }[]) => void found.push(ids.map(({ key }) => key)),
    noted: ({ id }: { id: string }, response: object) => void noted.push([id, "error" in response]),
  };
  const polls = openPoll({ clusters: clusters, sources }, events, startedAt);
  return { answers, asked, found, noted, connected, polls };
}

const cluster = (name = "prod"): PolledCluster => ({
  ...{ name, entry: { name, spec: {} } as never, periodMs: 600_000, options: decisionOptions(undefined) },
});
const prod = cluster();
const query = (queue: string, more: Partial<PolledQuery> & { hpas?: readonly string[] } = {}): PolledQuery => {
  const { hpas = [queue], ...rest } = more;
  return {
    ...{ id: queue, cluster: prod, metricName: "depth", keepMs: 0, price: 0 },
    found: { kind: "source", source: "sqs", parameters: { queue } },
    readers: hpas.map((name) => ({
      id: { cluster: "prod", key: asHpaKey(`shop/${name}`), since: "" },
      idle: idleHpa(name, "", {}),
      index: 0,
    })),
    ...rest,
  };
};
const every = (intervalMs: number, ...queries: readonly PolledQuery[]) => ({
  intervals: new Map(queries.map(({ id }) => [id, intervalMs])),
});
const everySecond = (...queries: readonly PolledQuery[]) => every(1_000, ...queries);
const busy = { items: [metricValue("depth", 7)] };

test("a reading with work names all HPAs of its query; one without names nobody", async () => {
  const { answers, found, polls } = setUp();
  answers.set("x", busy);
  answers.set("broken", { error: "no", from: "sqs" });
  await polls.read([query("x", { hpas: ["a", "b"] }), query("y"), query("broken")], start, signal);
  expect(found).toEqual([["shop/a", "shop/b"]]);
});

const inFlight = { items: [metricValue("depth", 2)], certain: "0" };
/** As a slot says it of a queue whose count may be wrong for a while. */
const counted = (queue: string, hpas = [queue]): PolledQuery => {
  const asking = query(queue, { hpas });
  const readers = asking.readers.map((reader) => ({ ...reader, idle: { ...reader.idle, rules: [{ confirm: 5 }] } }));
  return { ...asking, readers };
};

test("messages in flight alone are found in the second round in a row, and visible ones in the first", async () => {
  const { answers, found, polls } = setUp();
  const round = async (reading: SourceReading, asked = [counted("x", ["a", "b"])]) => {
    answers.set("x", reading);
    found.splice(0);
    await polls.read(asked, start, signal);
    return found.flat();
  };
  const nothing = { items: [metricValue("depth", 0)] };
  expect(await round(inFlight)).toEqual([]);
  expect(await round(nothing)).toEqual([]);
  expect(await round(inFlight)).toEqual([]);
  expect(await round({ error: "throttled", from: "sqs" })).toEqual([]);
  expect(await round(inFlight)).toEqual([]);
  expect(await round(inFlight)).toEqual(["shop/a", "shop/b"]);
  // One of them that the query has only now has seen it once.
  expect(await round(inFlight, [counted("x", ["b", "c"])])).toEqual(["shop/b"]);
  expect(await round({ ...inFlight, certain: "1" }, [counted("x", ["d"])])).toEqual(["shop/d"]);
});

test("where the count is exact, messages in flight are found in the first round", async () => {
  const { answers, found, polls } = setUp();
  answers.set("x", inFlight);
  await polls.read([query("x")], start, signal);
  expect(found).toEqual([["shop/x"]]);
});

test("an HPA whose item makes no sense of a reading holds up no other", async () => {
  const { answers, found, polls } = setUp();
  answers.set("x", busy);
  const asking = query("x", { hpas: ["a", "b"] });
  const [first, ...others] = asking.readers;
  if (first === undefined) throw new Error("expected one");
  const hpa = { ...first.idle.hpa, spec: { ...first.idle.hpa.spec, metrics: [{ type: "External" }] } } as never;
  const readers = [{ ...first, idle: { ...first.idle, hpa } }, ...others];
  await polls.read([{ ...asking, readers }], start, signal);
  expect(found).toEqual([["shop/b"]]);
});

test("a source is asked for the metric, in the name of the first HPA, at the round's moment", async () => {
  const { asked, connected, polls } = setUp();
  await polls.read([query("x"), query("y", { cluster: cluster("test") })], start + 5, signal);
  expect(
    asked.map(({ query: { metricName, requester, parameters } }) => ({ metricName, requester, parameters })),
  ).toEqual([
    { metricName: "depth", requester: "shop/x", parameters: { queue: "x" } },
    { metricName: "depth", requester: "shop/y", parameters: { queue: "y" } },
  ]);
  expect(asked.map(({ rotation }) => [rotation.now, rotation.cluster.name])).toEqual([
    [start + 5, "prod"],
    [start + 5, "test"],
  ]);
  await expect(asked[1]?.rotation.cluster.api()).rejects.toThrow("none");
  expect(connected).toEqual(["test"]);
});

test("a query that is under way is not due, and is again when it has its answer", async () => {
  const { answers, polls } = setUp();
  let answer = (_reading: SourceReading) => {};
  answers.set("x", new Promise((resolve) => (answer = resolve)));
  const [x, y] = [query("x"), query("y")];
  const reading = polls.read([x], start, signal);
  expect(polls.due([x, y], everySecond(x, y), start + 1_000)).toEqual([y]);
  answer(busy);
  await reading;
  expect(polls.due([x, y], everySecond(x, y), start + 2_000)).toEqual([x, y]);
});

test("a kept reading is due in each window once, and not in the slot's own", () => {
  const { polls } = setUp();
  const kept = query("x", { keepMs: 60_000 });
  const due = (seconds: number) => polls.due([kept], everySecond(kept), start + seconds * 1_000).length;
  expect([0, 59, 60, 61, 119, 120, 600, 659, 660].map(due)).toEqual([0, 0, 1, 0, 0, 1, 0, 0, 1]);
});

test("each answer and each failure is noted, but not what the end of the invocation cuts off", async () => {
  const { answers, noted, polls } = setUp();
  answers.set("denied", { error: "access denied" });
  await polls.read([query("orders"), query("denied")], start, signal);
  expect(noted).toEqual([
    ["orders", false],
    ["denied", true],
  ]);
  const ending = new AbortController();
  const cutOff = new Promise<SourceReading>((resolve) => {
    ending.signal.addEventListener("abort", () => resolve({ error: "the sync's time was up" }));
  });
  answers.set("slow", cutOff);
  const reading = polls.read([query("slow")], start + 1_000, ending.signal).catch(() => undefined);
  ending.abort(new Error("the poller's lease is over"));
  await cutOff;
  await reading;
  expect(noted).toHaveLength(2);
});

describe("queries that the budget slows down", () => {
  const ten = Array.from({ length: 10 }, (_, index) => query(`queue-${index}`));

  test("are spread over the polls, and each is read as often as its share pays for", () => {
    const { polls } = setUp();
    const counts = new Map<string, number>();
    const inRounds = Array.from({ length: 60 }, (_, round) => {
      // Rounds begin a little late.
      const due = polls.due(ten, every(5_000, ...ten), start + round * 1_003);
      for (const { id } of due) counts.set(id, (counts.get(id) ?? 0) + 1);
      return due.length;
    });
    expect([...counts.values()].every((count) => count === 12 || count === 13)).toBe(true);
    expect(Math.max(...inRounds)).toBeLessThan(6);
  });

  test("a query without a share is not read, and one beside it is read in every poll", () => {
    const { polls } = setUp();
    const [first, second] = [query("x"), query("y")];
    for (let round = 0; round < 5; round++)
      expect(polls.due([first, second], everySecond(second), start + round * 1_000)).toEqual([second]);
  });

  test("after a pause, one reading is made up for, not all of them", () => {
    const { polls } = setUp();
    const [x] = [query("x")];
    const due = (seconds: number) => polls.due([x], every(5_000, x), start + seconds * 1_000).length;
    for (let second = 0; second < 10; second++) due(second);
    expect([due(200), due(201), due(202), due(203)].reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(2);
  });

  test("of queries that are read every ten minutes, one in ten is read by a poller of a minute, and each by some", () => {
    const many = Array.from({ length: 200 }, (_, index) => query(`queue-${index}`));
    const read = new Map<string, number>();
    for (let minute = 0; minute < 30; minute++) {
      const { polls } = setUp(start + minute * 60_000);
      for (let round = 0; round < 60; round++)
        for (const { id } of polls.due(many, every(600_000, ...many), start + minute * 60_000 + round * 1_000))
          read.set(id, (read.get(id) ?? 0) + 1);
    }
    expect(read.size).toBe(200);
    expect(Math.min(...read.values())).toBeGreaterThanOrEqual(2);
    expect(Math.max(...read.values())).toBeLessThanOrEqual(4);
  });

  test("readings that are kept for a minute and slowed down to four: the first round of every fourth minute", () => {
    const { polls } = setUp();
    const kept = query("x", { keepMs: 60_000 });
    const seconds = Array.from({ length: 500 }, (_, second) => second);
    const due = seconds.filter((second) => polls.due([kept], every(240_000, kept), start + second * 1_000).length > 0);
    expect(due).toHaveLength(2);
    expect(due.every((second) => second % 60 === 0)).toBe(true);
  });
});
