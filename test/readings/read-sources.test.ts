import { rulesFor } from "../../lib/readings/metric-rules";
import { readSource, requestKeys } from "../../lib/readings/read-operands";
import { operandsOf } from "../../lib/sources/formula/operands";
import { openFormulaSource } from "../../lib/sources/formula/formula";
import type { HorizontalPodAutoscaler } from "../../lib/k8s/hpa";
import type { SourceEntry } from "../../lib/model/entry/entries";
import type { KnownSource, MetricSources, SourceQuery, SourceReading } from "../../lib/model/ports/sources";
import type { Entry } from "../../lib/model/ports/store";
import type { State } from "../../lib/model/stored/state";
import { queryKey } from "../../lib/model/metric/query-key";
import { externalSource, shareSources } from "../../lib/readings/read-sources";
import { contextOf } from "../sources/read-context";

const { signal } = new AbortController();
const slot = Date.parse("2026-03-01T12:00:00Z");
const run = contextOf({ now: slot + 200, signal });
const kind = (isBuiltIn: boolean): KnownSource => ({
  isBuiltIn,
  keepMs: () => 0,
  open: () => ({ read: () => Promise.resolve({ items: [] }) }),
});

describe("where an External metric is read from", () => {
  const sources = { sqs: kind(true), cron: kind(false) };
  const entry = (parameters?: Record<string, unknown>): Entry<SourceEntry> => ({
    key: "jobs",
    value: { name: "jobs", spec: { kind: "cron", ...(parameters && { parameters }) } },
  });
  const find = (name: string, selector?: object, known?: Entry<SourceEntry>) =>
    externalSource(selector === undefined ? { name } : { name, selector }, {
      entries: new Map(known === undefined ? [] : [[known.key, known]]),
      sources,
    });

  test.each<[string, ReturnType<typeof find>, object]>([
    ["a name that nobody knows is the cluster's", find("depth"), { kind: "cluster" }],
    ["a kind that may be named without an entry", find("sqs"), { kind: "source", source: "sqs", parameters: {} }],
    ["a kind that may not is the cluster's", find("cron"), { kind: "cluster" }],
    ["a name that every object inherits is the cluster's", find("constructor"), { kind: "cluster" }],
    [
      "its labels are parameters",
      find("sqs", { matchLabels: { queue: "a" } }),
      { kind: "source", source: "sqs", parameters: { queue: "a" } },
    ],
    [
      "an entry's kind, whichever it is, with its parameters",
      find("jobs", undefined, entry({ queue: "a" })),
      { kind: "source", source: "cron", parameters: { queue: "a" } },
    ],
    [
      "labels override an entry's parameters",
      find("jobs", { matchLabels: { queue: "b" } }, entry({ queue: "a", region: "x" })),
      { kind: "source", source: "cron", parameters: { queue: "b", region: "x" } },
    ],
    ["an entry without parameters", find("jobs", {}, entry()), { kind: "source", source: "cron", parameters: {} }],
    ["another name than the entry's", find("depth", undefined, entry()), { kind: "cluster" }],
    [
      "an entry that is invalid",
      find("jobs", undefined, { key: "jobs", invalid: "spec.kind: expected text" }),
      { kind: "invalid", error: "spec.kind: expected text", from: "source jobs" },
    ],
    [
      "expressions are no parameters",
      find("sqs", { matchExpressions: [{ key: "queue", operator: "Exists" }] }),
      {
        kind: "invalid",
        error: "expected the source's parameters in selector.matchLabels, got matchExpressions",
        from: "sqs",
      },
    ],
    ["no expression is none", find("sqs", { matchExpressions: [] }), { kind: "source", source: "sqs", parameters: {} }],
    [
      "the cluster's metrics may have expressions",
      find("depth", { matchExpressions: [{ key: "queue", operator: "Exists" }] }),
      { kind: "cluster" },
    ],
  ])("%s", (_name, found, expected) => {
    expect(found).toEqual(expected);
  });
});

describe("a query's key", () => {
  test.each<[string, string, SourceQuery, string]>([
    ["a kind by its own name", "sqs", { metricName: "sqs", parameters: { queue: "a" } }, '["sqs","",[["queue","a"]]]'],
    ["an entry's name", "sqs", { metricName: "jobs", parameters: {} }, '["sqs","jobs",[]]'],
    [
      "sorted by the parameters' names",
      "sqs",
      { metricName: "jobs", parameters: { c: 1, a: 2, d: 3, b: 4 } },
      '["sqs","jobs",[["a",2],["b",4],["c",1],["d",3]]]',
    ],
  ])("%s", (_name, of, query, expected) => {
    expect(queryKey(of, query)).toBe(expected);
  });
});

