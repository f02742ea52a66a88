/** @jest-environment node */
import dns, { type LookupAddress } from "node:dns";
import { mostLookups, mostSlowLookups, sharedLookup } from "../../lib/net/shared-lookup";

type Answered = (error: Error | null, addresses: LookupAddress[]) => void;

/** Lookups that the process has begun and that no server has answered. */
const open = new Map<string, Answered>();

beforeEach(() => {
  jest.useFakeTimers();
  const fake = (host: string, _options: unknown, callback: Answered) => void open.set(host, callback);
  jest.spyOn(dns, "lookup").mockImplementation(fake as never);
});
afterEach(() => {
  jest.useRealTimers();
  jest.restoreAllMocks();
});

const resolve = (host: string) =>
  new Promise((found) => sharedLookup(host, { all: true }, (error) => found(error?.message ?? "found")));

function end(hosts: readonly string[], error: Error | null = null): void {
  for (const host of hosts) {
    const answered = open.get(host);
    open.delete(host);
    answered?.(error, [{ address: "10.0.0.1", family: 4 }]);
  }
}

test("names that hang leave threads to others, and after the first time most of them", async () => {
  const hanging = Array.from({ length: 100 }, (_, index) => `hangs-${index}.example`);
  const first = hanging.map(resolve);
  expect([...open.keys()]).toEqual(hanging.slice(0, mostLookups));
  const neighbour = resolve("neighbour.example");
  jest.advanceTimersByTime(30_000);
  // Each batch that fails lets the next one begin.
  const failed = new Error("no answer");
  for (let round = 0; round < 5; round++) {
    end(
      [...open.keys()].filter((host) => host !== "neighbour.example"),
      failed,
    );
    jest.advanceTimersByTime(30_000);
  }
  end(["neighbour.example"]);
  expect(await neighbour).toBe("found");
  expect(new Set(await Promise.all(first))).toEqual(new Set(["no answer"]));

  const second = hanging.map(resolve);
  expect(open.size).toBe(mostSlowLookups);
  const others = Array.from({ length: mostLookups - mostSlowLookups }, (_, index) => `other-${index}.example`);
  const found = others.map(resolve);
  end(others);
  expect(new Set(await Promise.all(found))).toEqual(new Set(["found"]));
  // They recover: all are found, and no longer count as slow.
  while (open.size > 0) end([...open.keys()]);
  expect(new Set(await Promise.all(second))).toEqual(new Set(["found"]));
  const third = hanging.map(resolve);
  expect(open.size).toBe(mostLookups);
  while (open.size > 0) end([...open.keys()]);
  await Promise.all(third);
});

test("a name that is asked for while it waits for its turn is looked up once", async () => {
  const busy = Array.from({ length: mostLookups }, (_, index) => `busy-${index}.example`);
  const before = busy.map(resolve);
  const twice = [resolve("late.example"), resolve("late.example")];
  expect(open.has("late.example")).toBe(false);
  end(busy);
  const { calls } = jest.mocked(dns.lookup).mock;
  expect(calls.filter(([host]) => host === "late.example")).toHaveLength(1);
  end(["late.example"]);
  expect(await Promise.all(twice)).toEqual(["found", "found"]);
  await Promise.all(before);
});
