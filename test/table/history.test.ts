import { dayMs, minuteMs } from "../../lib/k8s/time";
import { hpaKey } from "../../lib/model/hpa-key";
import { columnsOf, type HistorySample, restMs, type RosterHpa } from "../../lib/model/stored/history";
import { openHistory } from "../../lib/table/history";
import { openLastMinutes } from "../../lib/table/last-minutes";
import { memoryDynamodb, memoryTableName } from "../fakes/memory-dynamodb";
import { memoryTable, type Request } from "../faults/world/memory-table";

const { signal } = new AbortController();
const now = Date.parse("2026-03-15T14:20:00Z");
const key = hpaKey("shop", "web");
const spec: RosterHpa = { target: { kind: "Deployment", name: "web" }, minReplicas: 0, maxReplicas: 10, metrics: [] };
const sample = (size: number): HistorySample => ({
  ...{ current: size, desired: size, recommended: size, stabilized: size, flags: 0, conditions: 0, metrics: [] },
});
const shard = (from: string, cluster = "prod") => ({ cluster, from, to: null });

function history() {
  const table = memoryTable({ now: () => now });
  const asked: string[] = [];
  const expiring: Record<string, number> = {};
  const execute: typeof table.execute = (request: Request) => {
    const written = expiringIn(request);
    asked.push(written.length === 0 ? request.action : `${request.action} ${written.length}`);
    for (const [sk, seconds] of written) expiring[sk] = seconds;
    return table.execute(request);
  };
  const client = memoryDynamodb({ ...table, execute });
  const stored = { client, name: memoryTableName };
  const own = { ...openHistory(stored, { now: () => now, days: 14 }), lastMinutes: openLastMinutes(stored) };
  /** Leaves all items of a kind without what is packed in them. */
  const spoil = (prefix: string) => {
    for (const item of table.items("HISTORY#prod").filter(({ sk }) => sk?.S?.startsWith(prefix)))
      table.execute({ action: "PutItem", input: { TableName: memoryTableName, Item: { ...item, packed: { S: "" } } } });
  };
  return { ...own, asked, expiring, spoil };
}

type Stored = Readonly<Record<"sk" | "expiresAt", { readonly S?: string; readonly N?: string }>>;

function expiringIn({ action, input }: Request): readonly (readonly [string, number])[] {
  const { Item, RequestItems = {} } = input as {
    readonly Item?: Stored;
    readonly RequestItems?: Readonly<Record<string, readonly { readonly PutRequest: { readonly Item: Stored } }[]>>;
  };
  const batch = action === "BatchWriteItem" ? Object.values(RequestItems).flat() : [];
  const items = [
    ...(action === "PutItem" && Item !== undefined ? [Item] : []),
    ...batch.map((one) => one.PutRequest.Item),
  ];
  return items.map(({ sk, expiresAt }) => [sk.S ?? "", Number(expiresAt.N)]);
}

type History = ReturnType<typeof history>;

/** Writes a minute of a shard, after others. @returns what leads to it */
async function write(of: History, { from = "", size = 1, slot = now, previous = [] as Ref[], cluster = "prod" } = {}) {
  const { hash } = await of.putRoster(shard(from, cluster), new Map([[key, spec]]), undefined, signal);
  const columns = columnsOf([sample(size)]);
  await of.putMinute(shard(from, cluster), { slot, roster: hash, previous, columns, known: undefined }, signal);
  return { from, slot };
}

interface Ref {
  readonly from: string;
  readonly slot: number;
}

test("a roster and a minute that are known are not written, and last as long as they are needed", async () => {
  const of = history();
  expect(of.days).toBe(14);
  const roster = await of.putRoster(shard(""), new Map([[key, spec]]), "other", signal);
  const minute = { slot: now, roster: roster.hash, previous: [], columns: columnsOf([sample(1)]) };
  const hash = await of.putMinute(shard(""), { ...minute, known: undefined }, signal);
  expect(of.expiring).toEqual({
    [`ROSTER##${roster.hash}`]: (now + 14 * dayMs + restMs) / 1_000,
    "MINUTE##2026-03-15T14:20:00.000Z": (now + restMs + dayMs) / 1_000,
  });
  of.asked.length = 0;
  expect(await of.putRoster(shard(""), new Map([[key, spec]]), roster.hash, signal)).toEqual(roster);
  expect(await of.putMinute(shard(""), { ...minute, slot: now + 1, known: hash }, signal)).toBe(hash);
  expect(of.asked).toEqual([]);
});

