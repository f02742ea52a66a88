import Ajv from "ajv";
import fc from "fast-check";
import { compileSchema } from "../../../cli/understand/evaluate/compile-schema";
import { problemsOf } from "../../../lib/model/check/check-schema";
import type { Schema } from "../../../lib/model/check/schema-data";
import { problemText } from "../../../lib/model/check/problem";
import { clusterSpec } from "../../../lib/model/validators/cluster-spec";
import * as items from "../../../lib/model/validators/items";
import * as messages from "../../../lib/model/validators/messages";
import * as situations from "../../../lib/model/validators/situation";
import { metricSourceSpec } from "../../../lib/model/validators/metric-source-spec";
import { expectToBe } from "../../expect-often";

/** The compiled schema always says the same, in one word. */
function check(schema: Schema, value: unknown): readonly string[] {
  const problems = problemsOf(schema, value);
  expectToBe(compileSchema(schema)(value), problems.length === 0);
  return problems.map(problemText);
}

describe("a keyword", () => {
  const closed = { type: "object", properties: { a: { type: "string" } }, additionalProperties: false } as const;
  test.each<[string, Schema, unknown, readonly string[]]>([
    ["type", { type: "integer" }, 1.5, ["expected a whole number, got 1.5"]],
    ["type, of several", { type: ["array", "null"] }, "x", ['expected a list, got "x"']],
    ["type, for bytes", { type: "object" }, new Uint8Array([1]), ["expected a map, got binary"]],
    ["enum", { enum: ["a", "b"] }, "c", ['expected one of a, b, got "c"']],
    ["errorMessage", { type: "string", pattern: "^a", errorMessage: "an a" }, "b", ['expected an a, got "b"']],
    ["minimum", { type: ["integer", "null"], minimum: 1 }, 0, ["expected a whole number, got 0"]],
    ["minimum, which null has none of", { type: ["integer", "null"], minimum: 1 }, null, []],
    ["a keyword that is absent: NaN is anything", {}, NaN, []],
    ["type, for NaN", { type: "number" }, NaN, ["expected a number, got NaN"]],
    ["minItems", { type: "array", minItems: 1 }, [], ["expected a list, got []"]],
    [
      "required",
      { type: "object", required: ["a"], properties: { a: {} } },
      {},
      ["a: expected something else, got nothing"],
    ],
    ["required, of several", { required: ["a"], errorMessage: "a or b" }, {}, ["expected a or b, got neither"]],
    [
      "required, for an inherited name",
      { required: ["toString"], errorMessage: "it" },
      {},
      ["expected it, got neither"],
    ],
    [
      "properties, in their order",
      { properties: { b: { type: "null" }, a: { type: "null" } } },
      { a: 1, b: 1 },
      ["b: expected null, got 1", "a: expected null, got 1"],
    ],
    ["additionalProperties: none", closed, { a: "b", toString: 1 }, ["toString: unknown field, expected one of a"]],
    [
      "additionalProperties",
      { additionalProperties: { type: "number" } },
      { "a b": "c" },
      ['["a b"]: expected a number, got "c"'],
    ],
    [
      "an own __proto__",
      { additionalProperties: { type: "number" } },
      JSON.parse('{"__proto__":"x"}'),
      ['__proto__: expected a number, got "x"'],
    ],
    ["items", { items: { type: "boolean" } }, [true, 1], ["[1]: expected true or false, got 1"]],
    [
      "anyOf",
      { anyOf: [{ type: "string" }, { minimum: 3 }], errorMessage: "this or that" },
      2,
      ["expected this or that, got 2"],
    ],
    ["not", { not: { required: ["a"] }, errorMessage: "no a" }, { a: 1 }, ["expected no a, got both"]],
  ])("%s", (_name, schema, value, problems) => {
    expect(check(schema, value)).toEqual(problems);
  });

  test("format is the caller's to know", () => {
    const formats = { even: (value: unknown) => (Number(value) % 2 === 0 ? undefined : "an even number") };
    expect(problemsOf({ format: "even" }, 3, { root: ["a"], formats })).toEqual([
      { path: "a", message: "expected an even number, got 3" },
    ]);
    expect(problemsOf({ format: "even" }, 4, { formats })).toEqual([]);
  });
});

