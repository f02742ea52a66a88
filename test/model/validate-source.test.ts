import fc from "fast-check";
import { CloudWatchParameters } from "../../lib/model/schema/cloudwatch-parameters";
import { SqsParameters } from "../../lib/model/schema/sqs-parameters";
import { validateSource } from "../../lib/model/validate-entry";
import { validateSourceParameters } from "../../lib/model/validate-source-parameters";
import { parseCloudWatchQuery } from "../../lib/sources/cloudwatch/cloudwatch-query";
import { parseSqsQuery } from "../../lib/sources/sqs/sqs-query";

describe("a metric source's spec", () => {
  test.each<[string, unknown, readonly string[]]>([
    ["that is usable", { kind: "sqs", parameters: { queue: "orders" } }, []],
    ["without parameters", { kind: "sqs" }, []],
    ["of a kind that another version reads", { kind: "kafka", parameters: { topic: "a", lag: { max: 3 } } }, []],
    ["that is missing", undefined, ["spec: expected a map, got nothing"]],
    ["that is a list", [], ["spec: expected a map, got []"]],
    ["that is binary", new Uint8Array([1]), ["spec: expected text, a number, a flag, a list or a map, got binary"]],
    ["without a kind", {}, ["spec.kind: expected text that is not empty, got nothing"]],
    ["with an empty kind", { kind: " " }, ['spec.kind: expected text that is not empty, got " "']],
    ["with parameters as text", { kind: "sqs", parameters: "{}" }, ['spec.parameters: expected a map, got "{}"']],
    [
      "with binary deep inside",
      { kind: "x", parameters: { a: [{ "b.c": new Uint8Array([1]) }] } },
      ['spec.parameters.a[0]["b.c"]: expected text, a number, a flag, a list or a map, got binary'],
    ],
    [
      "with a misspelt field and a missing one: the misspelt one first",
      { kinds: "sqs" },
      [
        "spec.kinds: unknown field, expected one of kind, parameters",
        "spec.kind: expected text that is not empty, got nothing",
      ],
    ],
  ])("%s", (_name, spec, problems) => {
    expect(validateSource(spec)).toEqual(problems);
  });
});

describe("the parameters of a source", () => {
  test.each<[string, object, readonly string[]]>([
    ["numbers as labels spell them", { kind: "cloudwatch", parameters: { period: "60", absent: "-1.5" } }, []],
    ["dimensions both ways", { kind: "cloudwatch", parameters: { dimensions: { A: "b" }, "dimension.C": "d" } }, []],
    ["flags both ways", { kind: "sqs", parameters: { includeDelayed: true, includeInFlight: "false" } }, []],
    ["any of a kind that is not known here", { kind: "redis", parameters: { queu: 1 } }, []],
    [
      "a misspelt one",
      { kind: "sqs", parameters: { queu: "orders" } },
      [
        "spec.parameters.queu: unknown field, expected one of queue, region, account, queueOwner, includeInFlight, includeDelayed",
      ],
    ],
    [
      "a region that is none",
      { kind: "sqs", parameters: { region: "Frankfurt" } },
      ['spec.parameters.region: expected an AWS region such as eu-west-1, got "Frankfurt"'],
    ],
    [
      "an odd period",
      { kind: "cloudwatch", parameters: { period: 61 } },
      [
        "spec.parameters.period: expected a period in seconds: 1, 5, 10, 20, 30 or a multiple of 60 up to 86400, got 61",
      ],
    ],
    [
      "several at once, deep inside, too",
      { kind: "cloudwatch", parameters: { absent: "none", queries: [{ id: "a" }, { id: "B", unit: 3 }, 4] } },
      [
        'spec.parameters.absent: expected "error" or a number, got "none"',
        'spec.parameters.queries[1].id: expected an id of letters, digits and _ that starts with a lowercase letter, got "B"',
        "spec.parameters.queries[1].unit: expected a CloudWatch unit such as Count or Bytes, got 3",
        "spec.parameters.queries[2]: expected an object, got 4",
      ],
    ],
    [
      "a dimension that is a number, whose name has a dot and a %",
      { kind: "cloudwatch", parameters: { "dimension.a%zz/b~c": 1 } },
      ['spec.parameters["dimension.a%zz/b~c"]: expected a string of 1 to 1024 characters, got 1'],
    ],
  ])("%s", (_name, spec, problems) => {
    expect([...validateSourceParameters(spec)].sort()).toEqual([...problems].sort());
  });
});

/** What labels are checked by when the metric is read, and what entries are checked by before, are not to drift apart. */
describe("the schema of parameters and what reads them agree on", () => {
  const odd = fc.constantFrom<unknown>(
    "",
    " ",
    "x",
    "60",
    60,
    61,
    0,
    -1,
    1.5,
    7,
    true,
    "true",
    "p99",
    "p101",
    "a b",
    {},
    [],
  );
  const sqs = { queue: "orders" };
  const cloudwatch = { namespace: "AWS/SQS", metricName: "m" };
  const kinds: [string, object, object, (parameters: Record<string, unknown>) => unknown][] = [
    ["sqs", SqsParameters, sqs, (parameters) => parseSqsQuery({ metricName: "m", parameters })],
    [
      "cloudwatch",
      CloudWatchParameters,
      cloudwatch,
      (parameters) => parseCloudWatchQuery({ metricName: "m", parameters }),
    ],
  ];
  /** Of these the source knows more than a form: other parameters decide, or the service's own list. */
  const beyondForms = ["unit", "expression", "queries", "metric", "queueOwner", "queue"];

  test.each(kinds)("each parameter of %s", (kind, schema, base, parse) => {
    const names = Object.keys((schema as { properties: object }).properties);
    fc.assert(
      fc.property(fc.constantFrom(...names, "unknown"), odd, (name, value) => {
        fc.pre(!beyondForms.includes(name));
        const parameters = { ...base, [name]: value };
        const allowed = validateSourceParameters({ kind, parameters }).length === 0;
        expect({ [name]: value, allowed: allowed || laxAsText(name, value) }).toEqual({
          [name]: value,
          allowed: succeeds(() => parse(parameters)) || laxAsText(name, value),
        });
      }),
      { numRuns: 500 },
    );
  });

  /** A number as text is any digits to the schema. */
  const laxAsText = (name: string, value: unknown) =>
    ["period", "periods", "delay"].includes(name) && typeof value === "string" && /^\d+$/.test(value);

  function succeeds(run: () => unknown): boolean {
    try {
      run();
      return true;
    } catch {
      return false;
    }
  }
});
