import { asHpaKey } from "../../../lib/model/hpa-key";
import { Fault } from "../../../lib/model/fault";
import type { Store } from "../../../lib/model/ports/store";
import type { Shard } from "../../../lib/model/stored/shard";
import type { State } from "../../../lib/model/stored/state";
import { openShardCache, trackStates } from "../../../lib/sync/slot/shard-cache";

/** What a run knows of the table's states after its writes. */
const { signal } = new AbortController();
const [a, b] = [asHpaKey("shop/a"), asHpaKey("shop/b")];
const state = (version: number, more: Partial<State> = {}): State => ({
  ...{ version, slot: 1, status: {}, history: null, open: false },
  ...more,
});
const loaded = { [a]: state(4), [b]: state(7) };

type Answer = boolean | Error;

/** A table that answers each write like this. */
function track(answer: Answer) {
  const done = () => (typeof answer === "boolean" ? Promise.resolve(answer) : Promise.reject(answer));
  const store = {
    putState: async () => ((await done()) ? { ok: true } : { ok: false, current: state(9) }),
    deleteState: done,
  } as unknown as Store;
  return trackStates(store, loaded);
}
const put = ({ store }: ReturnType<typeof track>) => store.putState("prod", a, state(5), signal);
const remove = ({ store }: ReturnType<typeof track>) => store.deleteState("prod", b, 7, signal);
const outcomeOf = (tracked: ReturnType<typeof track>) => ({
  ...{ states: tracked.states(), unsure: tracked.unsure(), hasWritten: tracked.hasWritten() },
});

test("before any write, all is as it was loaded", () => {
  const tracked = track(true);
  expect(outcomeOf(tracked)).toEqual({ states: loaded, unsure: [], hasWritten: false });
  expect(tracked.asLoaded()).toBe(loaded);
});

test("a write that is done changes its state, and nothing is unsure", async () => {
  const tracked = track(true);
  await put(tracked);
  await remove(tracked);
  expect(outcomeOf(tracked)).toEqual({ states: { [a]: state(5) }, unsure: [], hasWritten: true });
  expect(Object.keys(tracked.states())).toEqual([a]);
});

test.each<[string, Answer]>([
  ["that met another version", false],
  ["that got no answer", new Fault("lost", "no answer")],
])("a write %s changes nothing that is known, and its state is unsure", async (_what, answer) => {
  const tracked = track(answer);
  await Promise.allSettled([put(tracked)]);
  expect(outcomeOf(tracked)).toEqual({ states: loaded, unsure: [a], hasWritten: true });
  await Promise.allSettled([remove(tracked)]);
  expect(outcomeOf(tracked)).toEqual({ states: loaded, unsure: [a, b], hasWritten: true });
});

test("a write that is done after one that was not is sure again", async () => {
  const answers = [false, true];
  const store = {
    putState: () => Promise.resolve(answers.shift() ? { ok: true } : { ok: false, current: state(4) }),
  } as unknown as Store;
  const tracked = trackStates(store, loaded);
  await put(tracked);
  await put(tracked);
  expect(outcomeOf(tracked)).toEqual({ states: { ...loaded, [a]: state(5) }, unsure: [], hasWritten: true });
});

test("what is kept has no member that a table would not give back", async () => {
  const tracked = track(true);
  await tracked.store.putState("prod", a, state(5, { selector: undefined } as unknown as Partial<State>), signal);
  expect(tracked.states()[a]).toHaveProperty("selector");
  expect(tracked.asLoaded()[a]).not.toHaveProperty("selector");
});

test("a cache keeps shards up to its size, and the latest for longest", () => {
  const cache = openShardCache(20);
  const shard = (from: string): Shard => ({
    ...{ cluster: "prod", from, to: null, version: 1, slot: 60_000, heartbeat: 60_000, behind: {}, entries: 1 },
    confirmed: { version: 1, changed: 0, states: 0 },
  });
  const message = (from: string, slot: number) => ({ cluster: "prod", from, slot, until: slot + 15_000 });
  const hpas = { hpas: [], states: {}, memory: 10 };
  for (const from of ["a", "b", "c"]) cache.keep(shard(from), message(from, 60_000), { hpas, loadedAt: 60_000 });
  const kept = ["a", "b", "c"].filter((from) => cache.take(shard(from), message(from, 75_000)) !== undefined);
  expect(kept).toEqual(["b", "c"]);
});
