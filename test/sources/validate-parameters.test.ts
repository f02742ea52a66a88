import { problemText } from "../../lib/model/check/problem";
import Ajv from "ajv";
import { publishedSchemas } from "../../scripts/schemas/published";
import { descriptions } from "../../lib/sources/descriptions";
import type { LabelSelector } from "../../lib/k8s/objects";
import type { SourceEntry } from "../../lib/model/entry/entries";
import {
  type KnownEntries,
  validateMetricParameters,
  validateSourceParameters,
} from "../../lib/sources/validate-parameters";
import { hpaWith } from "../core/build";
import { expectToBe, expectToEqual } from "../expect-often";

describe("a credential in a source", () => {
  const instead = "put it into a secret, and name that in spec.parameters.secret";
  const inText = (path: string, lost: string) =>
    `${path}: expected a text without a credential, got ${lost}: ${instead}`;
  const ofName = (path: string) => `${path}: expected no credential in an entry: ${instead}`;

  test.each<[string, object, readonly string[]]>([
    [
      "in an address of a known kind, which is its only problem",
      { kind: "http", parameters: { url: "https://me:s3cret@h.example/x?token=abc", nothing: 1 } },
      [inText("spec.parameters.url", "its user and password, token")],
    ],
    [
      "in a list and in a map of an unknown kind",
      { kind: "nats", parameters: { servers: ["nats://a", "nats://me:s3cret@b"], tls: { url: "nats://me:x@c" } } },
      [
        inText("spec.parameters.servers[1]", "its user and password"),
        inText("spec.parameters.tls.url", "its user and password"),
      ],
    ],
    [
      "by a member's name of an unknown kind, at any depth, as a text or a number",
      { kind: "nats", parameters: { password: "s3cret", auth: { token: 1234 }, list: [{ apiKey: "k" }] } },
      ["spec.parameters.password", "spec.parameters.auth.token", "spec.parameters.list[0].apiKey"].map(ofName),
    ],
    [
      "that is a flag, a map, a secret's name or no credential at all",
      { kind: "nats", parameters: { password: true, token: { from: "env" }, secret: "ebb/prod/nats", queue: "a" } },
      [],
    ],
    [
      "in a header of a known kind, but not in another member with such a name",
      {
        kind: "prometheus",
        parameters: { url: "https://p", query: "up", headers: { Authorization: "Bearer x" }, vars: { token: "x" } },
      },
      [ofName("spec.parameters.headers.Authorization")],
    ],
    ["in what is no source", { kind: 5, parameters: { url: "https://me:s3cret@h.example" } }, []],
  ])("%s", (_name, spec, expected) => {
    expect(validateSourceParameters(spec).map(problemText)).toEqual(expected);
  });

  test("in what is no map has no kind", () => {
    expect([null, "x", [], undefined].map((spec) => validateSourceParameters(spec))).toEqual([[], [], [], []]);
  });
});

