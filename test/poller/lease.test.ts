import { claimLease, endLease, renewLease, skewMs, spendingIn, addSpending } from "../../lib/poller/lease";
import type { PollerLease } from "../../lib/model/stored/idle";
import { asHpaKey } from "../../lib/model/hpa-key";
import { memoryStore } from "../fakes/memory-store";

const start = Date.parse("2026-11-01T12:00:00Z");
const minuteMs = 60_000;
const { signal } = new AbortController();
const none = { month: "2026-11", spent: 0 };

function setUp() {
  const store = memoryStore();
  const clock = { now: start };
  const poller = (id: string, minute = 0) => ({ id, minute: start + minute * minuteMs });
  const claim = (id: string, minute = 0) =>
    claimLease(store, poller(id, minute), { now: () => clock.now, until: clock.now + 61_000, signal });
  const lease = () => store.leases.get("LEASE");
  const renew = (held: PollerLease | undefined) =>
    renewLease(store, held as PollerLease, { until: clock.now + 2_000, spending: none, signal });
  return { store, clock, poller, claim, lease, renew };
}

test("the first poller takes the lease, and one that comes twice or late finds it taken", async () => {
  const { claim, lease } = setUp();
  expect(await claim("a", 1)).toMatchObject({ kind: "held", lease: { holder: "a", until: start + 61_000 } });
  expect(await claim("twice", 1)).toEqual({ kind: "taken" });
  expect(await claim("late", 0)).toEqual({ kind: "taken" });
  expect(lease()?.holder).toBe("a");
});

test("of two that come at the same moment, one takes it", async () => {
  const { claim } = setUp();
  const claims = await Promise.all(["a", "b", "c"].map((id) => claim(id)));
  expect(claims.map(({ kind }) => kind).sort()).toEqual(["held", "taken", "taken"]);
});

test("the next minute's poller waits for the end, and begins then and no sooner", async () => {
  const { claim, clock, lease } = setUp();
  await claim("a", 0);
  clock.now += 60_000;
  expect(await claim("b", 1)).toEqual({ kind: "next", at: start + 61_000 });
  expect(await claim("twice", 1)).toEqual({ kind: "taken" });
  clock.now += 999;
  expect(await claim("b", 1)).toMatchObject({ kind: "next" });
  clock.now += 1;
  expect(await claim("b", 1)).toMatchObject({ kind: "held" });
  expect(lease()).toMatchObject({ holder: "b", minute: start + minuteMs, until: clock.now + 61_000 });
  expect(lease()).not.toHaveProperty("next");
});

test("a holder renews while nobody waits, and no longer", async () => {
  const { claim, clock, lease, renew } = setUp();
  await claim("a", 0);
  clock.now += 60_500;
  const renewed = await renew(lease());
  expect(renewed).toMatchObject({ holder: "a", until: clock.now + 2_000 });
  await claim("b", 1);
  const told = await renew(renewed);
  expect(told).toMatchObject({ holder: "a", until: start + 62_500, next: { holder: "b" } });
  expect(await renew(told)).toMatchObject({ until: start + 62_500 });
});

test("a holder that was paused beyond its lease finds that it is another's", async () => {
  const { claim, clock, lease, renew } = setUp();
  await claim("a", 0);
  const held = lease();
  clock.now += 10 * minuteMs;
  expect(await claim("b", 10)).toMatchObject({ kind: "held" });
  expect(await renew(held)).toBeUndefined();
  expect(lease()?.holder).toBe("b");
});

test("a renewal and a claim at the same moment: one of the two changes the lease", async () => {
  const { claim, clock, lease, renew } = setUp();
  await claim("a", 0);
  clock.now += 60_500;
  const [renewed, claimed] = await Promise.all([renew(lease()), claim("b", 1)]);
  expect(claimed).toEqual({ kind: "next", at: lease()?.until });
  expect(renewed?.until).toBe(lease()?.until);
});

test("after a crash the next one takes the lease at its end; a newer one takes the place of one that waited", async () => {
  const { claim, clock } = setUp();
  await claim("a", 0);
  clock.now += 60_000;
  await claim("crashed", 1);
  clock.now += 500;
  expect(await claim("b", 2)).toMatchObject({ kind: "next" });
  expect(await claim("crashed", 1)).toEqual({ kind: "taken" });
  clock.now += 500;
  expect(await claim("b", 2)).toMatchObject({ kind: "held" });
});

test.each(["answerLost", "unanswered"] as const)(
  "a take that landed, though its answer is %s, counts",
  async (kind) => {
    const { claim, store } = setUp();
    store.mishaps.nextWrite(kind);
    const first = await claim("a").catch((error: unknown) => error);
    if (kind === "unanswered") expect(first).toMatchObject({ kind: "lost" });
    expect(await claim("a")).toMatchObject({ kind: "held", lease: { holder: "a" } });
  },
);

test("a lease from a clock that was hours ahead holds up nobody", async () => {
  const { claim, clock } = setUp();
  clock.now += 3_600_000;
  await claim("ahead", 0);
  clock.now = start + minuteMs;
  expect(await claim("b", 1)).toMatchObject({ kind: "held" });
});

