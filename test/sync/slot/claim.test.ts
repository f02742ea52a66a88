import { asHpaKey } from "../../../lib/model/hpa-key";
import type { ShardContents, Store } from "../../../lib/model/ports/store";
import type { State } from "../../../lib/model/stored/state";
import { claimAll } from "../../../lib/sync/slot/claim";

const at = 1_000_000;
const slotMessage = { cluster: "prod", from: "", slot: at, until: at + 15_000 };
const key = asHpaKey("shop/web");
const { signal } = new AbortController();
const state = (more: Partial<State> = {}): State => ({
  ...{ version: 4, slot: at - 1, status: {}, history: null, open: true },
  ...more,
});

/** `answers`: what the table has at each write; "ok": the write is done. */
async function claim(found: State | undefined, answers: readonly ("ok" | State | undefined)[] = ["ok"]) {
  const written: State[] = [];
  const putState: Store["putState"] = (_cluster, _key, next) => {
    const answer = answers[written.length];
    written.push(next);
    return Promise.resolve(answer === "ok" ? { ok: true } : ({ ok: false, current: answer } as never));
  };
  const contents = { states: found === undefined ? {} : { [key]: found } } as unknown as ShardContents;
  const claimed = await claimAll({ putState } as unknown as Store, [{ key, document: 1 }], {
    contents,
    slotMessage,
    signal,
  });
  return { claimed, written };
}

test("a state is marked as woken, and nothing else changes in it", async () => {
  const { claimed, written } = await claim(state());
  expect(written).toEqual([{ ...state(), version: 5, wake: { at, done: false } }]);
  expect(claimed).toMatchObject([{ key, document: 1, state: written[0] }]);
});

test("without a state there is nothing to mark", async () => {
  const { claimed, written } = await claim(undefined);
  expect(written).toEqual([]);
  expect(claimed).toMatchObject([{ key, state: undefined }]);
});

test.each<[string, Partial<State>]>([
  ["a later slot", { slot: at + 1 }],
  ["a slot at the same moment", { slot: at }],
  ["a later wake", { wake: { at: at + 1, done: false } }],
  ["this wake, which is done", { wake: { at, done: true } }],
])("%s has handled it: nothing is left to do", async (_name, more) => {
  expect(await claim(state(more))).toEqual({ claimed: [], written: [] });
});

test.each<[string, Partial<State>]>([
  ["an earlier wake", { wake: { at: at - 1, done: true } }],
  ["this wake, which is not done", { wake: { at, done: false } }],
])("%s is claimed", async (_name, more) => {
  const { written } = await claim(state(more));
  expect(written).toEqual([{ ...state(), version: 5, wake: { at, done: false } }]);
});

test("after a conflict, what is there now is claimed, three times at most", async () => {
  const newer = (version: number) => state({ version });
  expect((await claim(state(), [newer(7), "ok"])).written.map(({ version }) => version)).toEqual([5, 8]);
  expect((await claim(state(), [newer(7), newer(8), "ok"])).claimed).toHaveLength(1);
  const { claimed, written } = await claim(state(), [newer(7), newer(8), newer(9), "ok"]);
  expect([claimed, written.length]).toEqual([[], 3]);
});

test("after a conflict with a later slot, nothing is left to do", async () => {
  expect((await claim(state(), [state({ slot: at + 1 })])).claimed).toEqual([]);
});

test("after a conflict, a state that is gone needs no mark", async () => {
  expect((await claim(state(), [undefined])).claimed).toMatchObject([{ key, state: undefined }]);
});

test("a fault of one claim fails all", async () => {
  const putState = () => Promise.reject(new Error("no table"));
  const contents = { states: { [key]: state() } } as unknown as ShardContents;
  const claims = claimAll({ putState } as unknown as Store, [{ key, document: 1 }], { contents, slotMessage, signal });
  await expect(claims).rejects.toThrow("no table");
});