describe("the parameters of a source", () => {
  test.each<[string, object, readonly string[]]>([
    ["numbers as labels spell them", { kind: "cloudwatch", parameters: { period: "60", absent: "-1.5" } }, []],
    ["dimensions both ways", { kind: "cloudwatch", parameters: { dimensions: { A: "b" }, "dimension.C": "d" } }, []],
    ["flags both ways", { kind: "sqs", parameters: { includeDelayed: true, includeInFlight: "false" } }, []],
    ["any of a kind that is not known here", { kind: "nats", parameters: { queu: 1 } }, []],
    ["none at all", { kind: "sqs" }, []],
    [
      "a kind with the name of a property that every object inherits",
      { kind: "constructor", parameters: { a: 1 } },
      [],
    ],
    [
      "a parameter with such a name",
      { kind: "sqs", parameters: { constructor: "x" } },
      [
        "spec.parameters.constructor: unknown field, expected one of queue, queues, queuePrefix, region, account, queueOwner, measure, includeInFlight, includeDelayed",
      ],
    ],
    [
      "a number that a label spells, out of its range",
      { kind: "cloudwatch", parameters: { period: "90", delay: 1.5 } },
      [
        'spec.parameters.period: expected a period in seconds: 1, 5, 10, 20, 30 or a multiple of 60 up to 86400, got "90"',
        "spec.parameters.delay: expected a whole number from 0 to 86400, got 1.5",
      ],
    ],
    [
      "a null, which an editor leaves where a value is missing",
      { kind: "sqs", parameters: { queue: null } },
      [
        "spec.parameters.queue: expected a queue's name (1 to 80 letters, digits, - and _, perhaps with .fifo at its end), URL (https://host/123456789012/name) or ARN, got null",
      ],
    ],
    [
      "a unit that CloudWatch does not have",
      { kind: "cloudwatch", parameters: { unit: "Messages" } },
      ['spec.parameters.unit: expected a CloudWatch unit such as Count or Bytes, got "Messages"'],
    ],
    [
      "a dimension without a name",
      { kind: "cloudwatch", parameters: { dimensions: { "": "x" }, "dimension.": "x" } },
      [
        'spec.parameters.dimensions[""]: expected a dimension\'s name of 1 to 255 ASCII characters, got ""',
        'spec.parameters["dimension."]: expected a dimension\'s name of 1 to 255 ASCII characters, got ""',
      ],
    ],
    [
      "two ways to name queues, which no label can take back",
      { kind: "sqs", parameters: { queues: "a,b", queuePrefix: "c" } },
      ['spec.parameters: parameter queuePrefix: expected queues or queuePrefix, and not both, got "c"'],
    ],
    [
      "a credential in a query",
      { kind: "prometheus", parameters: { queryParameters: { token: "s3cret", dedup: "true", key: "value" } } },
      [
        "spec.parameters.queryParameters.token: expected no credential in an entry: put it into a secret, and name that in spec.parameters.secret",
      ],
    ],
    [
      "a misspelt one",
      { kind: "sqs", parameters: { queu: "orders" } },
      [
        "spec.parameters.queu: unknown field (did you mean queue?), expected one of queue, queues, queuePrefix, region, account, queueOwner, measure, includeInFlight, includeDelayed",
      ],
    ],
    [
      "a text that is not a region",
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
      ['spec.parameters["dimension.a%zz/b~c"]: expected a string of 1 to 1024 ASCII characters, got 1'],
    ],
    [
      "a formula that cannot be read",
      { kind: "formula", parameters: { formula: "a +", operands: [{ name: "a", source: "sqs" }] } },
      [
        'spec.parameters: parameter formula: expected a formula (Expected expression after + at character 3), got "a +"',
      ],
    ],
    [
      "a formula of an operand that is not there",
      { kind: "formula", parameters: { formula: "a + b", operands: [{ name: "a", source: "sqs" }] } },
      ['spec.parameters: parameter formula: expected operands among a, not b, got "a + b"'],
    ],
    [
      "a formula whose label has a placeholder for each HPA",
      {
        kind: "formula",
        parameters: { formula: "a", operands: [{ name: "a", source: "sqs", labels: { queue: "${queue}" } }] },
      },
      [],
    ],
    [
      "a time zone that does not exist, alone",
      { kind: "schedule", parameters: { timezone: "Europe/Berln" } },
      ['spec.parameters: parameter timezone: expected an IANA time zone such as Europe/Berlin, got "Europe/Berln"'],
    ],
    [
      "a time zone of a window that does not exist",
      {
        kind: "schedule",
        parameters: { windows: [{ start: "0 9 * * *", end: "0 18 * * *", value: 1, timezone: "Mars/Base" }] },
      },
      [
        'spec.parameters: parameter windows[0].timezone: expected an IANA time zone such as Europe/Berlin, got "Mars/Base"',
      ],
    ],
    [
      "the start of a window whose end a label gives",
      { kind: "schedule", parameters: { start: "0 25 * * *" } },
      ['spec.parameters: parameter start: expected a cron expression such as 0 9 * * 1-5, got "0 25 * * *"'],
    ],
    ...["CET", "EST5EDT", "GB-Eire", "W-SU", "GMT+0", "Etc/GMT-14", "America/Argentina/Buenos_Aires"].map(
      (timezone): [string, object, readonly string[]] => [
        `the time zone ${timezone}`,
        { kind: "schedule", parameters: { timezone } },
        [],
      ],
    ),
    ["a formula alone", { kind: "formula", parameters: { formula: "a + b" } }, []],
  ])("%s", (_name, spec, problems) => {
    expect(validateSourceParameters(spec).map(problemText).sort()).toEqual([...problems].sort());
  });
});

