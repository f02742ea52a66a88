import { Fault } from "../../../lib/model/fault";
import { asHpaKey } from "../../../lib/model/hpa-key";
import { emptyIndex, hashOfRange, missingQueue, type QueueIndex } from "../../../lib/model/stored/queue-index";
import type { Shard } from "../../../lib/model/stored/shard";
import { hashOfName } from "../../../lib/sync/wake/queues-of";
import { missingQueuesOf, readsOf, writeQueueIndex } from "../../../lib/sync/wake/write-queue-index";

/** A slot writes which HPAs read which queues, before it reads the queues themselves. */
const { signal } = new AbortController();
const dayMs = 24 * 60 * 60_000;
const slot = 10 * dayMs;
const until = slot + 15_000;
const range = { from: "shop/", to: "team/" };
const key = asHpaKey("shop/a");
const hpa = (queue: string, name = "shop/a") => ({
  key: asHpaKey(name),
  document: { spec: { metrics: [{ external: { metric: { name: "sqs", selector: { matchLabels: { queue } } } } }] } },
});
const hashOf = (queue: string) => hashOfName(queue) ?? 0;
const lack = (queue: string, name = "shop/a") => missingQueue(asHpaKey(name), hashOf(queue), until);
const shardWith = (mark?: { readonly hash: string; readonly at: number }): Shard => ({
  ...{ cluster: "prod", ...range, version: 3, slot: 0, heartbeat: 0, behind: {}, entries: 1 },
  index: { version: 3, since: 1, ...(mark && { mark: { ...mark, range: hashOfRange(range) } }) },
});

interface Given {
  readonly mark?: { readonly hash: string; readonly at: number };
  readonly hpas?: readonly ReturnType<typeof hpa>[];
  /** The item in the table. */
  readonly stored?: QueueIndex;
  readonly putIndex?: () => Promise<boolean>;
}

async function write({ mark, hpas = [hpa("mail")], stored, putIndex = () => Promise.resolve(true) }: Given) {
  const written: QueueIndex[] = [];
  const failures: object[] = [];
  const store = {
    putIndex: (_shard: unknown, index: QueueIndex) => (written.push(index), putIndex()),
    index: () => Promise.resolve(stored),
  };
  const outcome = await writeQueueIndex(
    { store, reporter: { failed: (line: object) => failures.push(line) } } as never,
    {
      shard: shardWith(mark),
      contents: { hpas, sources: [] },
      message: { cluster: "prod", from: range.from, slot, until },
      context: { now: () => slot + 200, signal } as never,
    },
  );
  return { ...outcome, written, failures };
}
/** What the slot writes of this HPA alone. */
const mailIndex = async () => (await write({})).written[0]!;

test("the first index names the HPAs of the range alone, and the mark says what, of which range and since when", async () => {
  const { written, mark, removed, until: end, names } = await write({ hpas: [hpa("mail"), hpa("mail", "zoo/b")] });
  expect(written).toEqual([
    { hash: expect.stringMatching(/^[\w-]{16}$/) as string, hpas: { [key]: { queues: [hashOf("mail")] } } },
  ]);
  expect(mark).toEqual({ hash: written[0]?.hash, range: hashOfRange(range), at: slot });
  expect([removed, end]).toEqual([[], until]);
  expect([names(lack("mail")), names(lack("post")), names(lack("mail", "zoo/b"))]).toEqual([true, false, false]);
});

test.each([
  ["less than a day ago stays", dayMs - 1, 0],
  ["a day ago is written again: it would expire", dayMs, 1],
])("the same index that was written %s", async (_what, ageMs, writes) => {
  const { hash } = await mailIndex();
  const { written, mark } = await write({ mark: { hash, at: slot - ageMs }, stored: await mailIndex() });
  expect(written).toHaveLength(writes);
  expect(mark).toMatchObject({ hash, at: writes === 0 ? slot - ageMs : slot });
});

test.each<[string, Given]>([
  ["at first", {}],
  ["long after it was written", { mark: { hash: emptyIndex, at: slot - 9 * dayMs } }],
])("an index without HPAs has a mark and no item: %s", async (_when, given) => {
  const { written, mark } = await write({ ...given, hpas: [] });
  expect([written, mark?.hash, mark?.at]).toEqual([[], emptyIndex, given.mark?.at ?? slot]);
});

