import { Fault } from "../../../lib/model/fault";
import type { WatchLease } from "../../../lib/model/stored/idle";
import { skewMs } from "../../../lib/sync/watch/lease";
import { openSpending } from "../../../lib/sync/watch/spending";
import { openTenure } from "../../../lib/sync/watch/tenure";
import { memoryStore } from "../../fakes/memory-store";

const start = Date.parse("2026-11-10T12:00:00Z");
const { signal } = new AbortController();
const first: WatchLease = {
  ...{ version: 7, holder: "a", minute: start, until: start + 10_000 },
  spending: { month: "2026-11", spent: 5 },
};

function setUp({ latest = start + 60_000, stored = first }: { latest?: number; stored?: WatchLease | null } = {}) {
  const store = memoryStore();
  if (stored !== null) store.leases.set("LEASE", stored);
  const clock = { now: start };
  const now = () => clock.now;
  const failures: unknown[] = [];
  const spending = openSpending({ perSecond: 0, tableRead: 0 }, start, now);
  const tenure = openTenure(store, first, {
    ...{ now, latest, signal, spending },
    failed: (error) => failures.push(error),
  });
  const lease = () => store.leases.get("LEASE");
  return { store, clock, failures, spending, tenure, lease };
}

test("a renewal is due 700 ms before the end, and is for two seconds", async () => {
  const { clock, tenure, lease } = setUp();
  expect(tenure.nextAt()).toBe(start + 9_300);
  clock.now = start + 9_299;
  expect(tenure.renewIfDue()).toBeUndefined();
  clock.now += 1;
  await tenure.renewIfDue();
  expect(lease()).toMatchObject({ version: 8, holder: "a", until: start + 12_000 });
  expect(tenure.nextAt()).toBe(start + 11_300);
  expect(tenure.renewIfDue()).toBeUndefined();
});

test("while a renewal is under way, none begins beside it, and only the end is to come", async () => {
  const { clock, tenure, lease } = setUp();
  clock.now = start + 9_300;
  const renewal = tenure.renewIfDue();
  expect(tenure.renewIfDue()).toBeUndefined();
  expect(tenure.nextAt()).toBe(start + 10_000 - skewMs);
  await renewal;
  expect(lease()?.version).toBe(8);
});

test("it may read until the skew before its end, and goes on once its renewal is there", async () => {
  const { clock, tenure } = setUp();
  clock.now = start + 10_000 - skewMs - 1;
  expect(tenure.mayRead()).toBe(true);
  const renewal = tenure.renewIfDue();
  clock.now += 1;
  expect(tenure.mayRead()).toBe(false);
  expect(await tenure.goesOn()).toBe(true);
  await renewal;
});

test("nothing is renewed beyond the last moment", async () => {
  const { clock, tenure, lease } = setUp({ latest: start + 11_000 });
  clock.now = start + 9_300;
  await tenure.renewIfDue();
  expect(lease()?.until).toBe(start + 11_000);
  clock.now = start + 10_999;
  expect(tenure.renewIfDue()).toBeUndefined();
  expect(tenure.nextAt()).toBe(start + 11_000 - skewMs);
  expect(lease()?.version).toBe(8);
});

test("a lease that ends at the last moment needs no renewal", () => {
  const { clock, tenure } = setUp({ latest: first.until });
  clock.now = start + 9_999;
  expect(tenure.renewIfDue()).toBeUndefined();
  expect(tenure.nextAt()).toBe(first.until - skewMs);
});

test("one that waits for the end ends the renewals", async () => {
  const next = { holder: "b", minute: start + 60_000 };
  const { clock, tenure, lease } = setUp({ stored: { ...first, version: 8, next } });
  clock.now = start + 9_300;
  await tenure.renewIfDue();
  expect(lease()).toMatchObject({ version: 8, until: first.until });
  clock.now = start + 9_700;
  expect(tenure.renewIfDue()).toBeUndefined();
  expect(tenure.nextAt()).toBe(first.until - skewMs);
  expect(tenure.mayRead()).toBe(true);
});

test.each<[string, WatchLease | null]>([
  ["another's", { ...first, version: 9, holder: "b" }],
  ["gone", null],
])("a holder whose lease is %s reads no more, and asks for nothing", async (_name, stored) => {
  const { clock, tenure, lease, failures } = setUp({ stored });
  clock.now = start + 9_300;
  await tenure.renewIfDue();
  expect(tenure.mayRead()).toBe(false);
  expect(await tenure.goesOn()).toBe(false);
  expect(tenure.renewIfDue()).toBeUndefined();
  expect(tenure.nextAt()).toBe(-skewMs);
  expect([lease() ?? null, failures]).toEqual([stored, []]);
  expect(tenure.spendingNow()).toEqual(first.spending);
});

test("a renewal that fails is tried again after 250 ms", async () => {
  const { store, clock, tenure, failures, lease } = setUp();
  store.mishaps.nextWrite("requestLost");
  clock.now = start + 9_300;
  await tenure.renewIfDue();
  expect(failures).toEqual([expect.any(Fault)]);
  expect(tenure.nextAt()).toBe(start + 9_550);
  clock.now = start + 9_549;
  expect(tenure.renewIfDue()).toBeUndefined();
  clock.now += 1;
  await tenure.renewIfDue();
  expect(lease()?.until).toBe(start + 12_000);
});

test("what was spent is in the lease once, and counts on", async () => {
  const { clock, spending, tenure, lease } = setUp();
  spending.add(3);
  expect(tenure.spendingNow().spent).toBe(8);
  clock.now = start + 9_300;
  await tenure.renewIfDue();
  expect(lease()?.spending.spent).toBe(8);
  spending.add(1);
  expect(tenure.spendingNow().spent).toBe(9);
});

test("what a renewal did not write is not counted as written", async () => {
  const { clock, spending, tenure } = setUp({ stored: { ...first, version: 8, next: { holder: "b", minute: 0 } } });
  spending.add(3);
  clock.now = start + 9_300;
  await tenure.renewIfDue();
  expect(spending.unsaved().spent).toBe(3);
});
