import { randomBytes } from "node:crypto";
import { brotliCompressSync } from "node:zlib";
import { hpaKey } from "../../../lib/model/hpa-key";
import type { HistoryColumns, HistoryPoint, HistorySample } from "../../../lib/model/stored/history";
import { type Item, itemBytes, maxItemBytes } from "../../../lib/table/items/attributes";
import { decodeBlock, decodeMinute, encodeBlock, encodeMinute, rowsOf } from "../../../lib/table/items/history-items";
import { packed, roomy, rosterHpa as hpa } from "./history-samples";

const start = Date.parse("2026-03-15T12:00:00Z");
const expiresAt = 1_500;

const columns: HistoryColumns = {
  current: [2, null, 4, null],
  desired: [3, 5, null, null],
  recommended: [1, 5, 4, null],
  stabilized: [3, 6, 0, null],
  flags: [0, 8, 1, null],
  conditions: [1, 2, 3, null],
  metrics: [
    [1.5, null, 3],
    [null, null, null],
  ],
};
const read: HistoryColumns = {
  current: [2, null, 4],
  desired: [3, 5],
  recommended: [1, 5, 4],
  stabilized: [3, 6, 0],
  flags: [0, 8, 1],
  conditions: [1, 2, 3],
  metrics: [[1.5, null, 3], []],
};
const minute = {
  from: "shop/a",
  to: "shop/m",
  slot: start,
  roster: "r",
  previous: [{ from: "", slot: start - 60_000 }],
};

describe("a minute", () => {
  test.each([
    ["to the end of the keys, after a gap", { to: null, gap: start - 120_000 }],
    ["to a key", {}],
  ])("%s reads back the same, without what is null at the end", (_what, more) => {
    const rows = rowsOf(columns, "r");
    const item = encodeMinute("prod", { ...minute, ...more }, rows, expiresAt);
    expect([item["pk"]?.S, item["sk"]?.S, item["expiresAt"]?.N]).toEqual([
      "HISTORY#prod",
      "MINUTE#shop/a#2026-03-15T12:00:00.000Z",
      "2",
    ]);
    expect(decodeMinute(item, roomy())).toStrictEqual({ ...minute, ...more, hash: rows.hash, columns: read });
  });

  test("keeps sizes as differences from the desired one, so that equal columns pack well", () => {
    const { packed: rows } = encodeMinute("prod", minute, rowsOf(columns, "r"), 0);
    expect(
      decodeMinute({ ...encodeMinute("prod", minute, rowsOf(columns, "r"), 0), packed: rows! }, roomy()),
    ).toBeDefined();
    const same = Array.from({ length: 1_000 }, (_, index) => (index * 7_919) % 1_009);
    const equal = { ...columns, current: same, desired: same, recommended: same, stabilized: same };
    const { packed: item } = encodeMinute("prod", minute, rowsOf(equal, "r"), 0);
    const { packed: other } = encodeMinute("prod", minute, rowsOf({ ...columns, desired: same }, "r"), 0);
    expect(item!.B!.length - other!.B!.length).toBeLessThan(20);
  });

  test("has another hash with another roster or other values", () => {
    const hashes = [
      rowsOf(columns, "r"),
      rowsOf(columns, "s"),
      rowsOf(read, "r"),
      rowsOf({ ...columns, flags: [1] }, "r"),
    ];
    const [hash, ofOther, trimmed, changed] = hashes.map((rows) => rows.hash);
    expect(trimmed).toBe(hash);
    expect(new Set([hash, ofOther, changed]).size).toBe(3);
  });

  test("of more than an item holds shows half of the metrics, of all HPAs", () => {
    const noise = () => Array.from(randomBytes(40_000));
    const metrics = Array.from({ length: 20 }, noise);
    const item = encodeMinute("prod", minute, rowsOf({ ...columns, metrics }, "r"), 0);
    expect(itemBytes(item)).toBeLessThanOrEqual(maxItemBytes);
    const found = decodeMinute(item, roomy())?.columns.metrics;
    expect(found).toEqual(metrics.slice(0, 5));
  });

  test("without metrics stays whole, however large it is", () => {
    const desired = Array.from(randomBytes(500_000));
    const item = encodeMinute("prod", minute, rowsOf({ ...columns, desired, metrics: [] }, "r"), 0);
    expect(itemBytes(item)).toBeGreaterThan(maxItemBytes);
  });

  const item = encodeMinute("prod", minute, rowsOf(columns, "r"), 0);
  const rows = { d: [], c: [], r: [], s: [], f: [], n: [], m: [[]] };
  test.each<[string, Item]>([
    ["no rows", { ...item, packed: { S: "x" } }],
    ["rows that are no JSON", { ...item, packed: { B: brotliCompressSync("{") } }],
    ["a list as rows", { ...item, ...packed([]) }],
    ...["d", "c", "r", "s", "f", "n", "m"].map((name): [string, Item] => [
      `no column ${name}`,
      { ...item, ...packed({ ...rows, [name]: {} }) },
    ]),
    ["a metric that is no column", { ...item, ...packed({ ...rows, m: [[], {}] }) }],
    ["a slot in text", { ...item, slot: { S: "x" } }],
    ["no list of what came before", { ...item, previous: { S: "x" } }],
  ])("with %s is unreadable", (_what, broken) => {
    expect(decodeMinute({ ...item, ...packed(rows) }, roomy())).toBeDefined();
    expect(decodeMinute(broken, roomy())).toBeUndefined();
  });

  test("leaves out what came before by another form", () => {
    const previous = { L: [{ S: "x" }, { M: { from: { N: "1" }, slot: { N: "1" } } }, { M: { from: { S: "" } } }] };
    expect(decodeMinute({ ...item, previous }, roomy())?.previous).toEqual([]);
  });
});