/** An item of the table has room for 200,000 members. A copy of the list for each of them would take minutes. */
test("200,000 problems are listed in order", () => {
  const many = Array.from({ length: 200_000 }, (_, index) => `k${index}`);
  const list = check({ items: { type: "null" } }, many);
  const map = check({ properties: {}, additionalProperties: false }, Object.fromEntries(many.map((name) => [name, 1])));
  expect([list.length, list.at(-1)]).toEqual([200_000, '[199999]: expected null, got "k199999"']);
  expect([map.length, map.at(-1)]).toEqual([200_000, "k199999: unknown field, expected one of "]);
});

test("a caller that needs the first problem alone does not pay for the others", () => {
  let looked = 0;
  const formats = { none: () => `text ${(looked += 1)}` };
  const most = { formats, most: 1 };
  const many = Array.from({ length: 1_000 }, (_, index) => `k${index}`);
  expect(problemsOf({ items: { format: "none" } }, many, most)).toHaveLength(1);
  const map = Object.fromEntries(many.map((name) => [name, 1]));
  expect(problemsOf({ properties: {}, additionalProperties: { format: "none" } }, map, most)).toHaveLength(1);
  expect(looked).toBe(2);
});

/** Documents that are right, for each schema that is checked at run time. */
const at = Date.parse("2026-03-01T12:00:00Z");
const steps = [{ stage: "decide", replicas: null, because: "paused", detail: { a: 1 } }];
const happened = [{ type: "Normal", reason: "r", message: "m" }];
const intent = {
  from: 0,
  to: 4,
  at,
  resourceVersion: "1",
  countsAsEvent: true,
  message: "m",
  scaledToZero: false,
  steps,
};
const auth = { type: "eks", clusterName: "prod", region: "eu-central-1" };
const endpoint = "https://api.example.com";

const documents: readonly (readonly [string, Schema, unknown])[] = [
  [
    "a state",
    items.stateItem,
    {
      version: 1,
      slot: at,
      status: {
        currentMetrics: [{ type: "External" }],
        conditions: [{ type: "AbleToScale", status: "True", message: "m" }],
      },
      history: {
        recommendations: [{ replicas: 1, since: at, at }],
        scaleUpEvents: [{ change: 1, at }],
        scaleDownEvents: [],
      },
      open: true,
      wake: { at, done: false },
      intent,
      earlier: [intent],
      decision: { at, from: null, desiredReplicas: 1, steps },
      recorded: { at, desiredReplicas: 1, limitedBy: ["x"] },
      warnings: happened,
      readings: { "sqs {}": { response: { items: [{ value: "3" }] }, readAt: at } },
    },
  ],
  [
    "a shard",
    items.shardItem,
    { cluster: "a", from: "", to: null, version: 1, slot: at, heartbeat: at, behind: { a: at }, entries: 0 },
  ],
  ["a decision", items.decisionItem, { at, from: 1, scaleTo: null, desiredReplicas: 1, events: happened, steps }],
  [
    "events",
    items.eventsItem,
    {
      version: 1,
      entries: [{ ...happened[0], name: "n", firstTimestamp: at, count: 1, seenAt: at, recorded: { count: 1, at } }],
      groups: [{ type: "Warning", reason: "r", messages: ["m"], at }],
      buckets: { Normal: { tokens: 1.5, at } },
    },
  ],
  ["a slot", messages.slot, { cluster: "a", from: "", slot: 1, until: 2 }],
  ["a wake", messages.wake, { cluster: "a", namespace: "b", names: ["c"], at: 1 }],
  [
    "a cluster of EKS",
    clusterSpec,
    { endpoint, auth, options: { tolerance: 0.1, syncPeriodSeconds: 15, mirrorEvents: true } },
  ],
  ["a cluster of a kubeconfig", clusterSpec, { auth: { type: "kubeconfig", file: "a", context: "b" } }],
  ["a source", metricSourceSpec, { kind: "sqs", parameters: { a: 1 } }],
  [
    "a situation",
    situations.situation,
    {
      now: "2026-03-01T12:00:00Z",
      hpa: {
        metadata: { name: "web" },
        spec: {
          scaleTargetRef: { kind: "Deployment", name: "web" },
          maxReplicas: 3,
          metrics: [{ type: "External", external: { metric: { name: "q" }, target: { averageValue: 5 } } }],
          behavior: { scaleUp: { policies: [{ type: "Pods", value: 4, periodSeconds: 15 }] } },
        },
        status: { conditions: [{ type: "AbleToScale", status: "True" }] },
      },
      scale: { status: { replicas: 1 } },
      pods: [{ metadata: { name: "p", labels: { a: "b" } }, spec: { overhead: { cpu: "1" } } }],
      history: { recommendations: [{ replicas: 1, at: "2026-03-01T11:59:45Z" }] },
      options: { tolerance: 0.1 },
    },
  ],
  ["a response", situations.externalValue, { items: [{ value: "5" }], from: "sqs" }],
];

