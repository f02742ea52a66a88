import fc from "fast-check";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { compileFormula } from "../../../lib/sources/formula/compile";
import { openFormulaSource, parseFormulaQuery } from "../../../lib/sources/formula/formula";
import { functions, Missing } from "../../../lib/sources/formula/call";
import { operandsOf } from "../../../lib/sources/formula/operands";
import type { SourceReading } from "../../../lib/model/ports/sources";
import { sourceContract } from "../contract/contract";
import { contextOf } from "../read-context";

const values: Readonly<Record<string, number | undefined>> = { a: 3, b: 4, c: 0.5, zero: 0, gone: undefined };

function calculate(formula: string): number {
  const names = Object.keys(values).filter((name) => new RegExp(`\\b${name}\\b`).test(formula));
  return compileFormula(
    formula,
    names,
  )((name) => {
    const value = values[name];
    if (value === undefined) throw new Missing(`operand ${name}: no answer`);
    return value;
  });
}

// expr 1.17.6, which KEDA's formulas are written in, gives the same for each; the last ones it does not take.
test.each<[string, number]>([
  ["a", 3],
  ["a + b * 2", 11],
  ["(a + b) * 2", 14],
  ["(a+b)/2", 3.5],
  ["a - b - 1", -2],
  ["2 ** 3 ** 2", 512],
  ["2 ^ 3", 8],
  ["-a ** 2", -9],
  ["(-a) ** 2", 9],
  ["2 * -a ** 2", -18],
  ["+a - -b", 7],
  [".5 + 1e2", 100.5],
  ["a > 2 ? a + b : 1", 7],
  ["a < 2 ? a+b >= 2 ? 5 : 10 : 0", 0],
  ["b > 2 ? a > 5 ? 1 : 2 : 3", 2],
  ["a < 3 ? 1 : 0", 0],
  ["a <= 3 ? 1 : 0", 1],
  ["b <= a ? 1 : 0", 0],
  ["a > 3 ? 1 : 0", 0],
  ["a >= 3 ? 1 : 0", 1],
  ["a >= b ? 1 : 0", 0],
  ["a == 4 ? 1 : 0", 0],
  ["a != 3 ? 1 : 0", 0],
  ["(a > 5) == (b > 5) ? 1 : 0", 1],
  ["(a > 5) != (b > 5) ? 1 : 0", 0],
  ["a > 5 || b > 5 ? 1 : 0", 0],
  ["a > 5 or b > 3 ? 1 : 0", 1],
  ["a > 2 && b > 5 ? 1 : 0", 0],
  ["a == 3 && b != 3 ? 1 : 0", 1],
  ["a >= 3 and not (b <= 3) or false ? 1 : 0", 1],
  ["!(a > b) || a > b ? 1 : 0", 1],
  ["true == (a < b) ? 1 : 0", 1],
  ["count([a,b,c],{#>1}) > 1 ? 5 : 0", 5],
  ["count([a, b, c], # > 1)", 2],
  ["count([a > 1, b > 10])", 1],
  ["count([a > 1, b > 1, c > 10])", 2],
  ["len([a, b])", 2],
  ["len([a > 5, b > 5, c > 5])", 3],
  ["sum(map(filter([a, b, c], {# > 1}), {# * 2}))", 14],
  ["sum(map([a > 1, b > 10], {# ? 5 : 1}))", 6],
  ["count(filter([a > 1, b > 10, c > 10], {not #}))", 0],
  ["sum(filter([a, b, c], {# > 1}))", 7],
  ["max(map([a, b], {# * c}))", 2],
  ["any([a, b], {# > 3}) && all([a, b], {# > 2}) && none([a], {# > 3}) && one([a, b], {# > 3}) ? 1 : 0", 1],
  ["any([a, b], {# > 9}) ? 1 : 0", 0],
  ["all([a, b], {# > 3}) ? 1 : 0", 0],
  ["none([a, b], {# > 3}) ? 1 : 0", 0],
  ["one([a, b], {# > 2}) ? 1 : 0", 0],
  ["max(a, b)", 4],
  ["max([a, b], 9, c)", 9],
  ["min(a, [b, c])", 0.5],
  ["mean([a, b])", 3.5],
  ["median([b, a, 100])", 4],
  ["median(a, b)", 3.5],
  ["median([100, 1, 3, 2])", 2.5],
  ["abs(-a) + ceil(c) + floor(c) + int(-1.7) + float(a)", 6],
  ["round(2.5)", 3],
  ["round(-2.5)", -3],
  ["gone ?? a", 3],
  ["a ?? gone", 3],
  ["gone ?? gone ?? b", 4],
  // It binds tighter than arithmetic.
  ["b + gone ?? 1", 5],
  ["-gone ?? b", -4],
  ["2 ** gone ?? a", 8],
  ["max(gone ?? 0, a)", 3],
  ["gone == nil ? 1 : 2", 1],
  ["gone != nil ? 1 : 2", 2],
  ["nil == gone ? 1 : 2", 1],
  ["a == nil ? 1 : 2", 2],
  ["a != nil ? a : 0", 3],
  // What does not count is not calculated.
  ["a > 2 ? a : gone", 3],
  ["zero > 0 ? a / zero : 0", 0],
  ["a > 2 || gone > 2 ? 1 : 0", 1],
  ["zero > 2 && gone > 2 ? 1 : 0", 0],
  // Only here.
  ["b % a", 1],
  ["-b % a", -1],
  ["sum(a, b, c)", 7.5],
  ["(gone + 1) ?? 7", 7],
  ["nil == gone + a ? 1 : 2", 1],
])("%s = %d", (formula, expected) => {
  expect(calculate(formula)).toBe(expected);
});

