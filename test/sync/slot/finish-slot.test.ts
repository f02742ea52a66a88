import type { Store } from "../../../lib/model/ports/store";
import type { Shard } from "../../../lib/model/stored/shard";
import { clockAhead, clockWentBack, comesTooEarly, finishSlot } from "../../../lib/sync/slot/finish-slot";

const period = 15_000;
const slot = 100 * period;
const message = { cluster: "prod", from: "a/", slot, until: slot + period };
const loaded: Shard = {
  ...{ cluster: "prod", from: "a/", to: "m/", version: 1, slot: slot - period, heartbeat: 1, behind: {}, entries: 2 },
};
const { signal } = new AbortController();

/** A store whose shard is another one at each look. The write of `acceptedFrom` is done. */
async function finish(looks: readonly (Shard | undefined)[], acceptedFrom: number, shard = loaded) {
  const written: Shard[] = [];
  let looked = 0;
  const store = {
    replaceShard: (before: Shard, after: Shard | null) => {
      written.push(before);
      expect(after).toEqual({ ...before, slot });
      return Promise.resolve(written.length >= acceptedFrom);
    },
    shard: () => Promise.resolve(looks[looked++]),
  } as unknown as Store;
  const finished = await finishSlot(store, shard, (current) => ({ ...current, slot }), { message, signal });
  const isFinished = finished !== undefined;
  return { isFinished, versions: written.map(({ version }) => version) };
}

const found = (more: Partial<Shard>): Shard => ({ ...loaded, version: 2, ...more });

test("a shard that nobody has changed is finished at once", async () => {
  expect(await finish([], 1)).toEqual({ isFinished: true, versions: [1] });
});

test.each<[string, Shard]>([
  ["an older slot was finished late", found({ slot: slot - 1 })],
  ["a tick has narrowed the range", found({ to: "c/" })],
  ["a tick has written the same range", found({})],
])("%s: finished from the current shard", async (_name, current) => {
  expect(await finish([current], 2)).toEqual({ isFinished: true, versions: [1, 2] });
});

test("the last range may be narrowed as well", async () => {
  const last = { ...loaded, to: null };
  expect(await finish([{ ...last, version: 2 }], 2, last)).toMatchObject({ isFinished: true });
  expect(await finish([found({ to: "c/" })], 2, last)).toMatchObject({ isFinished: true });
});

test.each<[string, Shard | undefined]>([
  ["another run has finished the slot", found({ slot })],
  ["another run has finished a newer one", found({ slot: slot + period })],
  ["the shard is gone", undefined],
  ["the range is wider", found({ to: "z/" })],
  ["the range has no end any more", found({ to: null })],
])("%s: not finished", async (_name, current) => {
  expect(await finish([current], 2)).toEqual({ isFinished: false, versions: [1] });
});

test("three tries", async () => {
  const looks = [2, 3, 4].map((version) => found({ version }));
  expect(await finish(looks, 3)).toEqual({ isFinished: true, versions: [1, 2, 3] });
  expect(await finish(looks, 4)).toEqual({ isFinished: false, versions: [1, 2, 3] });
});

test("a message may be a minute ahead of the clock", () => {
  expect(comesTooEarly(message, slot - 60_000)).toBe(false);
  expect(comesTooEarly(message, slot - 60_001)).toBe(true);
  expect(clockAhead.failure).toMatch(/more than a minute ahead/);
});

test("a finished slot may be a period ahead of the clock", () => {
  expect(clockWentBack({ ...loaded, slot }, message, slot - period)).toBeUndefined();
  expect(clockWentBack({ ...loaded, slot: 0 }, message, slot)).toBeUndefined();
  expect(clockWentBack({ ...loaded, slot }, message, slot - period - 1)).toEqual({
    reason: "ClockWentBack",
    failure: `the last finished slot is ${new Date(slot).toISOString()}, ahead of the clock; waiting for the clock to catch up`,
  });
});
