import { asHpaKey } from "../../../lib/model/hpa-key";
import type { Store } from "../../../lib/model/ports/store";
import type { MissingQueue, Shard } from "../../../lib/model/stored/shard";
import { recordChange, type MissingQueues } from "../../../lib/sync/slot/record-change";

const signal = new AbortController().signal;
const shard: Shard = {
  ...{ cluster: "prod", from: "shop/m", to: null, version: 7, slot: 0, heartbeat: 0, behind: {}, entries: 2 },
};

/** A store whose shard others write before each of our writes, so many times. */
function contended(times: number, found: Shard) {
  const written: Shard[] = [];
  let current = found;
  const store = {
    replaceShard: (before: Shard, next: Shard) => {
      written.push(next);
      if (written.length > times) return Promise.resolve(true);
      const version = before.version + 1;
      current = { ...current, version, ...(found.confirmed && { confirmed: { ...found.confirmed, version } }) };
      return Promise.resolve(false);
    },
    shard: () => Promise.resolve(current),
  } as unknown as Store;
  return { store, written };
}

const key = asHpaKey("shop/web");
const known: Shard = { ...shard, confirmed: { version: 7, changed: 0, states: 0 } };
const index = { version: 7, since: 1, mark: { hash: "h", range: 1, at: 0 } };
const change = { until: 1_200_000, keys: [key], states: {} };
const lack: MissingQueue = [1, 2, change.until];

describe("nothing is written", () => {
  test.each<[string, Shard, object]>([
    ["where nobody may keep anything", shard, {}],
    ["if the index says all", { ...shard, index: { ...index, lacks: [lack] } }, { lacks: [lack], isLost: false }],
    ["if the item is known to be lost", { ...shard, index: { version: 7, since: 1 } }, { lacks: [], isLost: true }],
  ])("%s", async (_what, found, missing) => {
    const { store, written } = contended(0, found);
    await recordChange(store, found, { ...change, ...("lacks" in missing && { missing: missing as never }) }, signal);
    expect(written).toEqual([]);
  });
});

test("what is said already is not said again", async () => {
  const { store, written } = contended(0, known);
  await recordChange(store, known, change, signal);
  expect(written).toHaveLength(1);
  await recordChange(store, written[0]!, change, signal);
  expect(written).toHaveLength(1);
});

test("a change that says nothing of the index leaves its item referenced", async () => {
  const { store, written } = contended(0, { ...known, index });
  await recordChange(store, { ...known, index }, change, signal);
  expect(written[0]?.index).toEqual({ ...index, version: 8 });
});

test("what the index lacks and that its item is lost are said beside what others confirmed", async () => {
  const found = { ...known, confirmed: { ...known.confirmed!, changed: 2_000_000 }, index };
  const said = async (missing: MissingQueues) => {
    const { store, written } = contended(0, found);
    await recordChange(store, found, { ...change, keys: [], missing }, signal);
    return written[0];
  };
  const confirmed = { ...found.confirmed, version: 8 };
  const lacks = { version: 8, since: 1, mark: index.mark, lacks: [lack] };
  expect(await said({ lacks: [lack], isLost: false })).toEqual({ ...found, version: 8, confirmed, index: lacks });
  const lost = { version: 8, since: 1 };
  expect(await said({ lacks: [], isLost: true })).toEqual({ ...found, version: 8, confirmed, index: lost });
});

test("others that keep writing: after three tries no state is named, and after five it is a conflict", async () => {
  const { store, written } = contended(4, known);
  await recordChange(store, known, change, signal);
  const named = written.map(({ confirmed }) => confirmed?.unsettled?.map(({ keys }) => keys?.length));
  expect(named).toEqual([[1], [1], [1], [undefined], [undefined]]);
  await expect(recordChange(contended(5, known).store, known, change, signal)).rejects.toEqual(
    expect.objectContaining({
      kind: "conflict",
      message: 'shard "shop/m" of cluster "prod" was written 5 times meanwhile',
    }),
  );
});

test("a shard that is deleted meanwhile has nothing to say", async () => {
  const { store, written } = contended(1, known);
  const gone = { ...store, shard: () => Promise.resolve(undefined) };
  await recordChange(gone, known, change, signal);
  expect(written).toHaveLength(1);
});