const value = fc.oneof(
  fc.constantFrom<unknown>(
    undefined,
    null,
    true,
    false,
    0,
    1,
    -1,
    1.5,
    60,
    61,
    90_000,
    "",
    " ",
    "a",
    "True",
    "60",
    [],
    {},
    [1],
    { a: 1 },
  ),
  fc.constantFrom<unknown>("eks", "token", "kubeconfig", "error", { type: "token", secret: "s" }, { secret: "a" }, [
    "a",
    "",
  ]),
);
const name = fc.constantFrom(
  "toString",
  "__proto__",
  "constructor",
  "secret",
  "file",
  "added",
  "dimension.X",
  "type",
  "queue",
);

type FieldPath = readonly (string | number)[];

function places(document: unknown): readonly FieldPath[] {
  if (typeof document !== "object" || document === null) return [[]];
  const members = Array.isArray(document) ? [...document.entries()] : Object.entries(document);
  return [[], ...members.flatMap(([step, member]) => places(member).map((place) => [step, ...place]))];
}

/** Where `name` is given, a member of that name is added to what is at the place. */
function changed(
  document: unknown,
  [step, ...rest]: FieldPath,
  by: { readonly value: unknown; readonly name?: string },
): unknown {
  if (step === undefined) {
    if (by.name === undefined || typeof document !== "object" || document === null || Array.isArray(document))
      return by.value;
    return Object.fromEntries([...Object.entries(document), [by.name, by.value]]);
  }
  if (Array.isArray(document))
    return document.map((one: unknown, index) => (index === step ? changed(one, rest, by) : one));
  const entries = Object.entries(document as object).map(([key, member]: [string, unknown]) => [
    key,
    key === step ? changed(member, rest, by) : member,
  ]);
  return Object.fromEntries(entries) as unknown;
}

describe.each(documents)("%s", (_name, schema, right) => {
  const ajv = new Ajv({ strict: false, validateFormats: false, discriminator: true, ownProperties: true });
  const accepts = ajv.compile(schema);

  test("that is valid has no problem", () => {
    expect(check(schema, right)).toEqual([]);
    expect(accepts(right)).toBe(true);
  });

  test("changed anywhere, is accepted exactly when ajv accepts it", () => {
    const change = fc.record({ value, name }, { requiredKeys: ["value"] });
    fc.assert(
      fc.property(fc.constantFrom(...places(right)), change, (place, by) => {
        const document = changed(right, place, by);
        const isRight = check(schema, document).length === 0;
        if (isRight !== accepts(document)) throw new Error(`${JSON.stringify(document)}: expected ${!isRight}`);
      }),
      { numRuns: 1000 },
    );
  });
});