test.each<[string, string]>([
  ["a / zero", "division by zero"],
  ["a % zero", "division by zero"],
  ["a / (b - 4)", "division by zero"],
  ["10 ** 400", "the result of ** is not a finite number"],
  ["zero ** -1", "the result of ** is not a finite number"],
  ["(-1) ** c", "the result of ** is not a finite number"],
  ["sum(10 ** 308, 10 ** 308)", "the result of sum is not a finite number"],
  ["mean(filter([a], {# > 5}))", "mean of an empty list"],
  ["max(filter([a], {# > 5}))", "max of an empty list"],
  ["min(filter([a], {# > 5}))", "min of an empty list"],
  ["median(filter([a], {# > 5}))", "median of an empty list"],
  ["(a / zero) ?? 5", "division by zero"],
  ["gone", "operand gone: no answer"],
  ["a + gone", "operand gone: no answer"],
  ["max(a, gone)", "operand gone: no answer"],
  ["gone > 1 ? 1 : 0", "operand gone: no answer"],
  ["zero * gone", "operand gone: no answer"],
  ["count([a, gone], {# > 1})", "operand gone: no answer"],
  ["gone ?? gone", "operand gone: no answer"],
])("%s fails: %s", (formula, message) => {
  expect(() => calculate(formula)).toThrow(message);
});

test.each([
  ["(", ")"],
  ["max([", "])"],
])("30 brackets within each other are the most: %s", (open, close) => {
  const depth = 30 / open.replace(/[a-z]/g, "").length;
  const formula = (levels: number) => `${open.repeat(levels)}a${close.repeat(levels)}`;
  expect(calculate(formula(depth))).toBe(3);
  expect(() => calculate(formula(depth + 1))).toThrow(
    /^parameter formula: expected at most 30 brackets within each other, got 3[12]$/,
  );
  expect(calculate(Array.from({ length: 40 }, () => formula(1)).join(" + "))).toBe(120);
});

