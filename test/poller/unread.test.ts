import { asHpaKey } from "../../lib/model/hpa-key";
import type { Unread } from "../../lib/model/stored/idle";
import type { PolledQuery } from "../../lib/poller/polled-queries";
import { openUnread } from "../../lib/poller/unread";
import { minuteMs, start, pollerWorld } from "./world";

/** Queries that no reading of the poller answers: reported once, in the lease item, and forgotten when they answer. */
const unreadIn = (world: ReturnType<typeof pollerWorld>) =>
  (world.lease()?.unread?.queries ?? []).map(({ hpa, error, readings }) => ({ hpa, error, readings }));

/** Each minute starts a poller, which the next one follows. */
function pollFor(world: ReturnType<typeof pollerWorld>, minutes: number): Promise<void> {
  for (let minute = 0; minute < minutes; minute++)
    world.at(minute * minuteMs, () => void world.begin(`w${minute}`, { minute }));
  return world.run((minutes - 1) * minuteMs + 10_000);
}

const denied = "queue orders: access denied, the role needs sqs:GetQueueAttributes";

test("a query that fails in each poll is reported when the invocation ends, and never again while it fails", async () => {
  const world = pollerWorld({ queues: ["orders", "mails"] });
  world.depths.set("orders", denied);
  world.begin("w0", { minute: 0 });
  await world.run(59_000);
  expect(world.failures).toEqual([]);
  for (const minute of [1, 2, 3, 4]) world.at(minute * minuteMs, () => void world.begin(`w${minute}`, { minute }));
  await world.run(4 * minuteMs + 30_000);
  expect(world.failures).toEqual([
    `FailedWatch shop/orders: the zero-scale poller has read depth in none of 61 tries since 2026-11-10T12:00:00Z: ${denied}`,
  ]);
  expect(unreadIn(world)).toEqual([{ hpa: "shop/orders", error: denied, readings: expect.any(Number) as number }]);
  const [query] = world.lease()?.unread?.queries ?? [];
  expect(query).toMatchObject({ cluster: "prod", metric: "depth" });
  expect((query?.since ?? 0) - start).toBeLessThan(1_000);
});

test("when it answers again, that is reported once, and the lease item forgets it", async () => {
  const world = pollerWorld();
  world.depths.set("orders", denied);
  world.at(2 * minuteMs + 30_000, () => world.depths.set("orders", 0));
  await pollFor(world, 5);
  expect([world.failures.length, world.recoveries]).toEqual([1, ["shop/orders"]]);
  expect(world.lease()).not.toHaveProperty("unread");
});

test.each([
  ["that answers once in a minute", 20_000, 20_900],
  ["that answers for most of it", 0, 55_000],
])("a query %s is not reported", async (_name, from, to) => {
  const world = pollerWorld();
  world.depths.set("orders", denied);
  world.at(from, () => world.depths.set("orders", 0));
  world.at(to, () => world.depths.set("orders", denied));
  world.begin("w0", { minute: 0 });
  world.at(minuteMs, () => void world.begin("w1", { minute: 1 }));
  await world.run(70_000);
  expect([world.failures, unreadIn(world)]).toEqual([[], []]);
});

test("a query that is read once a minute is reported after its third reading", async () => {
  const world = pollerWorld({ keepMs: 60_000, periodSeconds: 3_600 });
  world.depths.set("orders", denied);
  await pollFor(world, 3);
  expect(world.failures).toEqual([]);
  const more = [3, 4, 5, 6];
  for (const minute of more) world.at(minute * minuteMs, () => void world.begin(`w${minute}`, { minute }));
  await world.run(6 * minuteMs + 10_000);
  expect(world.failures).toEqual([expect.stringContaining("in none of 3 tries")]);
});

test("an HPA that is up is not asked for any more, so nothing is said of it, until it is at zero again", async () => {
  const world = pollerWorld({ queues: ["orders", "mails"] });
  world.depths.set("orders", denied);
  world.at(minuteMs + 30_000, () => {
    world.setSize("orders", 1);
    world.putShard();
  });
  await pollFor(world, 4);
  expect([world.failures.length, world.recoveries, unreadIn(world)]).toEqual([1, [], []]);
});

test("what a poller that ends in the middle of a reading does not hear counts for nothing", async () => {
  const world = pollerWorld({ latencyMs: () => 5 });
  const process = world.begin("w0", { minute: 0 });
  world.at(1_500, () => process.stop());
  await world.run(5_000);
  expect([process.counts?.outcome, unreadIn(world)]).toEqual(["watched", []]);
});

test("a poller that crashes says nothing; the next one does", async () => {
  const world = pollerWorld();
  world.depths.set("orders", denied);
  const first = world.begin("w0", { minute: 0 });
  world.at(30_000, () => first.crash());
  for (const minute of [1, 2]) world.at(minute * minuteMs, () => void world.begin(`w${minute}`, { minute }));
  await world.run(2 * minuteMs + 10_000);
  expect(world.failures).toHaveLength(1);
});

test("of fifty, ten are named and kept, always the same, and the others are counted once", async () => {
  const queues = Array.from({ length: 50 }, (_, index) => `q${index}`);
  const world = pollerWorld({ queues });
  for (const queue of queues) world.depths.set(queue, `${"x".repeat(100_000)} ${queue}`);
  await pollFor(world, 3);
  const named = world.failures.filter((line) => line.startsWith("FailedWatch shop/"));
  expect([named.length, new Set(named).size]).toEqual([10, 10]);
  expect(world.failures.filter((line) => !named.includes(line))).toEqual([
    "FailedWatch: the zero-scale poller can read 40 more queries in no try either",
  ]);
  expect(Math.max(...named.map((line) => line.length))).toBeLessThan(500);
  expect(JSON.stringify(world.lease()).length).toBeLessThan(6_000);
});

test("a team with 500 queries that nobody can read leaves its neighbour's one among the ten", () => {
  const queryOf = (key: string) => ({
    ...{ id: key, cluster: { name: "prod" }, metricName: "depth" },
    readers: [{ id: { cluster: "prod", key: asHpaKey(key), since: "" } }],
  });
  const crowd = Array.from({ length: 500 }, (_, index) => queryOf(`crowd/h${index}`));
  const all = (queries: readonly object[]) => queries as readonly PolledQuery[];
  const unreadOf = (known: Unread | undefined, queries: readonly PolledQuery[]) => {
    const unread = openUnread();
    for (const query of queries) unread.note(query, { from: "sqs", error: "denied" }, 0);
    return unread.after(known, queries);
  };
  const before = unreadOf(undefined, all(crowd));
  const own = queryOf("shop/web");
  const after = unreadOf(before, all([...crowd, own]));
  expect(after?.queries.map(({ hpa }) => hpa)).toContain("shop/web");
  expect([after?.queries.length, after?.more]).toEqual([10, 491]);
  // Those that are known stay, so that each is reported once.
  const known = new Set(before?.queries.map(({ id }) => id));
  expect(after?.queries.filter(({ id }) => known.has(id))).toHaveLength(9);
  expect(unreadOf(after, all([...crowd, own]))?.queries.map(({ id }) => id)).toEqual(
    after?.queries.map(({ id }) => id),
  );
});