describe("the parameters in the labels of an HPA's metrics", () => {
  const hpaOf = (name: string, selector?: LabelSelector) =>
    hpaWith({
      metrics: [
        {
          type: "External",
          external: { metric: { name, ...(selector && { selector }) }, target: { type: "Value", value: "1" } },
        },
      ],
    });
  const labels = "spec.metrics[0].external.metric.selector.matchLabels";
  const entries = new Map<string, SourceEntry["spec"]>([
    ["jobs", { kind: "sqs", parameters: { queue: "jobs" } }],
    ["age", { kind: "cloudwatch", parameters: { namespace: "AWS/SQS" } }],
    ["sqs", { kind: "cloudwatch", parameters: { namespace: "AWS/SQS", metricName: "m" } }],
    ["other", { kind: "nats" }],
    [
      "sum",
      {
        kind: "formula",
        parameters: {
          formula: "a + b + c",
          operands: [
            { name: "a", source: "jobs" },
            { name: "b", source: "jobs", labels: { queue: "${queue}" } },
            { name: "c", source: "other", labels: { any: "thing" } },
          ],
        },
      },
    ],
    [
      "wrong",
      {
        kind: "formula",
        parameters: {
          formula: "a + b + c + d",
          operands: [
            { name: "a", source: "sqs", labels: { queu: "x" } },
            { name: "b", source: "gone" },
            { name: "c", source: "sum", labels: { "var.queue": "x" } },
            { name: "d", source: "jobs", labels: { queue: "a/b?c" } },
          ],
        },
      },
    ],
  ]);
  const none = new Map<string, never>();

  test.each<[string, string, Readonly<Record<string, string>>, KnownEntries, readonly string[]]>([
    ["a queue", "sqs", { queue: "orders" }, { entries: none, areAll: true }, []],
    [
      "a misspelt parameter",
      "sqs",
      { queu: "orders" },
      { entries: none, areAll: false },
      [
        `${labels}.queu: unknown field (did you mean queue?), expected one of queue, queues, queuePrefix, region, account, queueOwner, measure, includeInFlight, includeDelayed`,
      ],
    ],
    ["no queue, but an entry may name one", "sqs", {}, { entries: none, areAll: false }, []],
    [
      "a credential in a queue's URL",
      "sqs",
      { queue: "https://me:s3cret@sqs.eu-west-1.amazonaws.com/123456789012/orders" },
      { entries: none, areAll: false },
      [
        `${labels}.queue: expected a text without a credential, got its user and password: put it into a secret, and name that in spec.parameters.secret`,
      ],
    ],
    [
      "a placeholder, which no queue's name has",
      "sqs",
      { queue: "${QUEUE}" },
      { entries: none, areAll: false },
      [
        'spec.metrics[0].external.metric.selector.matchLabels.queue: expected a queue\'s name (1 to 80 letters, digits, - and _, perhaps with .fifo at its end), URL (https://host/123456789012/name) or ARN, got "${QUEUE}"',
      ],
    ],
    [
      "no queue",
      "sqs",
      {},
      { entries: none, areAll: true },
      [
        "spec.metrics[0].external.metric: parameter queue: expected a queue's name (1 to 80 letters, digits, - and _, perhaps with .fifo at its end), URL (https://host/123456789012/name) or ARN, got nothing",
      ],
    ],
    ["an entry's parameters count", "jobs", { region: "eu-west-1" }, { entries, areAll: true }, []],
    [
      "an entry of another kind than its name",
      "sqs",
      { "dimension.QueueName": "orders" },
      { entries, areAll: true },
      [],
    ],
    [
      "two rules of a kind at once",
      "age",
      { metric: "a", metricName: "b" },
      { entries, areAll: true },
      ['spec.metrics[0].external.metric: parameter metric: expected metricName or metric, not both, got "a"'],
    ],
    ["a formula whose operands can be read", "sum", { "var.queue": "mail" }, { entries, areAll: true }, []],
    [
      "a formula's operand that its source cannot read",
      "wrong",
      {},
      { entries, areAll: true },
      [
        "operand a (source sqs): selector.matchLabels.queu: unknown field",
        "operand b (source gone): there is no source named gone",
        "operand c (source sum): expected a source that is no formula itself: write that one's formula here",
        "operand d (source jobs): selector.matchLabels.queue: expected",
      ].map((problem) => expect.stringContaining(`spec.metrics[0].external.metric: ${problem}`) as string),
    ],
    [
      "a formula's operand that another file may have",
      "wrong",
      {},
      { entries: new Map([["wrong", entries.get("wrong") ?? { kind: "" }]]), areAll: false },
      [expect.stringContaining("operand a (source sqs): selector.matchLabels.queu: unknown field") as string],
    ],
    [
      "a formula without a value for its placeholder",
      "sum",
      {},
      { entries, areAll: true },
      [expect.stringContaining("set the label var.queue") as string],
    ],
    ["a kind that is not known here", "other", { any: "thing" }, { entries, areAll: true }, []],
    ["a metric of the cluster's own API", "depth", { queu: "orders" }, { entries, areAll: true }, []],
    ["a name that every object inherits", "constructor", { a: "b" }, { entries: none, areAll: true }, []],
  ])("%s", (...[, metric, matchLabels, known, problems]) => {
    expect(validateMetricParameters(hpaOf(metric, { matchLabels }), known).map(problemText)).toEqual(problems);
  });

  test("matchExpressions are no parameters", () => {
    const selector = { matchExpressions: [{ key: "queue", operator: "In", values: ["orders"] }] } as const;
    expect(validateMetricParameters(hpaOf("sqs", selector), { entries: none, areAll: false }).map(problemText)).toEqual(
      [
        "spec.metrics[0].external.metric.selector.matchExpressions: expected the source's parameters in selector.matchLabels, got matchExpressions",
      ],
    );
  });
});