test.each<[string, string]>([
  ["gone ?? 0 + b", "brackets around ?? or around what is beside it"],
  ["a ?? b > 1 ? 1 : 0", "brackets around ?? or around what is beside it"],
  ["a +", "parameter formula: expected a formula (Expected expression after + at character 3)"],
  ["(a", "expected a formula (Unclosed ( at character 2)"],
  ["a b", "a formula without several expressions"],
  ["a; b", "a formula without several expressions"],
  ["(a, b)", "a formula without several expressions"],
  ["a > b", "a number (a condition becomes one by ? 1 : 0)"],
  ["[a, b]", "a number where there is a list of numbers"],
  ["nil", "a number where there is a nil"],
  ["a ? 1 : 2", "a condition where there is a number"],
  ["a && b > 1 ? 1 : 2", "a condition where there is a number"],
  ["1 < a < 3 ? 1 : 2", "a number where there is a condition"],
  ["a > 1 ? 1 : b > 1", "a number where there is a condition"],
  ["a > 1 ? nil : 1", "a nil where there is a number"],
  ["max(a > 1, b)", "a number where there is a condition"],
  ["[a, b > 1]", "a number where there is a condition"],
  ["[a,,b]", "a formula without a list with holes"],
  ["d + a", "operands among a, not d"],
  ["# + a", "operands among a, not #"],
  ["constructor + a", "operands among a, not constructor"],
  ["this + a", "a formula without ThisExpression"],
  ["'a' + a", "a formula without 'a'"],
  ["a.b", "a formula without a member such as a.b or a[0]"],
  ["a['constructor']", "a formula without a member such as a.b or a[0]"],
  ["constructor(a)", "functions among max, min"],
  ["a(1)", "functions among max, min"],
  ["a.b(1)", "functions among max, min"],
  ["toString(a)", "functions among max, min"],
  ["max()", "a formula without max()"],
  ["abs(a, 1)", "a formula without abs of 2 values"],
  ["abs()", "a formula without abs of 0 values"],
  ["count()", "a formula without count of these values"],
  ["count([a], {# > 1}, {# > 2})", "a formula without count of these values"],
  ["len([a], {# > 1})", "a formula without len of two values"],
  ["foo(a)", "map, not foo, got"],
  ["(a)(1)", "a formula without several expressions"],
  ["[a](1)", "not another, got"],
  [`${"a+".repeat(100)}a`, "parameter formula: expected at most 100 levels"],
  ["a ? 1 : 2", "parameter formula: expected a condition"],
  ["a > b", "parameter formula: expected a number"],
  ["count(a, {# > 1})", "parameter formula: expected a list such as [a, b] in count"],
  ["count([a])", "count without a condition such as {# > 1}"],
  ["any([a])", "any without a condition such as {# > 1}"],
  ["count([a], {# + 1})", "a condition where there is a number"],
  ["count([a], {count([a], {# > 1}) > 1})", "count within a condition of another function"],
  ["{a}", "a formula without {…} outside of a function such as count"],
  ["count([a], {# > 1)", "Expected }"],
  ["a === 1 ? 1 : 0", "expected a formula (Expected expression after =="],
  ["a = 1", "expected a formula (Unexpected"],
  ["a => 1", "expected a formula (Unexpected"],
  ["a & 1", "expected a formula (Unexpected"],
  ["`${a}`", "expected a formula (Unexpected"],
  ["1e999 + a", "a formula without 1e999"],
  ["a ~ 1", "expected a formula (Unexpected"],
])("%s is no formula: %s", (formula, message) => {
  expect(() => calculate(formula)).toThrow(message);
});

test("a formula of 100 levels is one", () => {
  expect(calculate(`${"a+".repeat(99)}a`)).toBe(300);
});

test("an operand that the formula does not use is an error", () => {
  expect(() => compileFormula("a", ["a", "b"])).toThrow("expected a formula that uses the operand b");
});

