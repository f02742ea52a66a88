import { Fault } from "../../lib/model/fault";
import type { PollerLease } from "../../lib/model/stored/idle";
import { skewMs } from "../../lib/poller/lease";
import { openSpending } from "../../lib/poller/pace";
import { openLeaseRenewal } from "../../lib/poller/poll-loop";
import { memoryStore } from "../fakes/memory-store";

const start = Date.parse("2026-11-10T12:00:00Z");
const { signal } = new AbortController();
const first: PollerLease = {
  ...{ version: 7, holder: "a", minute: start, until: start + 10_000 },
  spending: { month: "2026-11", spent: 5 },
};

function setUp({ latest = start + 60_000, stored = first }: { latest?: number; stored?: PollerLease | null } = {}) {
  const store = memoryStore();
  if (stored !== null) store.leases.set("LEASE", stored);
  const clock = { now: start };
  const now = () => clock.now;
  const failures: unknown[] = [];
  const spending = openSpending({ perSecond: 0, tableRead: 0 }, start, now);
  const leaseRenewal = openLeaseRenewal(store, first, {
    ...{ now, latest, signal, spending },
    failed: (error) => failures.push(error),
  });
  const lease = () => store.leases.get("LEASE");
  return { store, clock, failures, spending, leaseRenewal, lease };
}

test("a renewal is due 700 ms before the end, and is for two seconds", async () => {
  const { clock, leaseRenewal, lease } = setUp();
  expect(leaseRenewal.nextAt()).toBe(start + 9_300);
  clock.now = start + 9_299;
  expect(leaseRenewal.renewIfDue()).toBeUndefined();
  clock.now += 1;
  await leaseRenewal.renewIfDue();
  expect(lease()).toMatchObject({ version: 8, holder: "a", until: start + 12_000 });
  expect(leaseRenewal.nextAt()).toBe(start + 11_300);
  expect(leaseRenewal.renewIfDue()).toBeUndefined();
});

test("while a renewal is under way, none begins beside it, and only the end is to come", async () => {
  const { clock, leaseRenewal, lease } = setUp();
  clock.now = start + 9_300;
  const renewal = leaseRenewal.renewIfDue();
  expect(leaseRenewal.renewIfDue()).toBeUndefined();
  expect(leaseRenewal.nextAt()).toBe(start + 10_000 - skewMs);
  await renewal;
  expect(lease()?.version).toBe(8);
});

test("it may read until the skew before its end, and goes on once its renewal is there", async () => {
  const { clock, leaseRenewal } = setUp();
  clock.now = start + 10_000 - skewMs - 1;
  expect(leaseRenewal.mayRead()).toBe(true);
  const renewal = leaseRenewal.renewIfDue();
  clock.now += 1;
  expect(leaseRenewal.mayRead()).toBe(false);
  expect(await leaseRenewal.goesOn()).toBe(true);
  await renewal;
});

test("nothing is renewed beyond the last moment", async () => {
  const { clock, leaseRenewal, lease } = setUp({ latest: start + 11_000 });
  clock.now = start + 9_300;
  await leaseRenewal.renewIfDue();
  expect(lease()?.until).toBe(start + 11_000);
  clock.now = start + 10_999;
  expect(leaseRenewal.renewIfDue()).toBeUndefined();
  expect(leaseRenewal.nextAt()).toBe(start + 11_000 - skewMs);
  expect(lease()?.version).toBe(8);
});

test("a lease that ends at the last moment needs no renewal", () => {
  const { clock, leaseRenewal } = setUp({ latest: first.until });
  clock.now = start + 9_999;
  expect(leaseRenewal.renewIfDue()).toBeUndefined();
  expect(leaseRenewal.nextAt()).toBe(first.until - skewMs);
});

test("one that waits for the end ends the renewals", async () => {
  const next = { holder: "b", minute: start + 60_000 };
  const { clock, leaseRenewal, lease } = setUp({ stored: { ...first, version: 8, next } });
  clock.now = start + 9_300;
  await leaseRenewal.renewIfDue();
  expect(lease()).toMatchObject({ version: 8, until: first.until });
  clock.now = start + 9_700;
  expect(leaseRenewal.renewIfDue()).toBeUndefined();
  expect(leaseRenewal.nextAt()).toBe(first.until - skewMs);
  expect(leaseRenewal.mayRead()).toBe(true);
});

test.each<[string, PollerLease | null]>([
  ["another's", { ...first, version: 9, holder: "b" }],
  ["gone", null],
])("a holder whose lease is %s reads no more, and asks for nothing", async (_name, stored) => {
  const { clock, leaseRenewal, lease, failures } = setUp({ stored });
  clock.now = start + 9_300;
  await leaseRenewal.renewIfDue();
  expect(leaseRenewal.mayRead()).toBe(false);
  expect(await leaseRenewal.goesOn()).toBe(false);
  expect(leaseRenewal.renewIfDue()).toBeUndefined();
  expect(leaseRenewal.nextAt()).toBe(-skewMs);
  expect([lease() ?? null, failures]).toEqual([stored, []]);
  expect(leaseRenewal.spendingNow()).toEqual(first.spending);
});

test("a renewal that fails is tried again after 250 ms", async () => {
  const { store, clock, leaseRenewal, failures, lease } = setUp();
  store.mishaps.nextWrite("requestLost");
  clock.now = start + 9_300;
  await leaseRenewal.renewIfDue();
  expect(failures).toEqual([expect.any(Fault)]);
  expect(leaseRenewal.nextAt()).toBe(start + 9_550);
  clock.now = start + 9_549;
  expect(leaseRenewal.renewIfDue()).toBeUndefined();
  clock.now += 1;
  await leaseRenewal.renewIfDue();
  expect(lease()?.until).toBe(start + 12_000);
});

test("what was spent is in the lease once, and counts on", async () => {
  const { clock, spending, leaseRenewal, lease } = setUp();
  spending.add(3);
  expect(leaseRenewal.spendingNow().spent).toBe(8);
  clock.now = start + 9_300;
  await leaseRenewal.renewIfDue();
  expect(lease()?.spending.spent).toBe(8);
  spending.add(1);
  expect(leaseRenewal.spendingNow().spent).toBe(9);
});

test("what a renewal did not write is not counted as written", async () => {
  const { clock, spending, leaseRenewal } = setUp({
    stored: { ...first, version: 8, next: { holder: "b", minute: 0 } },
  });
  spending.add(3);
  clock.now = start + 9_300;
  await leaseRenewal.renewIfDue();
  expect(spending.unsaved().spent).toBe(3);
});
