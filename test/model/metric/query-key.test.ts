import { foundSource, keyOfFound, memoryOfFound } from "../../../lib/model/metric/found-source";
import { keyOfParts, queryKey } from "../../../lib/model/metric/query-key";

const long = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`name-${index}`, `value-${index}`]));
const backwards = Object.fromEntries(Object.entries(long).reverse());

test("a key has at most 1,000 characters, however long the parameters are", () => {
  expect(queryKey("http", { metricName: "jobs", parameters: { body: "x".repeat(900) } })).toHaveLength(929);
  const key = queryKey("http", { metricName: "jobs", parameters: { body: "x".repeat(16_000) } });
  expect(key).toHaveLength(43);
  expect(queryKey("http", { metricName: "jobs", parameters: { body: `${"x".repeat(15_999)}y` } })).not.toBe(key);
});

describe("the key of an entry's parameters and a metric's labels", () => {
  test("is that of both together, while they are short", () => {
    const parts = { metricName: "jobs", own: { a: "1", b: 2 }, labels: { b: "3" } };
    expect(keyOfParts("http", parts)).toBe(queryKey("http", { metricName: "jobs", parameters: { a: "1", b: "3" } }));
    expect(keyOfParts("http", { metricName: "jobs" })).toBe('["http","jobs",[]]');
  });

  test("of a large source, is the same in any order, and whether a label repeats a parameter or not", () => {
    const key = keyOfParts("http", { metricName: "jobs", own: long, labels: { own: "1" } });
    expect(keyOfParts("http", { metricName: "jobs", own: backwards, labels: { own: "1" } })).toBe(key);
    expect(keyOfParts("http", { metricName: "jobs", own: long, labels: { "name-7": "value-7", own: "1" } })).toBe(key);
  });

  test.each<[string, Parameters<typeof keyOfParts>]>([
    ["another label", ["http", { metricName: "jobs", own: long, labels: { own: "2" } }]],
    ["no label", ["http", { metricName: "jobs", own: long }]],
    ["another parameter", ["http", { metricName: "jobs", own: { ...long, "name-7": "-" }, labels: { own: "1" } }]],
    ["a label that overrides", ["http", { metricName: "jobs", own: long, labels: { own: "1", "name-7": "-" } }]],
    ["another name", ["http", { metricName: "mail", own: long, labels: { own: "1" } }]],
    ["another kind", ["redis", { metricName: "jobs", own: long, labels: { own: "1" } }]],
    ["a number instead of its text", ["http", { metricName: "jobs", own: long, labels: { own: 1 } }]],
  ])("of a large source, is another one with %s", (_name, other) => {
    expect(keyOfParts(...other)).not.toBe(keyOfParts("http", { metricName: "jobs", own: long, labels: { own: "1" } }));
  });
});

test("an entry's parameters are merged with the labels where they are read, and once", () => {
  const found = foundSource({ source: "http", metricName: "jobs", own: long, labels: { "name-7": "-", own: "1" } });
  expect(found.parameters).toEqual({ ...long, "name-7": "-", own: "1" });
  expect(found.parameters).toBe(found.parameters);
  expect(JSON.parse(JSON.stringify(found))).toEqual({ kind: "source", source: "http", parameters: found.parameters });
  const plain = foundSource({ source: "http", metricName: "jobs", own: long });
  expect(plain.parameters).toBe(long);
});

test("what is found in a table's item has the same key as what was written there", () => {
  const found = foundSource({ source: "http", metricName: "jobs", own: { a: "1" }, labels: { b: "2" } });
  const stored = JSON.parse(JSON.stringify(found)) as typeof found;
  expect(keyOfFound(stored, "jobs")).toBe(keyOfFound(found, "jobs"));
});

test("reading a source takes the memory of its parameters twice, and that of its operands", () => {
  const small = foundSource({ source: "http", metricName: "jobs", own: { body: "x".repeat(100) } });
  const large = foundSource({ source: "http", metricName: "jobs", own: { body: "x".repeat(10_100) } });
  expect(memoryOfFound(large) - memoryOfFound(small)).toBe(20_000);
  const operand = { name: "a", metricName: "jobs", found: large };
  const broken = { name: "b", metricName: "b", found: { kind: "invalid", error: "none", from: "b" } } as const;
  const sum = foundSource({ source: "formula", metricName: "sum" }, [operand, broken]);
  expect(memoryOfFound(sum)).toBeGreaterThan(memoryOfFound(large));
});