test("the first run of a slot decides what its minute says", async () => {
  const of = history();
  const minute = { slot: now, roster: "r", previous: [], known: undefined };
  const first = await of.putMinute(shard(""), { ...minute, columns: columnsOf([sample(1)]) }, signal);
  const second = await of.putMinute(shard(""), { ...minute, columns: columnsOf([sample(2)]) }, signal);
  expect(second).toBe(first);
  const { minutes } = await of.chain("prod", [{ from: "", slot: now }], now, signal);
  expect(minutes.map(({ columns }) => columns.current)).toEqual([[1]]);
});

describe("a chain", () => {
  test("leads from both ends through all minutes since a moment, and to those right before", async () => {
    const of = history();
    const at = (minutes: number) => now + minutes * minuteMs;
    const old = await write(of, { slot: at(-9), size: 4 });
    const root = await write(of, { slot: at(-2), size: 5, previous: [old] });
    await write(of, { slot: at(-1), size: 9 });
    const b = await write(of, { slot: at(0), from: "shop/m", size: 7, previous: [root] });
    const a = await write(of, { slot: at(1), size: 6, previous: [b] });
    const chain = await of.chain("prod", [a, b], at(0), signal);
    const found = chain.minutes.map(({ from, slot, columns }) => [from, slot, columns.current[0]]);
    expect(found).toEqual([
      ["", at(-2), 5],
      ["shop/m", at(0), 7],
      ["", at(1), 6],
    ]);
    expect([chain.since, chain.isWhole]).toEqual([at(0), true]);
    expect([chain.byRef(b)?.columns.current, chain.byRef({ from: "x", slot: at(0) })]).toEqual([[7], undefined]);
    const [hash = ""] = chain.minutes.map(({ roster }) => roster);
    expect([...chain.rosters].map(([name, { keys }]) => [name, keys])).toEqual([[hash, [key]]]);
  });

  test("that lacks a minute is not whole, but may lack those before", async () => {
    const of = history();
    const gone = { from: "", slot: now - minuteMs };
    const last = await write(of, { previous: [gone] });
    expect((await of.chain("prod", [last], now - minuteMs, signal)).isWhole).toBe(false);
    expect(await of.chain("prod", [last], now - minuteMs + 1, signal)).toMatchObject({ isWhole: true });
    expect((await of.chain("prod", [gone, last], now, signal)).isWhole).toBe(true);
  });

  test("reads each shard and each minute once, and eight shards at most", async () => {
    const of = history();
    const refs: Ref[] = [];
    for (let index = 0; index < 9; index++) refs.push(await write(of, { from: `shop/${index}`, size: index }));
    of.asked.length = 0;
    const eight = await of.chain("prod", [...refs.slice(1), ...refs.slice(1)], now, signal);
    expect([eight.minutes.length, eight.isWhole]).toEqual([8, true]);
    expect(of.asked.filter((action) => action === "Query")).toHaveLength(8);
    const nine = await of.chain("prod", refs, now, signal);
    expect([nine.minutes.length, nine.isWhole]).toEqual([8, false]);
  });

  test("ends where it leads back to itself", async () => {
    const of = history();
    const last = await write(of, { previous: [{ from: "", slot: now }] });
    expect(await of.chain("prod", [last], now, signal)).toMatchObject({ isWhole: true, minutes: [{ slot: now }] });
  });

  test("of a shard whose name continues with # has its own minutes", async () => {
    const of = history();
    const other = await write(of, { from: "shop/a#b", size: 2 });
    await write(of, { from: "shop/a", size: 1 });
    const { minutes } = await of.chain("prod", [{ ...other, from: "shop/a" }], 0, signal);
    expect(minutes.map(({ from }) => from)).toEqual(["shop/a"]);
  });
});

test("blocks are those of a range, after the one before it", async () => {
  const of = history();
  const blocks = Array.from({ length: 30 }, (_, index) => ({
    ...{ key, start: now + index * minuteMs },
    points: [{ at: now + index * minuteMs, sample: sample(index) }],
  }));
  await of.putBlocks("prod", blocks, signal);
  await of.putBlocks("prod", [], signal);
  expect(of.asked).toEqual(["BatchWriteItem 25", "BatchWriteItem 5"]);
  expect(Object.values(of.expiring)[0]).toBe((now + 14 * dayMs + restMs) / 1_000);
  const sizes = async (since: number, until: number) => {
    const range = { since: now + since * minuteMs, until: now + until * minuteMs };
    const points = await of.blocks({ cluster: "prod", key }, range, signal);
    return points.map(({ sample: one }) => one?.current);
  };
  expect(await sizes(0, 2)).toEqual([0, 1]);
  expect(await sizes(2, 4)).toEqual([1, 2, 3]);
  expect(await sizes(28.5, 99)).toEqual([28, 29]);
  expect(await of.blocks({ cluster: "prod", key: hpaKey("shop", "we") }, { since: 0, until: now * 2 }, signal)).toEqual(
    [],
  );
});

