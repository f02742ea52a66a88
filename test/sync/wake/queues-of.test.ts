import {
  hashesFor,
  hashOfName,
  includesSorted,
  namesIn,
  queueHashes,
  queuesOf,
  queuesOfSource,
  readsQueue,
  sourceNames,
  type SpecOfSource,
} from "../../../lib/sync/wake/queues-of";

/** Which queues an entry reads. Whatever an entry holds instead of a metric reads none, and its neighbours go on. */
const metric = (name: unknown, matchLabels?: unknown) => ({
  type: "External",
  external: { metric: { name, ...(matchLabels !== undefined && { selector: { matchLabels } }) } },
});
const documentOf = (...metrics: readonly unknown[]) => ({ spec: { metrics } });
const sources: Readonly<Record<string, unknown>> = {
  jobs: { kind: "sqs", parameters: { queue: "mail", queuePrefix: "mail-" } },
  bare: { kind: "sqs" },
  depth: { kind: "prometheus", parameters: { queue: "no" } },
  broken: "no spec",
};
const specOf: SpecOfSource = (name) => sources[name];
const none = { names: [], prefixes: [] };

test.each<[string, unknown, { names: readonly string[]; prefixes: readonly string[] }]>([
  [
    "a built-in name with labels",
    documentOf(metric("sqs", { queue: "a", queues: "b, c" })),
    { names: ["a", "b", "c"], prefixes: [] },
  ],
  ["a source", documentOf(metric("jobs")), { names: ["mail"], prefixes: ["mail-"] }],
  [
    "a source whose parameters a label replaces",
    documentOf(metric("jobs", { queue: "own" })),
    { names: ["own"], prefixes: ["mail-"] },
  ],
  [
    "a source that names no queue",
    documentOf(metric("bare"), metric("bare", { queue: "a" })),
    { names: ["a"], prefixes: [] },
  ],
  ["a source of another kind", documentOf(metric("depth", { queue: "a" })), none],
  ["a source that cannot be read, as if there were none", documentOf(metric("broken", { queue: "a" })), none],
  ["another name without a source", documentOf(metric("depths", { queue: "a" })), none],
  ["labels that are no texts", documentOf(metric("sqs", { queue: 7, queues: ["b"], queuePrefix: "" })), none],
  [
    "several metrics",
    documentOf(metric("jobs"), metric("sqs", { queuePrefix: "x" })),
    { names: ["mail"], prefixes: ["mail-", "x"] },
  ],
  [
    "metrics that are none",
    documentOf(
      1,
      null,
      {},
      { external: 1 },
      { external: { metric: 1 } },
      metric(7),
      metric("sqs", "no"),
      metric("sqs", { queue: "a" }),
    ),
    { names: ["a"], prefixes: [] },
  ],
  ["a selector that is none", documentOf({ external: { metric: { name: "sqs", selector: "x" } } }), none],
  ["no list of metrics", { spec: { metrics: { 0: metric("sqs", { queue: "a" }) } } }, none],
  ["no spec", { spec: [] }, none],
  ["no map", "text", none],
])("%s", (_what, document, expected) => {
  expect(queuesOf(document, specOf)).toStrictEqual(expected);
});

test("the names of metrics, of which any may be a source", () => {
  expect(sourceNames(documentOf(metric("a"), metric(7), {}, metric("b")))).toStrictEqual(["a", "b"]);
});

test.each<[unknown, object]>([
  [sources["jobs"], { names: ["mail"], prefixes: ["mail-"] }],
  [sources["bare"], none],
  [sources["depth"], none],
  [sources["broken"], none],
  [undefined, none],
])("of a source alone: %j", (spec, expected) => {
  expect(queuesOfSource(spec)).toStrictEqual(expected);
});

test.each([
  ["a", "", ["a"]],
  [" https://sqs.eu-west-1.amazonaws.com/1/mail ", undefined, ["mail"]],
  ["arn:aws:sqs:eu-west-1:1:mail", "x, arn:aws:sqs:eu-west-1:1:y", ["mail", "x", "y"]],
  ["", "a,,b", ["a", "b"]],
  [null, 7, []],
])("the queues of %j and %j", (queue, queues, expected) => {
  expect(namesIn(queue, queues)).toStrictEqual(expected);
});

test("a queue is read by its name or its beginning", () => {
  const read = { names: ["mail"], prefixes: ["job-", "x"] };
  const all = ["mail", "mail-2", "job-1", "job", "x", "yx"];
  expect(all.filter((name) => readsQueue(read, name))).toEqual(["mail", "job-1", "x"]);
});

describe("hashes", () => {
  test("a name and a prefix of the same text are two, and each is named once", () => {
    const hashes = queueHashes({ names: ["mail", "mail"], prefixes: ["mail", "mail"] });
    expect(hashes).toHaveLength(2);
    expect(hashes[0]).toBe(hashOfName("mail"));
  });

  test("an index names a queue by its name or any of its beginnings", () => {
    const prefixed = queueHashes({ names: [], prefixes: ["m", "ma", "mai", "mail"] });
    expect(hashesFor("mail")).toEqual([hashOfName("mail"), ...prefixed]);
  });

  test("what is longer than a queue's name may be, or empty, is none", () => {
    const [longest, longer] = ["q".repeat(80), "q".repeat(81)];
    expect([hashOfName(longest), hashOfName(longer), hashOfName("")]).toEqual([
      expect.any(Number),
      undefined,
      undefined,
    ]);
    expect(queueHashes({ names: [longest, longer, ""], prefixes: [longest, longer, ""] })).toHaveLength(2);
    expect([hashesFor(longest).length, hashesFor(longer).length, hashesFor("")]).toEqual([81, 80, []]);
  });
});

test("a value is looked for in a sorted list of any length", () => {
  for (let length = 0; length <= 9; length++) {
    const sorted = Uint32Array.from({ length }, (_, index) => 10 * index + 5);
    const found = Array.from({ length: 100 }, (_, value) => value).filter((value) => includesSorted(sorted, value));
    expect(found).toEqual([...sorted]);
  }
});
