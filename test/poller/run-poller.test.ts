import { interleaved, longestGap, start, pollerWorld } from "./world";

/** One poller, and how the next takes over, in simulated time. */
const seconds = (moments: readonly { readonly at: number }[]) =>
  moments.map(({ at }) => Math.round((at - start) / 1000));

test("reads each queue once a second, and wakes the HPA that has work, and that one alone", async () => {
  const world = pollerWorld({ queues: ["orders", "mails", "broken"] });
  world.depths.set("broken", "throttled");
  world.begin("a", { minute: 0 });
  world.at(10_400, () => world.depths.set("orders", 1));
  await world.run(20_000);
  expect(seconds(world.reads.filter(({ queue }) => queue === "mails"))).toEqual(
    Array.from({ length: 20 }, (_, index) => index),
  );
  expect(world.woken).toEqual([{ at: expect.any(Number) as number, key: "orders", depth: 1 }]);
  expect((world.woken[0]?.at ?? 0) - start).toBeLessThan(11_100);
  expect(world.failures).toEqual([]);
});

test("two HPAs on one queue share its reading, and both are woken", async () => {
  const world = pollerWorld({ queues: ["orders", "mails"] });
  const idle = world.store.idleItems.get("prod ") ?? {};
  const orders = idle["shop/orders"];
  const mails = idle["shop/mails"];
  if (orders === undefined || mails === undefined) throw new Error("expected both");
  world.store.idleItems.set("prod ", { ...idle, "shop/mails": { ...mails, sources: orders.sources } });
  world.depths.set("orders", 3);
  world.begin("a", { minute: 0 });
  await world.run(900);
  expect(world.reads).toHaveLength(1);
  expect(world.woken.map(({ key }) => key).sort()).toEqual(["mails", "orders"]);
});

test("an activation is a metric's own zero", async () => {
  const world = pollerWorld({ activation: "3" });
  world.begin("a", { minute: 0 });
  world.depths.set("orders", 3);
  world.at(5_500, () => world.depths.set("orders", 4));
  await world.run(8_000);
  expect(seconds(world.woken)).toEqual([6]);
});

test("an HPA that its wake took from zero is read until then, and not woken again", async () => {
  const world = pollerWorld({ queues: ["orders", "mails"] });
  world.begin("a", { minute: 0 });
  world.depths.set("orders", 1);
  await world.run(30_000);
  expect(world.woken).toHaveLength(1);
  expect(Math.max(...seconds(world.reads.filter(({ queue }) => queue === "orders")))).toBeLessThanOrEqual(5);
});

test("a zero that a wake does not end is woken after 5, 10, 20 and 40 s, and then each minute", async () => {
  const world = pollerWorld({ onWake: () => undefined });
  world.depths.set("orders", 1);
  world.begin("a", { minute: 0 });
  await world.run(60_000);
  expect(seconds(world.woken)).toEqual([0, 5, 15, 35]);
});

test("the next pollers go on with these waits: a zero that no wake ends is woken once a minute, not four times", async () => {
  const world = pollerWorld({ onWake: () => undefined });
  world.depths.set("orders", 1);
  for (const minute of [0, 1, 2, 3, 4]) world.at(minute * 60_000, () => world.begin(`w${minute}`, { minute }));
  await world.run(5 * 60_000);
  const moments = seconds(world.woken);
  expect(moments.slice(0, 4)).toEqual([0, 5, 15, 35]);
  const gaps = moments.slice(4).map((at, index) => at - (moments[index + 3] ?? 0));
  expect(gaps[0]).toBeGreaterThanOrEqual(40);
  expect(gaps.slice(1).every((gap) => gap >= 60 && gap <= 62)).toBe(true);
  expect(gaps).toHaveLength(4);
});

test("after a poller that crashed, they go on from those of the one before it", async () => {
  const world = pollerWorld({ onWake: () => undefined });
  world.depths.set("orders", 1);
  world.begin("a", { minute: 0 });
  world.at(60_000, () => {
    const crashing = world.begin("b", { minute: 1 });
    world.at(90_000, () => crashing.crash());
  });
  world.at(120_000, () => world.begin("c", { minute: 2 }));
  await world.run(180_000);
  // Once by b, and once by c, which does not know of that.
  expect(seconds(world.woken).filter((at) => at > 35)).toHaveLength(2);
});