describe("the reads of one run", () => {
  const query = { metricName: "jobs", parameters: { queue: "orders" } };
  const key = queryKey("paid", query);
  const reading = (value: string): SourceReading => ({
    items: [{ metricName: "jobs", timestamp: "2026-03-01T12:00:00Z", value }],
  });
  const stateWith = (readings: unknown) => ({ readings }) as unknown as State;

  function setUp(keepMs: number, states: Readonly<Record<string, State>> = {}) {
    const asked: SourceQuery[] = [];
    const opened: object[] = [];
    const paid: KnownSource = {
      isBuiltIn: true,
      keepMs: () => keepMs,
      open(run) {
        opened.push(run);
        return {
          read(one) {
            asked.push(one);
            return Promise.resolve(reading("40"));
          },
        };
      },
    };
    const sources: MetricSources = { paid, free: paid };
    return { asked, opened, reads: shareSources(sources, states, { slot, ...run }) };
  }

  test("a kind is opened once, with the run's moment and signal, and a query is asked once", async () => {
    const { reads, asked, opened } = setUp(0);
    const other = { ...query, parameters: { queue: "other" } };
    const all = await Promise.all([reads.read("paid", query), reads.read("paid", query), reads.read("paid", other)]);
    expect(all).toEqual([{ response: reading("40") }, { response: reading("40") }, { response: reading("40") }]);
    expect(asked).toEqual([query, other]);
    expect(opened).toHaveLength(1);
    expect(opened[0]).toMatchObject({ now: slot + 200, cluster: run.cluster });
    expect((opened[0] as typeof run).signal).toBe(signal);
  });

  test("a reading with a period is kept from its slot on", async () => {
    const { reads } = setUp(60_000);
    const response = reading("40");
    expect(await reads.read("paid", query)).toEqual({ response, keep: { key, reading: { response, readAt: slot } } });
  });

  test("a reading that a state remembers is kept as it was", async () => {
    const cached = { response: reading("7"), readAt: slot - 45_000 };
    const { reads, asked } = setUp(60_000, { "shop/a": stateWith({ [key]: cached }) });
    expect(await reads.read("paid", query)).toEqual({ response: cached.response, keep: { key, reading: cached } });
    expect(asked).toEqual([]);
  });

  test.each<[string, readonly number[], string]>([
    ["the first", [-15_000, -30_000], "0"],
    ["the second", [-30_000, -15_000], "1"],
    ["the first of two that are equally old", [-30_000, -30_000], "0"],
  ])("of what several states remember, the newest counts: %s", async (_name, ages, value) => {
    const states = Object.fromEntries(
      ages.map((age, index) => [
        `shop/${index}`,
        stateWith({ [key]: { response: reading(String(index)), readAt: slot + age } }),
      ]),
    );
    const { response } = await setUp(300_000, states).reads.read("paid", query);
    expect(response).toEqual(reading(value));
  });

  test.each<[string, number, number, boolean]>([
    ["is not asked again within a minute", 300_000, 59_999, false],
    ["is asked again after a minute, long before its period ends", 300_000, 60_000, true],
    ["is asked again when a shorter period ends", 15_000, 15_000, true],
    ["is not asked again before that", 15_000, 14_999, false],
  ])("a query that failed %s", async (_name, keepMs, age, isAsked) => {
    const failed = { response: { error: "no rights" }, readAt: slot - age };
    const { reads, asked } = setUp(keepMs, { "shop/a": stateWith({ [key]: failed }) });
    const { response } = await reads.read("paid", query);
    expect(response).toEqual(isAsked ? reading("40") : { error: "no rights" });
    expect(asked).toHaveLength(isAsked ? 1 : 0);
  });

  test("one item that cannot be read makes the reading unusable, whatever the others are", async () => {
    const items = [{ metricName: "jobs", timestamp: "", value: "7" }, { value: "no quantity" }];
    const { reads, asked } = setUp(60_000, { "shop/a": stateWith({ [key]: { response: { items }, readAt: slot } }) });
    expect((await reads.read("paid", query)).response).toEqual(reading("40"));
    expect(asked).toHaveLength(1);
  });

  test.each(["none", "constructor"])(
    "a kind that nobody can read (%s) is named beside those that exist",
    async (of) => {
      const { reads } = setUp(0);
      expect(await reads.read(of, query)).toEqual({
        response: { error: `expected a source of kind paid, free, got "${of}"`, from: "jobs" },
      });
    },
  );
});