test("last minutes are those that are there, with their rosters", async () => {
  const of = history();
  const [a, b] = [await write(of, { size: 1 }), await write(of, { size: 2, cluster: "dev" })];
  const columns = columnsOf([sample(3)]);
  const lost = { slot: now, roster: "gone", previous: [], columns, known: undefined };
  await of.putMinute(shard("shop/x"), lost, signal);
  const refs = [
    { ...a, cluster: "prod" },
    { cluster: "prod", from: "", slot: 1 },
    { cluster: "prod", from: "shop/x", slot: now },
    { ...b, cluster: "dev" },
  ];
  const found = await of.lastMinutes(refs, signal);
  expect(found.map(({ cluster, minute, roster }) => [cluster, minute.columns.current, roster.keys])).toEqual([
    ["prod", [1], [key]],
    ["dev", [2], [key]],
  ]);
});

test("a roster is read once for all last minutes that have it, and again once entries change", async () => {
  const of = history();
  const read = async (...refs: readonly Ref[]) => {
    of.asked.length = 0;
    const found = await of.lastMinutes(
      refs.map((ref) => ({ ...ref, cluster: "prod" })),
      signal,
    );
    return [found.map(({ minute, roster }) => [minute.slot - now, roster.keys.length]), of.asked];
  };
  const first = await write(of);
  expect(await read(first)).toEqual([[[0, 1]], ["GetItem", "GetItem"]]);
  const second = await write(of, { slot: now + minuteMs });
  expect(await read(second)).toEqual([[[minuteMs, 1]], ["GetItem"]]);
  const keys = [key, hpaKey("shop", "web-2")];
  const { hash } = await of.putRoster(shard(""), new Map(keys.map((one) => [one, spec])), undefined, signal);
  const slot = now + 2 * minuteMs;
  const more = { slot, roster: hash, previous: [], columns: columnsOf([sample(1), sample(2)]), known: undefined };
  await of.putMinute(shard(""), more, signal);
  expect(await read({ from: "", slot })).toEqual([[[2 * minuteMs, 2]], ["GetItem", "GetItem"]]);
  // Of the last reading alone.
  expect(await read(second)).toEqual([[[minuteMs, 1]], ["GetItem", "GetItem"]]);
});

test("a roster that could not be read is read again, and one of another shard is not taken for it", async () => {
  const of = history();
  const [a, b] = [await write(of), await write(of, { from: "shop/x" })];
  const last = async (ref: Ref) => (await of.lastMinutes([{ ...ref, cluster: "prod" }], signal)).length;
  expect(await last(a)).toBe(1);
  of.spoil("ROSTER#");
  expect([await last(a), await last(b), await last(a)]).toEqual([1, 0, 0]);
  await write(of, { slot: now + 1 });
  expect(await last(a)).toBe(1);
});

test("what cannot be read counts as absent", async () => {
  const of = history();
  const ref = { ...(await write(of)), cluster: "prod" };
  await of.putBlocks("prod", [{ key, start: now, points: [{ at: now, sample: sample(1) }] }], signal);
  const blocks = () => of.blocks({ cluster: "prod", key }, { since: now, until: now + 1 }, signal);
  const chain = async () => {
    const { minutes, rosters, isWhole } = await of.chain("prod", [ref], now, signal);
    return [minutes.length, rosters.size, isWhole];
  };
  const last = () => of.lastMinutes([ref], signal);
  expect([await blocks(), await chain(), await last()]).toMatchObject([[{ at: now }], [1, 1, true], [{}]]);
  await of.lastMinutes([], signal);
  of.spoil("HPA#");
  of.spoil("ROSTER#");
  expect([await blocks(), await chain(), await last()]).toEqual([[], [1, 0, true], []]);
  of.spoil("MINUTE#");
  expect([await chain(), await last()]).toEqual([[0, 0, false], []]);
});
