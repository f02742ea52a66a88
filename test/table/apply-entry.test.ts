import { applyEntry, type ApplyContext, planEntry } from "../../lib/table/apply-entry";
import type { EntryOutcome, EntryRef, ExpectedEntry, StoredEntry } from "../../lib/model/ports/entries";
import { toItem } from "../../lib/table/items/attributes";
import { readEntry } from "../../lib/table/items/entry-item";

const { signal } = new AbortController();
const ref: EntryRef = { kind: "MetricSource", cluster: "prod", name: "jobs" };
const now = () => Date.parse("2026-03-01T12:00:00Z");

const wish = (queue: string) => ({ ref, document: { metadata: { name: "jobs" }, spec: { queue } } });
const entry = (queue: string, metadata: object = {}): StoredEntry =>
  readEntry(toItem({ pk: "CLUSTER#prod", sk: "SOURCE#jobs", metadata, spec: { queue } }));
const paused = (at: number) => entry("a", { annotations: { "ebb.dev/paused-until": String(at) } });

/** A table that holds `read`, and answers the writes in turn. Beyond that, every write is done. */
function tableWith(read: StoredEntry | undefined, ...outcomes: readonly (StoredEntry | undefined)[]) {
  const puts: { readonly expected: ExpectedEntry; readonly spec: unknown }[] = [];
  const left = [...outcomes];
  const entries: ApplyContext["entries"] = {
    get: () => Promise.resolve(read),
    put({ document }, expected): Promise<EntryOutcome> {
      puts.push({ expected, spec: document["spec"] });
      if (left.length === 0) return Promise.resolve({ done: true });
      return Promise.resolve({ done: false, stored: left.shift() });
    },
  };
  return { puts, context: { entries, signal, now } };
}

test("an entry that is not there is created, if it still is not", async () => {
  const { puts, context } = tableWith(undefined);
  const applied = await applyEntry(wish("a"), context);
  expect(applied).toMatchObject({
    change: "created",
    document: { spec: { queue: "a" }, metadata: { creationTimestamp: "2026-03-01T12:00:00Z", generation: 1 } },
  });
  expect(applied).toHaveProperty("document.metadata.uid", expect.stringMatching(/^[0-9a-f-]{36}$/));
  expect(puts).toEqual([{ expected: "nothing", spec: { queue: "a" } }]);
});

test("an entry that says the same is not written", async () => {
  const stored = entry("a");
  const { puts, context } = tableWith(stored);
  expect(await applyEntry(wish("a"), context)).toEqual({ change: "unchanged", document: stored.document });
  expect(puts).toEqual([]);
});

test("a change is written if the entry is still as it was read", async () => {
  const stored = entry("a");
  const { puts, context } = tableWith(stored);
  expect(await applyEntry(wish("b"), context)).toMatchObject({
    change: "configured",
    document: { spec: { queue: "b" } },
  });
  expect(puts).toEqual([{ expected: stored, spec: { queue: "b" } }]);
});

test("somebody else applied the same first: that is no conflict", async () => {
  const { context } = tableWith(undefined, entry("a"));
  expect(await applyEntry(wish("a"), context)).toEqual({ change: "unchanged", document: entry("a").document });
});

test("somebody paused it in between: written again, on what is there now, and the pause stays", async () => {
  const { puts, context } = tableWith(entry("a"), paused(1));
  expect(await applyEntry(wish("b"), context)).toMatchObject({
    change: "configured",
    document: { spec: { queue: "b" }, metadata: { annotations: { "ebb.dev/paused-until": "1" } } },
  });
  expect(puts.map(({ expected }) => expected)).toEqual([entry("a"), paused(1)]);
});

test.each<[string, StoredEntry | undefined, StoredEntry | undefined, string]>([
  ["created it with something else", undefined, entry("x"), "created"],
  ["created it and deleted it again", undefined, undefined, "created"],
  ["deleted it", entry("a"), undefined, "deleted"],
  ["changed it", entry("a"), entry("x"), "changed"],
])("somebody %s in between: nothing is overwritten", async (_name, read, found, overtaken) => {
  const { puts, context } = tableWith(read, found);
  expect(await applyEntry(wish("b"), context)).toEqual({ overtaken });
  expect(puts).toHaveLength(1);
});

test("it gives up when somebody pauses and resumes without an end", async () => {
  const { puts, context } = tableWith(entry("a"), ...Array.from({ length: 20 }, (_, at) => paused(at)));
  expect(await applyEntry(wish("b"), context)).toEqual({ overtaken: "changed" });
  expect(puts).toHaveLength(10);
});

test("a plan says what is there and what would be, and writes nothing", async () => {
  const { puts, context } = tableWith(entry("a"));
  expect(await planEntry(wish("b"), context)).toMatchObject({
    change: "configured",
    document: { spec: { queue: "b" } },
    stored: entry("a"),
  });
  const nothing = tableWith(undefined);
  expect(await planEntry(wish("b"), nothing.context)).toMatchObject({
    change: "created",
    document: { metadata: { creationTimestamp: "2026-03-01T12:00:00Z" } },
    stored: undefined,
  });
  expect(puts).toEqual([]);
});