describe("a source that is made of others", () => {
  const asked: SourceQuery[] = [];
  const sqs: KnownSource = {
    isBuiltIn: true,
    settleMs: ({ parameters }) => (parameters["queue"] === "mail" ? 60_000 : 20_000),
    keepMs: ({ parameters }) => (parameters["queue"] === "paid" ? 60_000 : 0),
    open: () => ({
      read(query) {
        asked.push(query);
        if (query.parameters["queue"] === "dead") return Promise.resolve({ error: "no answer", from: "sqs" });
        return Promise.resolve({ items: [{ metricName: "sqs", timestamp: "2026-03-01T12:00:00Z", value: "4" }] });
      },
    }),
  };
  const sources: MetricSources = {
    sqs,
    formula: { ...openFormulaSource(), isBuiltIn: false, operands: operandsOf },
  };
  const entryOf = (key: string, kind: string, parameters: Record<string, unknown>): [string, Entry<SourceEntry>] => [
    key,
    { key, value: { name: key, spec: { kind, parameters } } },
  ];
  const operand = (name: string, source: string, labels = {}) => ({ name, source, labels });
  const formulaOf = (formula: string, ...operands: object[]) => ({ formula, operands });
  const entries = new Map<string, Entry<SourceEntry>>([
    entryOf("orders", "sqs", { queue: "orders", region: "eu-west-1" }),
    entryOf("sum", "formula", formulaOf("a + b", operand("a", "orders"), operand("b", "sqs", { queue: "mail" }))),
    entryOf("same", "formula", formulaOf("a * 2", operand("a", "orders", { queue: "${queue}" }))),
    entryOf("kept", "formula", formulaOf("a", operand("a", "sqs", { queue: "paid" }))),
    entryOf("dead", "formula", formulaOf("a + b ?? 1", operand("a", "orders"), operand("b", "sqs", { queue: "dead" }))),
    entryOf("self", "formula", formulaOf("a", operand("a", "self"))),
    entryOf("other", "formula", formulaOf("a ?? b", operand("a", "sum"), operand("b", "nothing"))),
    entryOf("odd", "formula", formulaOf("a", operand("a", "broken"))),
    entryOf("empty", "formula", {}),
    ["broken", { key: "broken", invalid: "spec.kind: expected text" }],
  ]);
  const known = { entries, sources };
  const find = (name: string, labels?: Record<string, string>) => {
    const found = externalSource(labels === undefined ? { name } : { name, selector: { matchLabels: labels } }, known);
    if (found.kind !== "source") throw new Error(`expected a source, got ${JSON.stringify(found)}`);
    return found;
  };
  const open = () => shareSources(sources, {}, { slot, ...run });
  const read = (name: string, reads = open(), labels?: Record<string, string>) =>
    readSource(reads, find(name, labels), { metricName: name, priority: 3, requester: "shop/web" });

  beforeEach(() => void asked.splice(0));

  test("asks each operand as a metric of its own would, for its HPA", async () => {
    expect((await read("sum")).response).toMatchObject({ items: [{ value: "8" }], madeOf: "a=4, b=4" });
    expect(asked).toEqual([
      {
        metricName: "orders",
        parameters: { queue: "orders", region: "eu-west-1" },
        priority: 3,
        requester: "shop/web",
      },
      { metricName: "sqs", parameters: { queue: "mail" }, priority: 3, requester: "shop/web" },
    ]);
  });

  test("shares the readings of a slot with metrics and with other formulas", async () => {
    const reads = open();
    await Promise.all([
      reads.read("sqs", { metricName: "sqs", parameters: { queue: "mail" } }),
      read("sum", reads),
      read("sum", reads),
      read("same", reads, { "var.queue": "orders" }),
    ]);
    expect(asked).toHaveLength(2);
  });

  test("keeps a reading with a period for the HPA's state", async () => {
    const { cached } = await read("kept");
    expect(Object.keys(cached)).toEqual(['["sqs","",[["queue","paid"]]]']);
  });

  test("one dead operand leaves the others as they are, and the formula says what counts", async () => {
    expect((await read("dead")).response).toMatchObject({ items: [{ value: "5" }] });
    expect((await read("sum")).response).toMatchObject({ items: [{ value: "8" }] });
  });

  test.each([
    ["self", "operand a (source self): expected a source that is no formula itself: write that one's formula here"],
    ["other", "operand a (source sum): expected a source that is no formula itself: write that one's formula here"],
    ["odd", "operand a (source broken): spec.kind: expected text"],
  ])("the formula %s is an error, and asks nobody", async (name, error) => {
    const { response } = await read(name);
    if (name === "other") expect(JSON.stringify(response)).toContain("there is no source named nothing");
    else expect(response).toEqual({ error, from: "formula" });
    expect(asked).toEqual([]);
  });

  test("a formula without operands is invalid", () => {
    expect(externalSource({ name: "empty" }, known)).toEqual({
      kind: "invalid",
      error: "parameter operands: expected a list of operands, each with a name and a source, got nothing",
      from: "empty",
    });
  });

  test("going to zero is confirmed as its least exact operand wants it", () => {
    const rulesOf = (name: string, periodMs = 15_000) => {
      const metric = { type: "External", external: { metric: { name }, target: { type: "Value", value: "1" } } };
      const hpa = { metadata: { name: "web" }, spec: { metrics: [metric] } } as unknown as HorizontalPodAutoscaler;
      return rulesFor(hpa, known, periodMs);
    };
    expect(rulesOf("orders")).toEqual({ rules: [{ confirm: 3 }] });
    expect(rulesOf("sum")).toEqual({ rules: [{ confirm: 5 }] });
    expect(rulesOf("sum", 60_000)).toEqual({ rules: [{ confirm: 2 }] });
    expect(rulesOf("odd")).toEqual({});
  });

  test("its requests are those of its operands", () => {
    const [orders, mail] = requestKeys(find("sum"), "sum");
    expect(mail).toBe(queryKey("sqs", { metricName: "sqs", parameters: { queue: "mail" } }));
    expect(requestKeys(find("same", { "var.queue": "orders" }), "same")).toEqual([orders]);
    expect(requestKeys(find("orders"), "orders")).toEqual([orders]);
    expect(requestKeys(find("self"), "self")).toEqual([]);
  });
});