/**
 * One declaration makes all three: what a sync reads, what an entry is checked by, and the schema that editors have.
 */
describe("reading, checking an entry and the published schema agree on", () => {
  const values: readonly unknown[] = [
    "",
    " ",
    "x",
    "60",
    "61",
    60,
    61,
    0,
    -1,
    1.5,
    "1.5",
    7,
    true,
    "true",
    "p99",
    "p101",
    "a b",
    "Count",
    "error",
    "eu-west-1",
    "123456789012",
    "0 9 * * *",
    "Europe/Berlin",
    "batch/v1",
    "$.status.active",
    ...[
      {},
      [],
      { namespace: "a", service: "b", port: "80" },
      { namespace: "a", service: "b", port: 80 },
      { namespace: "a", service: "b", port: 80.5 },
      { a: "b" },
      { a: 1 },
      [{ id: "a" }],
      [{ id: "A" }],
      ["a"],
    ],
  ];
  /** The parameters whose form alone decides whether they can be read. */
  const independent: Readonly<Record<string, readonly string[]>> = {
    sqs: ["region", "account", "includeInFlight", "includeDelayed"],
    cloudwatch: Object.keys(descriptions.cloudwatch.fields).filter((name) => !/expression|queries|metric/.test(name)),
    schedule: ["value", "windows", "outside"],
  };
  const matchesSchema = new Ajv({ strict: false }).compile(publishedSchemas()["metric-source.json"] ?? {});

  test.each(Object.entries(descriptions))("each parameter of %s", (kind, { fields, example, parse }) => {
    const names = Object.keys(fields).map((field) => field.replace(/<\w+>/, "Queue"));
    const [allowed, refused] = [new Set<string>(), new Set<string>()];
    for (const field of [...names, "unknown"]) {
      const form = fields[field];
      const choices = form?.type === "choice" ? form.values : [];
      for (const value of [...values, ...choices, ...Object.values(example)]) {
        const parameters = { ...example, [field]: value };
        const spec = { kind, parameters };
        const isValid = validateSourceParameters(spec, () => ({ fields })).length === 0;
        (isValid ? allowed : refused).add(field);
        const document = { apiVersion: "ebb.dev/v1", kind: "MetricSource", metadata: { name: "m" }, spec };
        const fits = matchesSchema(document);
        // The schema sees digits, not the number that they spell.
        const isDigits = fields[field]?.type === "number" && typeof value === "string" && /^\d+$/.test(value);
        expectToEqual({ [field]: value, fits: fits && (isValid || !isDigits) }, { [field]: value, fits: isValid });
        const isRead = succeeds(() => parse({ metricName: "m", parameters }));
        if (independent[kind]?.includes(field) === true) expectToBe(isRead, isValid);
        else if (isRead) expectToBe(isValid, true);
      }
    }
    expect([...allowed].sort()).toEqual([...names].sort());
    expect([...refused].sort()).toEqual([...names, "unknown"].sort());
  });

  function succeeds(run: () => unknown): boolean {
    try {
      run();
      return true;
    } catch {
      return false;
    }
  }
});