test.each([
  ["brackets", `${"(".repeat(400)}a${")".repeat(400)}`],
  ["signs", `${"-".repeat(999)}a`],
  ["conditions", `${"a>1?1:".repeat(160)}a`],
  ["conditions within conditions", `${"a>1?".repeat(199)}a${":1".repeat(100)}`],
  ["sums", `${"a+".repeat(499)}a`],
  ["functions", `${"abs(".repeat(190)}a${")".repeat(190)}`],
  ["lists", `${"[".repeat(499)}a${"]".repeat(499)}`],
  ["powers", `${"a**".repeat(330)}a`],
  ["defaults", `${"a??".repeat(330)}a`],
])("many %s within each other are an error, or a number", (_name, formula) => {
  try {
    expect(calculate(formula)).toEqual(expect.any(Number));
  } catch (error) {
    expect(error).toMatchObject({ name: "Fault" });
  }
});

test("any text is an error or a number, and never more", () => {
  const parts = [
    "a",
    "b",
    "gone",
    "1",
    "0",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "#",
    ",",
    "+",
    "-",
    "*",
    "/",
    "?",
    ":",
    "??",
  ];
  const more = [
    ">",
    "==",
    "&&",
    "not",
    "nil",
    "true",
    "max(",
    "count(",
    "filter(",
    " ",
    "constructor",
    "__proto__",
    ".",
  ];
  const text = fc.array(fc.constantFrom(...parts, ...more), { maxLength: 12 }).map((all) => all.join(""));
  fc.assert(
    fc.property(fc.oneof(text, fc.string()), (formula) => {
      let result: number;
      try {
        result = calculate(formula);
      } catch (error) {
        return expect(error).toMatchObject({ name: "Fault" });
      }
      expect(Number.isFinite(result)).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});

const orders = { name: "orders", source: "sqs", labels: { queue: "orders" } };
const mail = { name: "mail", source: "mails" };

describe("operands", () => {
  const read = (parameters: Readonly<Record<string, unknown>>) => operandsOf({ metricName: "work", parameters });

  test("are metrics, and a placeholder takes its value from a label", () => {
    const operands = [{ ...orders, labels: { queue: "${queue}-in", region: "eu-west-1" } }, mail];
    expect(read({ formula: "orders + mail", operands, "var.queue": "cards" })).toEqual([
      {
        name: "orders",
        metric: { name: "sqs", selector: { matchLabels: { queue: "cards-in", region: "eu-west-1" } } },
      },
      { name: "mail", metric: { name: "mails", selector: { matchLabels: {} } } },
    ]);
  });

  test.each<[Readonly<Record<string, unknown>>, string]>([
    [{}, "parameter operands: expected a list of operands, each with a name and a source, got nothing"],
    [{ operands: [] }, "parameter operands: expected a list of operands"],
    [{ operands: [{ name: "a" }] }, "parameter operands[0].source: expected the name of a source, got nothing"],
    [{ operands: [{ ...orders, name: "a-b" }] }, "parameter operands[0].name: expected a name of letters"],
    [{ operands: [orders, { ...mail, name: "orders" }] }, "parameter operands[1].name: expected another name"],
    [{ operands: [{ ...orders, labels: { queue: 7 } }] }, "parameter operands[0].labels.queue: expected a text"],
    [{ operands: [{ ...orders, labels: { queue: "${q}" } }] }, "set the label var.q"],
    [{ operands: [orders], "var.q": "x" }, "parameter var.q: expected a placeholder ${q}"],
    [{ operands: Array.from({ length: 21 }, (_, i) => ({ ...mail, name: `m${i}` })) }, "a list of at most 20 operands"],
    [{ formula: "x".repeat(1001) }, "parameter formula: expected a formula of at most 1000 characters"],
  ])("refuses %j", (parameters, message) => {
    expect(() => read(parameters)).toThrow(message);
  });
});

describe("a reading", () => {
  const reading = (...all: string[]): SourceReading => ({
    items: all.map((value) => ({ metricName: "x", timestamp: "2026-11-23T12:00:00Z", value })),
  });
  const failed: SourceReading = { error: "no answer within 5 s" };
  const read = (formula: string, operands: Readonly<Record<string, SourceReading>>) => {
    const parameters = { formula, operands: [orders, mail].filter(({ name }) => formula.includes(name)) };
    const now = Date.parse("2026-11-23T12:00:00Z");
    return openFormulaSource().open(contextOf({ now })).read({ metricName: "work", parameters, operands });
  };

  test("nothing at all is 0, and less than nothing is for the decision, which takes it for no work", async () => {
    const operands = { orders: reading("3"), mail: reading("3") };
    expect(await read("orders - mail", operands)).toMatchObject({ items: [{ value: "0" }] });
    expect(await read("orders - mail - 1", operands)).toMatchObject({ items: [{ value: "-1" }] });
  });

  test("says which right an operand lacked", async () => {
    const operands = { orders: reading("3"), mail: { error: "no", lack: "credentials" } } as const;
    const error = "operand mail (source mails): no";
    expect(await read("orders + mail", operands)).toEqual({ error, from: "formula", lack: "credentials" });
    expect(await read("orders + mail", { ...operands, mail: { error: "no" } })).toEqual({ error, from: "formula" });
  });

  test.each<[string, Readonly<Record<string, SourceReading>>, string | undefined]>([
    ["orders + mail", { orders: reading("3"), mail: reading("4") }, undefined],
    ["orders + mail", { orders: { ...reading("3"), certain: "1" }, mail: reading("4") }, "5"],
    ["max(orders, mail)", { orders: { ...reading("9"), certain: "0" }, mail: { ...reading("4"), certain: 2 } }, "2"],
    ["orders * 2", { orders: { ...reading("3"), certain: "0" } }, "0"],
    ["8 / orders", { orders: { ...reading("2"), certain: "0" } }, "0"],
    ["orders - 1", { orders: { ...reading("2"), certain: "0" } }, "-1"],
    ["orders ?? mail", { orders: { error: "gone" }, mail: { ...reading("4"), certain: "3" } }, "3"],
  ])("%s: certain is what it makes of the certain parts", async (formula, operands, expected) => {
    const found = await read(formula, operands);
    expect("items" in found ? found.certain : found).toBe(expected);
  });

  test("has the number, and what each operand is", async () => {
    expect(await read("orders + mail * 2", { orders: reading("3", "1500m"), mail: reading("250m") })).toEqual({
      items: [
        {
          metricName: "work",
          metricLabels: {},
          timestamp: "2026-11-23T12:00:00.000Z",
          value: "5",
        },
      ],
      madeOf: "orders=4.5, mail=0.25",
    });
  });

  test("an operand that failed is missing, which the formula may allow", async () => {
    const operands = { orders: reading("3"), mail: failed };
    expect(await read("orders + mail ?? 4", operands)).toMatchObject({
      items: [{ value: "7" }],
      madeOf: "orders=3, mail=missing",
    });
  });

  test.each<[string, string, Readonly<Record<string, SourceReading>>, string]>([
    [
      "one that failed",
      "orders + mail",
      { orders: reading("3"), mail: failed },
      "operand mail (source mails): no answer within 5 s",
    ],
    ["an empty answer", "mail * 1", { mail: reading() }, "operand mail (source mails): the answer has no value"],
    ["none was read", "mail * 1", {}, "operand mail (source mails): it was not read"],
    [
      "no number",
      "orders / mail",
      { orders: reading("3"), mail: reading("0") },
      "division by zero (with orders=3, mail=0)",
    ],
    ["a bad formula", "mail *", { mail: reading("0") }, "parameter formula: expected a formula"],
  ])("%s is an error, and not zero", async (_name, formula, operands, error) => {
    expect(await read(formula, operands)).toEqual({ error: expect.stringContaining(error) as string, from: "formula" });
  });
});

test("a query says which parameter is wrong", () => {
  const query = (parameters: object) => parseFormulaQuery({ metricName: "work", parameters: { ...parameters } });
  expect(() => query({ operands: [orders] })).toThrow("parameter formula: expected a formula");
  expect(query({ formula: "orders", operands: [orders] }).formula).toBe("orders");
});

test("the page's example, and the file's, calculate what they say", async () => {
  const file = (path: string) => readFileSync(join(__dirname, "../../..", path), "utf8");
  const [, onPage = ""] = /```yaml\n([^`]*)```/.exec(file("docs/sources/formula.md")) ?? [];
  const spec = (text: string) => (parse(text) as { readonly spec: { readonly parameters: object } }).spec;
  const inFile = file("examples/hpa-formula.yaml").split(/^---$/m)[1] ?? "";
  expect(spec(inFile)).toEqual(spec(onPage));
  const of = (value: string): SourceReading => ({ items: [{ metricName: "m", timestamp: "", value }] });
  const read = (operands: Readonly<Record<string, SourceReading>>) =>
    openFormulaSource()
      .open(contextOf())
      .read({ metricName: "sending", parameters: { ...spec(onPage).parameters }, operands });
  const queues = { texts: of("4"), mails: of("3") };
  expect(await read({ ...queues, factor: of("1500m") })).toMatchObject({ items: [{ value: "15" }] });
  expect(await read({ ...queues, factor: { error: "no answer" } })).toMatchObject({ items: [{ value: "10" }] });
  expect(await read({ ...queues, mails: { error: "no answer" } })).toMatchObject({
    error: "operand mails (source sqs): no answer",
  });
});

test("the page lists every function", () => {
  const page = readFileSync(join(__dirname, "../../../docs/sources/formula.md"), "utf8");
  const [, rows = ""] = /in a formula([^]*?)\n\n/.exec(page) ?? [];
  expect(Object.keys(functions).filter((name) => !new RegExp(`\\b${name}\\b`).test(rows))).toEqual([]);
});

describe("the contract", () => {
  let operands: Readonly<Record<string, SourceReading>>;
  const given = (reading: SourceReading) => () => {
    operands = { orders: reading };
  };
  const items = (...all: readonly string[]) => ({
    items: all.map((value) => ({ metricName: "x", timestamp: "2026-11-23T12:00:00Z", value })),
  });
  const parameters = { formula: "orders * 2", operands: [orders] };
  const failed = (error: string) => () => ({
    parameters,
    before: given({ error }),
    expected: { error: new RegExp(`operand orders .*${error}`) },
  });
  const asksNobody = { notApplicable: "a formula connects to nothing: its operands' errors are in the cases beside" };
  sourceContract({
    connections: "none",
    open() {
      const source = openFormulaSource();
      return {
        ...source,
        open(context) {
          const reader = source.open(context);
          return { ...reader, read: (query) => reader.read({ ...query, operands }) };
        },
      };
    },
    cases: {
      found: () => ({ parameters, before: given(items("3")), expected: { values: ["6"] } }),
      many: () => ({ parameters, before: given(items("3", "500m")), expected: { values: ["7"] } }),
      missing: () => ({
        parameters: { ...parameters, formula: "others * 2" },
        before: given(items("3")),
        expected: { error: /others/ },
      }),
      empty: () => ({ parameters, before: given(items()), expected: { error: /the answer has no value/ } }),
      malformed: () => ({
        parameters,
        before: given(items("12 jobs")),
        expected: { error: /operand orders .*: quantities must match/ },
      }),
      hostile: () => ({
        parameters: { ...parameters, formula: "process.exit(orders)" },
        before: given(items("3")),
        expected: { error: /parameter formula: / },
      }),
      slow: asksNobody,
      refused: failed("connection refused"),
      authFailure: asksNobody,
      rotated: asksNobody,
      wrongCa: asksNobody,
      wrongHost: asksNobody,
      huge: failed("larger than 2097152 bytes"),
      dropped: failed("the connection broke"),
    },
  });
});