describe("what the item named before, and names no more, may be lacking", () => {
  const at = slot - 60_000;

  test("by HPA and queue", async () => {
    const stored = { hash: "before", hpas: { [key]: { queues: [hashOf("mail"), hashOf("post")] } } };
    const { removed, mark } = await write({ mark: { hash: "before", at }, stored });
    expect(removed).toEqual([lack("post")]);
    expect(mark).toBeDefined();
  });

  test("an HPA with too many queues to name may have read any: there is no mark, so that entries are searched", async () => {
    const before = { [asHpaKey("shop/a")]: { queues: [7] }, [asHpaKey("shop/b")]: { more: true as const } };
    const stored: QueueIndex = { hash: "before", hpas: before };
    const { removed, mark, written } = await write({ mark: { hash: "before", at }, stored });
    expect([removed, mark, written.length]).toEqual([[], undefined, 1]);
  });

  test.each<[string, Given]>([
    [
      "is another than the mark says",
      { mark: { hash: "before", at }, stored: { hash: "late", hpas: { [key]: { queues: [1] } } } },
    ],
    ["is gone", { mark: { hash: "before", at } }],
    ["had no HPAs", { mark: { hash: emptyIndex, at }, stored: { hash: "late", hpas: { [key]: { queues: [1] } } } }],
  ])("of an item that %s, nothing", async (_what, given) => {
    const { removed, mark } = await write(given);
    expect([removed, mark === undefined]).toEqual([[], false]);
  });
});

test("an item that does not fit has no mark", async () => {
  const { mark, failures } = await write({ putIndex: () => Promise.resolve(false) });
  expect([mark, failures]).toEqual([undefined, []]);
});

test("a failed write is reported, and has no mark; what is no fault is thrown", async () => {
  const { mark, removed, failures } = await write({
    putIndex: () => Promise.reject(new Fault("throttled", "no room")),
  });
  expect([mark, removed]).toEqual([undefined, []]);
  expect(failures).toEqual([{ cluster: "prod", reason: "IndexNotWritten", message: "no room", at: slot + 200 }]);
  await expect(write({ putIndex: () => Promise.reject(new TypeError("no function")) })).rejects.toThrow(TypeError);
});

describe("what a wake finds that the index lacks", () => {
  const at = slot - 60_000;
  const missing = (shard: Shard, stored: QueueIndex | undefined, hpas = [hpa("mail")]) => {
    let asked = 0;
    const store = { index: () => ((asked += 1), Promise.resolve(stored)) };
    return missingQueuesOf(store, shard, { hpas, sources: [] }, { end: until, signal }).then((found) => ({
      ...found,
      asked,
    }));
  };
  const all = { lacks: [lack("mail")], isLost: false };
  const stored = (hpas: QueueIndex["hpas"]): QueueIndex => ({ hash: "h", hpas });

  test.each<[string, Shard, QueueIndex | undefined, object]>([
    ["all, without an index", shardWith(), undefined, { ...all, asked: 0 }],
    ["all, if the index has no HPAs", shardWith({ hash: emptyIndex, at }), undefined, { ...all, asked: 0 }],
    [
      "all, and the item is lost, if it is another",
      shardWith({ hash: "h", at }),
      { hash: "x", hpas: {} },
      { ...all, isLost: true, asked: 1 },
    ],
    ["all, if it does not name the HPA", shardWith({ hash: "h", at }), stored({}), { ...all, asked: 1 }],
    [
      "all, if it names others of its queues",
      shardWith({ hash: "h", at }),
      stored({ [key]: { queues: [1] } }),
      { ...all, asked: 1 },
    ],
    [
      "nothing, if it names the queue",
      shardWith({ hash: "h", at }),
      stored({ [key]: { queues: [1, hashOf("mail")] } }),
      { lacks: [], isLost: false, asked: 1 },
    ],
    [
      "nothing, if the HPA has too many to name",
      shardWith({ hash: "h", at }),
      stored({ [key]: { more: true } }),
      { lacks: [], isLost: false, asked: 1 },
    ],
  ])("%s", async (_what, shard, index, expected) => {
    expect(await missing(shard, index)).toEqual(expected);
  });

  test("an HPA that reads no queue asks nothing", async () => {
    expect(await missing(shardWith({ hash: "h", at }), undefined, [])).toEqual({ lacks: [], isLost: false, asked: 0 });
  });

  test("an HPA called as what every object inherits is not named", async () => {
    const odd = hpa("mail", "constructor");
    expect((await missing(shardWith({ hash: "h", at }), stored({}), [odd])).lacks).toHaveLength(1);
  });
});

test("a source that cannot be read is known, and reads no queue", () => {
  const sources = [
    { key: "sqs", invalid: "expected a map" },
    { key: "jobs", value: { name: "jobs", spec: { kind: "sqs", parameters: { queue: "mail" } } } },
  ];
  const named = (name: string) => ({ key, document: { spec: { metrics: [{ external: { metric: { name } } }] } } });
  expect(readsOf([named("jobs"), named("other")], sources)).toEqual([{ key, queues: [hashOf("mail")] }]);
});