const sample = (current: number, metrics: readonly number[] = []): HistorySample => ({
  ...{ current, desired: 2, recommended: 2, stabilized: 2, flags: 0, conditions: 1 },
  metrics: metrics.map((value) => ({ value, averageValue: null })),
});

describe("a block", () => {
  const key = hpaKey("shop", "web");
  const at = (seconds: number) => start + seconds * 1_000;
  const points: readonly HistoryPoint[] = [
    { at: at(15), sample: sample(1, [3]), spec: hpa("a") },
    { at: at(75), sample: null },
    { at: at(90), sample: sample(2), spec: hpa("b") },
    { at: at(105), sample: sample(3), spec: hpa("a") },
  ];
  const item = encodeBlock("prod", { key, start, points }, expiresAt);

  test("reads back the same", () => {
    expect([item["pk"]?.S, item["sk"]?.S, item["start"]?.N, item["expiresAt"]?.N]).toEqual([
      "HISTORY#prod",
      "HPA#shop/web#2026-03-15T12:00:00.000Z",
      `${start}`,
      "2",
    ]);
    expect(decodeBlock(item, roomy())).toStrictEqual(points);
  });

  test("holds each spec once", () => {
    const many = Array.from({ length: 180 }, (_, minute) => ({ at: at(60 * minute), sample: sample(1) }));
    const noise = randomBytes(150).toString("base64");
    const plain = itemBytes(encodeBlock("prod", { key, start, points: many }, 0));
    const spec = hpa(noise);
    const described = many.map((point) => ({ ...point, spec: structuredClone(spec) }));
    const size = itemBytes(encodeBlock("prod", { key, start, points: described }, 0));
    expect(size - plain).toBeLessThan(2 * JSON.stringify(spec).length);
  });

  test("of specs that do not fit shows them without their metrics", () => {
    const noise = () => randomBytes(180).toString("base64");
    const many = Array.from({ length: 180 }, (_, minute) => {
      const spec = hpa(...Array.from({ length: 16 }, noise));
      return { at: at(60 * minute), sample: sample(1, [2]), spec: { ...spec, maxReplicas: minute } };
    });
    const large = encodeBlock("prod", { key, start, points: many }, 0);
    expect(itemBytes(large)).toBeLessThanOrEqual(maxItemBytes);
    expect(decodeBlock(large, roomy())).toEqual(
      many.map((point) => ({ ...point, spec: { ...point.spec, metrics: [] } })),
    );
  });

  const block = { t: [0], p: [0], specs: [{}], d: [], c: [], r: [], s: [], f: [], n: [], m: [] };
  test.each<[string, Item]>([
    ["no start", { ...item, start: { S: "x" } }],
    ["no columns", { ...item, ...packed({ t: [], p: [], specs: [] }) }],
    ["a list", { ...item, ...packed([]) }],
    ...["t", "p", "specs"].map((name): [string, Item] => [
      `no ${name}`,
      { ...item, ...packed({ ...block, [name]: {} }) },
    ]),
  ])("with %s is unreadable", (_what, broken) => {
    expect(decodeBlock({ ...item, ...packed(block) }, roomy())).toBeDefined();
    expect(decodeBlock(broken, roomy())).toBeUndefined();
  });

  test("shows no spec that is none", () => {
    expect(decodeBlock({ ...item, ...packed(block) }, roomy())).toStrictEqual([{ at: start, sample: null }]);
    expect(decodeBlock({ ...item, ...packed({ ...block, specs: [hpa()], p: [null] }) }, roomy())).toStrictEqual([
      { at: start, sample: null },
    ]);
  });
});
