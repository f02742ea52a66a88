import { fieldOf, type JsonSchema, type Field } from "../../cli/understand/explain/field-help";
import { publishedSchemas } from "../../scripts/schemas/published";

test.each<[string, JsonSchema, Partial<Field>]>([
  [
    "a number in a range",
    {
      type: "integer",
      minimum: 0,
      description: "How long, in seconds. Default 0.5. Not more.",
      errorMessage: "Expected a whole number from 0 to 5.",
    },
    {
      type: "integer",
      form: "a whole number from 0 to 5",
      description: "How long, in seconds. Not more.",
      default: "0.5",
    },
  ],
  [
    "a default in words",
    { type: "string", description: "Default: the function's." },
    { description: "", default: "the function's" },
  ],
  [
    "a default in the middle of a sentence",
    { type: "string", description: "One, the default. Absent: two." },
    { description: "One, the default. Absent: two." },
  ],
  ["text that is not empty", { type: "string", errorMessage: "Expected text that is not empty." }, { form: "text" }],
  ["a number without a range", { type: "integer" }, { form: "a whole number" }],
  ["a number with a lower bound", { type: "integer", minimum: 1 }, { form: "a whole number, 1 or more" }],
  [
    "a known set",
    { type: "string", enum: ["Pods", "Percent"] },
    { type: "string", form: "Pods, Percent", values: ["Pods", "Percent"] },
  ],
  ["one value", { type: "string", const: "eks" }, { form: "eks", values: ["eks"] }],
  [
    "a flag that may be text",
    { enum: [true, false, "true", "false"] },
    { type: "boolean or string", values: ["true", "false"] },
  ],
  ["a number that may be text", { anyOf: [{ type: "integer" }, { type: "string" }] }, { type: "integer or string" }],
  ["a quantity", { title: "Quantity", anyOf: [{ type: "string" }, { type: "number" }] }, { type: "Quantity" }],
  [
    "a list",
    { type: "array", items: { title: "MetricSpec", type: "object" } },
    { type: "[]MetricSpec", form: "a list", isList: true },
  ],
  [
    "a list of text values",
    { type: "array", items: { type: "string" } },
    { type: "[]string", form: "a list of text values" },
  ],
  [
    "a map",
    { type: "object", patternProperties: { "^.*$": { type: "string" } } },
    { type: "map[string]string", form: "a map of text values" },
  ],
])("%s", (_name, schema, expected) => {
  expect(fieldOf("field", schema)).toMatchObject(expected);
});

test("members are required or not, and there may be more by a sibling's value", () => {
  const { members, variants } = fieldOf("spec", {
    type: "object",
    required: ["kind"],
    properties: { kind: { type: "string" }, parameters: { type: "object" } },
    allOf: [
      {
        if: { properties: { kind: { const: "sqs" } } },
        then: { properties: { parameters: { description: "A queue.", properties: { queue: { type: "string" } } } } },
      },
    ],
  });
  expect(members.map(({ name, isRequired }) => [name, isRequired])).toEqual([
    ["kind", true],
    ["parameters", false],
  ]);
  expect(members[1]?.variants).toMatchObject([
    { when: "kind: sqs", description: "A queue.", members: [{ name: "queue" }] },
  ]);
  expect(variants).toEqual([]);
});

test("rules on members that exist already make no variant", () => {
  const target = {
    properties: { value: {}, averageValue: {} },
    oneOf: [{ required: ["value"] }, { required: ["averageValue"] }],
  };
  expect(fieldOf("target", target).variants).toEqual([]);
});

describe("in the published schemas", () => {
  const schemas = Object.entries(publishedSchemas());

  test.each(schemas)("%s: a default for programs is the one in the description", (_file, schema) => {
    const [differing, agreeing] = [[] as string[], [] as string[]];
    walk(schema, (name, { default: value, ...property }) => {
      if (value === undefined) return;
      (fieldOf(name, property).default === String(value) ? agreeing : differing).push(name);
    });
    expect(differing).toEqual([]);
    if (_file === "cluster.json") expect(agreeing).toEqual(["syncPeriodSeconds", "tolerance", "mirrorEvents"]);
  });
});

type WithDefault = JsonSchema & { readonly default?: string | number | boolean };

function walk(schema: unknown, visit: (name: string, property: WithDefault) => void): void {
  if (typeof schema !== "object" || schema === null) return;
  const { properties = {} } = schema as JsonSchema;
  for (const [name, property] of Object.entries(properties)) visit(name, property);
  for (const member of Object.values(schema)) walk(member, visit);
}