test("a table that answers after seconds does not make wakes of one zero come closer", async () => {
  const world = pollerWorld({ onWake: () => undefined, latencyMs: () => 2_500 });
  world.depths.set("orders", 1);
  world.begin("a", { minute: 0 });
  await world.run(60_000);
  const moments = seconds(world.woken);
  expect(moments.length).toBeGreaterThanOrEqual(2);
  expect((moments[1] ?? 0) - (moments[0] ?? 0)).toBeGreaterThanOrEqual(5);
});

test("an HPA that goes to zero is read within five seconds, and at its next zero again", async () => {
  const world = pollerWorld({ queues: ["orders", "mails"] });
  world.setSize("mails", 3);
  world.putShard();
  world.begin("a", { minute: 0 });
  world.at(15_200, () => {
    world.setSize("mails", 0);
    world.putShard();
  });
  world.at(22_000, () => world.depths.set("mails", 1));
  world.at(24_000, () => world.depths.set("mails", 0));
  world.at(30_200, () => {
    world.setSize("mails", 0);
    world.putShard();
  });
  world.at(40_000, () => world.depths.set("mails", 1));
  await world.run(45_000);
  const first = world.reads.find(({ queue }) => queue === "mails");
  expect((first?.at ?? 0) - start).toBeLessThan(20_500);
  expect(world.woken.map(({ key }) => key)).toEqual(["mails", "mails"]);
});

test("it ends when no HPA is left at zero, and leaves the lease to nobody", async () => {
  const world = pollerWorld();
  const process = world.begin("a", { minute: 0 });
  world.at(20_000, () => {
    world.setSize("orders", 1);
    world.putShard();
  });
  await world.run(30_000);
  expect(process.counts).toMatchObject({ outcome: "watched", woken: 0 });
  expect(world.lease()?.until).toBeLessThan(start + 26_000);
  expect(Math.max(...seconds(world.reads))).toBeLessThanOrEqual(25);
});

test("with nothing at zero it takes no lease", async () => {
  const world = pollerWorld();
  world.setSize("orders", 1);
  world.putShard();
  const process = world.begin("a", { minute: 0 });
  await world.run(1_000);
  expect(process.counts).toEqual({ outcome: "nothing", polls: 0, reads: 0, woken: 0 });
  expect([world.lease(), world.reads]).toEqual([undefined, []]);
});

test("the next minute's poller takes over, one second after it came", async () => {
  const world = pollerWorld();
  const first = world.begin("a", { minute: 0 });
  world.at(60_000, () => world.begin("b", { minute: 1 }));
  await world.run(90_000);
  expect(first.counts).toMatchObject({ outcome: "watched", polls: 61, reads: 61, woken: 0 });
  expect(interleaved(world.reads)).toEqual([]);
  expect(longestGap(world.reads, start + 90_000)).toBeLessThanOrEqual(1_400);
  expect(seconds(world.reads.filter(({ by }) => by === "b").slice(0, 1))).toEqual([61]);
});

test("a poller that comes twice in its minute ends", async () => {
  const world = pollerWorld();
  world.begin("a", { minute: 0 });
  const twice = world.begin("twice", { minute: 0 });
  await world.run(5_000);
  expect(twice.counts).toEqual({ outcome: "taken", polls: 0, reads: 0, woken: 0 });
  expect(world.reads.every(({ by }) => by === "a")).toBe(true);
});

test("a poller whose next is late goes on until then", async () => {
  const world = pollerWorld();
  world.begin("a", { minute: 0 });
  world.at(100_000, () => world.begin("b", { minute: 1 }));
  await world.run(120_000);
  expect(interleaved(world.reads)).toEqual([]);
  expect(longestGap(world.reads, start + 120_000)).toBeLessThanOrEqual(1_400);
  const handover = world.reads.find(({ by }) => by === "b");
  expect((handover?.at ?? 0) - start).toBeLessThan(103_200);
});

test("without a next one it ends within its own time", async () => {
  const world = pollerWorld();
  const process = world.begin("a", { minute: 0, limitMs: 100_000 });
  await world.run(120_000);
  expect(process.counts?.outcome).toBe("watched");
  expect(Math.max(...seconds(world.reads))).toBeLessThan(98);
});

test("after a crash, the next minute's poller begins when the lease is over", async () => {
  const world = pollerWorld();
  const first = world.begin("a", { minute: 0 });
  world.at(30_000, () => first.crash());
  world.at(60_000, () => world.begin("b", { minute: 1 }));
  await world.run(90_000);
  const [gap] = world.reads.filter(({ by }) => by === "b");
  expect((gap?.at ?? 0) - start).toBeLessThan(61_200);
  expect(interleaved(world.reads)).toEqual([]);
});