describe("ending", () => {
  test("frees the lease and adds what was spent", async () => {
    const { claim, clock, store, poller, lease } = setUp();
    await claim("a", 0);
    clock.now += 5_000;
    await endLease(store, poller("a"), {
      now: clock.now,
      spent: { month: "2026-11", spent: 0.25 },
      unread: () => undefined,
      waits: undefined,
      signal,
    });
    expect(lease()).toMatchObject({ until: clock.now, spending: { month: "2026-11", spent: 0.25 } });
    expect(await claim("b", 0)).toMatchObject({ kind: "held", lease: { spending: { spent: 0.25 } } });
  });

  test("of one whose time was over takes nothing from the next one", async () => {
    const { claim, clock, store, poller, lease } = setUp();
    await claim("a", 0);
    clock.now += 62_000;
    await claim("b", 1);
    const until = lease()?.until;
    await endLease(store, poller("a"), {
      now: clock.now,
      spent: { month: "2026-11", spent: 0.25 },
      unread: () => undefined,
      waits: undefined,
      signal,
    });
    expect(lease()).toMatchObject({ holder: "b", until, spending: { spent: 0.25 } });
  });

  test("while the next one waits leaves it its place", async () => {
    const { claim, clock, store, poller } = setUp();
    await claim("a", 0);
    clock.now += 60_000;
    await claim("b", 1);
    await endLease(store, poller("a"), {
      now: clock.now,
      spent: none,
      unread: () => undefined,
      waits: undefined,
      signal,
    });
    expect(await claim("twice", 1)).toMatchObject({ kind: "held" });
    expect(await claim("b", 1)).toEqual({ kind: "taken" });
  });
});

test("spending is of a month, and the first poller of a month begins at nothing", () => {
  const november = { month: "2026-11", spent: 19, slowed: true } as const;
  expect(spendingIn(Date.parse("2026-11-30T23:59:59Z"), november)).toBe(november);
  expect(spendingIn(Date.parse("2026-12-01T00:00:00Z"), november)).toEqual({ month: "2026-12", spent: 0 });
  expect(addSpending(november, { month: "2026-12", spent: 1 })).toEqual({ month: "2026-12", spent: 1 });
  expect(addSpending({ month: "2026-12", spent: 1 }, november)).toEqual({ month: "2026-12", spent: 1 });
  expect(addSpending(november, { month: "2026-11", spent: 1 })).toEqual({ ...november, spent: 20 });
});

test("the clocks of two pollers may differ by more than 100 ms", () => {
  expect(skewMs).toBeGreaterThanOrEqual(2 * 100);
});

test("what a poller could not read stays for the next one, which says whose role it is", async () => {
  const { store, clock, poller, lease } = setUp();
  const query = { id: "h", cluster: "prod", hpa: asHpaKey("shop/a"), metric: "sqs", error: "denied" };
  const unread = { queries: [{ ...query, since: start, readings: 61 }] };
  const claim = (id: string, minute: number, role: string) =>
    claimLease(store, { ...poller(id, minute), role }, { now: () => clock.now, until: clock.now + 61_000, signal });
  await claim("a", 0, "arn:a");
  const ending = { spent: none, unread: () => unread, waits: undefined, signal };
  expect(await endLease(store, poller("a"), { now: clock.now, ...ending })).toEqual({
    before: undefined,
    after: unread,
  });
  expect(lease()).toMatchObject({ holder: "a", role: "arn:a", unread });
  clock.now += 60_000;
  await claim("b", 1, "arn:b");
  expect(lease()).toMatchObject({ holder: "b", role: "arn:b", unread });
  // The poller before ends late: the one that has the lease keeps it.
  await endLease(store, poller("a"), { now: clock.now, ...ending, unread: () => undefined, waits: undefined });
  expect(lease()).toMatchObject({ holder: "b", role: "arn:b", until: clock.now + 61_000 });
  expect(lease()).not.toHaveProperty("unread");
});

test("a poller's waits go to the next one, and a late end does not take them back", async () => {
  const { store, clock, poller, lease, claim, renew } = setUp();
  const waits = { zeros: { h: { until: start + 70_000, waitMs: 20_000 } } };
  const ending = (left: typeof waits | undefined) => ({
    ...{ now: clock.now, spent: none, unread: () => undefined, waits: left, signal },
  });
  await claim("a", 0);
  await endLease(store, poller("a"), ending(waits));
  expect(lease()).toMatchObject({ holder: "a", waits });
  clock.now += 60_000;
  expect(await claim("b", 1)).toMatchObject({ kind: "held", lease: { holder: "b", waits } });
  expect(await renew(lease())).toMatchObject({ waits });
  await endLease(store, poller("a"), ending(undefined));
  expect(lease()).toMatchObject({ holder: "b", waits });
  await endLease(store, poller("b"), ending(undefined));
  expect(lease()).not.toHaveProperty("waits");
});
