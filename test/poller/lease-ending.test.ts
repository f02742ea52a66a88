import type { Unread } from "../../lib/model/stored/idle";
import { addSpending, claimLease, endLease, renewLease } from "../../lib/poller/lease";
import { memoryStore } from "../fakes/memory-store";

const start = Date.parse("2026-11-01T12:00:00Z");
const { signal } = new AbortController();
const none = { month: "2026-11", spent: 0 };

/** A store whose lease a poller holds. */
async function heldBy(id: string) {
  const store = memoryStore();
  await claimLease(store, { id, minute: start }, { now: () => start, until: start + 61_000, signal });
  return { store, lease: () => store.leases.get("LEASE") };
}

describe("what an ending poller leaves", () => {
  const unreadOf = (id: string) => ({ queries: [{ id }] }) as unknown as Unread;
  const waitsOf = (id: string) => ({ zeros: { [id]: { until: 1, waitMs: 1 } } });
  const end = (store: Parameters<typeof endLease>[0], id: string, more: Partial<Parameters<typeof endLease>[2]> = {}) =>
    endLease(
      store,
      { id, minute: start },
      { now: start, spent: none, unread: () => unreadOf("mine"), waits: waitsOf("mine"), signal, ...more },
    );

  test("is nothing without a lease", async () => {
    expect(await end(memoryStore(), "a")).toBeUndefined();
  });

  test("is what it could not read and what waits; another's waits stay, and what is over goes", async () => {
    const { store, lease } = await heldBy("a");
    expect(await end(store, "a")).toEqual({ before: undefined, after: unreadOf("mine") });
    expect(lease()).toMatchObject({ unread: unreadOf("mine"), waits: waitsOf("mine") });
    await end(store, "late", { unread: (before) => before, waits: waitsOf("late") });
    expect(lease()).toMatchObject({ unread: unreadOf("mine"), waits: waitsOf("mine") });
    const ended = await end(store, "a", { unread: () => undefined, waits: undefined });
    expect(ended).toEqual({ before: unreadOf("mine"), after: undefined });
    expect(lease()).not.toHaveProperty("unread");
    expect(lease()).not.toHaveProperty("waits");
  });

  test("is written over others' writes, four times at most", async () => {
    const { store } = await heldBy("a");
    let tries = 0;
    const contended = (lost: number) => ({
      ...store,
      replacePollerLease: (...write: Parameters<typeof store.replacePollerLease>) =>
        ++tries <= lost ? Promise.resolve(false) : store.replacePollerLease(...write),
    });
    expect(await end(contended(4), "a")).toBeUndefined();
    expect(tries).toBe(4);
    tries = 0;
    expect(await end(contended(3), "a")).toEqual({ before: undefined, after: unreadOf("mine") });
  });
});

test("each write of the lease has a version of its own, and each is newer than the one before", async () => {
  const { store, lease } = await heldBy("a");
  const versions = [lease()?.version ?? 0];
  const seen = () => versions.push(lease()?.version ?? 0);
  const poller = (id: string) => ({ id, minute: start + (id === "b" ? 60_000 : 0) });
  await renewLease(store, lease()!, { until: start + 62_000, spending: none, signal });
  seen();
  await claimLease(store, poller("b"), { now: () => start + 60_000, until: start + 120_000, signal });
  seen();
  await endLease(store, poller("a"), { now: start, spent: none, unread: () => undefined, waits: undefined, signal });
  seen();
  await claimLease(store, poller("b"), { now: () => start + 60_000, until: start + 120_000, signal });
  seen();
  const [first = 0] = versions;
  expect(first).toBeGreaterThan(1_000_000);
  expect(versions).toEqual([0, 1, 2, 3, 4].map((more) => first + more));
});

test("a lease that another poller waits for is not renewed", async () => {
  const { store, lease } = await heldBy("a");
  const poller = { id: "b", minute: start + 60_000 };
  await claimLease(store, poller, { now: () => start + 60_000, until: start + 120_000, signal });
  const awaited = lease()!;
  expect(awaited.next).toBeDefined();
  expect(await renewLease(store, awaited, { until: start + 90_000, spending: none, signal })).toEqual(awaited);
  expect(lease()).toEqual(awaited);
});

test("a month in which somebody was slowed stays one", () => {
  const slowed = { ...none, slowed: true as const };
  expect(addSpending(none, none)).toEqual(none);
  for (const [known, more] of [
    [none, slowed],
    [slowed, none],
  ] as const)
    expect(addSpending(known, more)).toEqual(slowed);
});