test("a poller that is paused beyond its lease reads no more, and wakes nobody who is up", async () => {
  const world = pollerWorld();
  const first = world.begin("a", { minute: 0 });
  world.at(30_100, () => first.pauseUntil(start + 75_000));
  world.at(60_000, () => world.begin("b", { minute: 1 }));
  await world.run(90_000);
  expect(interleaved(world.reads)).toEqual([]);
  expect(first.counts).toBeDefined();
});

test("a table that fails is reported once, and the readings go on", async () => {
  const world = pollerWorld();
  world.begin("a", { minute: 0 });
  world.at(10_000, () => world.store.broken.set("SHARD prod#", { why: "half" }));
  await world.run(40_000);
  expect(world.failures).toHaveLength(1);
  expect(world.failures[0]).toMatch(/^FailedWatch: SHARD prod#: half/);
  expect(Math.max(...seconds(world.reads))).toBe(39);
});

test("a queue whose reading hangs is asked once, and holds up no other", async () => {
  const world = pollerWorld({ queues: ["orders", "mails"], latencyMs: () => 4_500 });
  world.begin("a", { minute: 0 });
  await world.run(40_000);
  const orders = seconds(world.reads.filter(({ queue }) => queue === "orders"));
  expect(orders.every((at, index) => index === 0 || at - (orders[index - 1] ?? 0) >= 4)).toBe(true);
});

describe("readings that are kept", () => {
  test("for as long as a period are left to the slots", async () => {
    const world = pollerWorld({ keepMs: 60_000 });
    const process = world.begin("a", { minute: 0 });
    await world.run(60_000);
    expect(process.counts?.outcome).toBe("nothing");
  });

  test("are read when the slot's own reading is old enough, and then once for each such time", async () => {
    const world = pollerWorld({ keepMs: 60_000, periodSeconds: 600 });
    world.begin("a", { minute: 0, limitMs: 400_000 });
    await world.run(200_000);
    expect(seconds(world.reads)).toEqual([60, 120, 180]);
  });
});

describe("the budget", () => {
  test("slows it down, and that is reported once, whichever poller it is", async () => {
    const world = pollerWorld({ price: 0.4e-6 * 100, budget: 20 });
    world.begin("a", { minute: 0 });
    world.at(60_000, () => world.begin("b", { minute: 1 }));
    await world.run(119_000);
    const gap = longestGap(world.reads, start + 119_000);
    // November has 20.5 days left: $20 for them is $0.0000113 a second, of which running costs $0.0000033.
    expect(gap).toBeGreaterThan(4_000);
    // The second poller does not know when the first one read last.
    expect(gap).toBeLessThan(2 * 5_500);
    expect(world.reads.length).toBeGreaterThanOrEqual(21);
    expect(world.reads.length).toBeLessThanOrEqual(24);
    expect(world.failures).toHaveLength(1);
    expect(world.failures[0]).toMatch(/^WatchBudget: .* every 5\.\d s, not every second; raise the param watchBudget/);
  });

  test("that pays for nothing ends it, and is reported once", async () => {
    const world = pollerWorld({ price: 0.4e-6 * 1_000, budget: 10 });
    const first = world.begin("a", { minute: 0 });
    world.at(60_000, () => world.begin("b", { minute: 1 }));
    await world.run(70_000);
    expect(first.counts).toMatchObject({ outcome: "overBudget", reads: 0 });
    expect(world.failures).toHaveLength(1);
  });

  test("counts what was read and how long it ran, over all pollers", async () => {
    const world = pollerWorld({ price: 0.001, budget: 1_000_000 });
    world.begin("a", { minute: 0 });
    world.at(60_000, () => world.begin("b", { minute: 1 }));
    const last = { stop: () => undefined as void };
    world.at(110_000, () => Object.assign(last, world.begin("c", { minute: 2 })));
    await world.run(130_000);
    last.stop();
    await world.run(131_000);
    expect(world.lease()?.spending.month).toBe("2026-11");
    const ran = (131 + 2) * 0.25 * 0.0000133334;
    expect(world.lease()?.spending.spent).toBeCloseTo(world.reads.length * 0.001 + ran, 3);
  });
});
