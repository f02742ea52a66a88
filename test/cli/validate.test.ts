import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { text } from "node:stream/consumers";
import fc from "fast-check";
import { validateFile, validateLines } from "../../cli/write/validate";
import { ebb } from "./run-ebb";

const hpa = {
  apiVersion: "autoscaling/v2",
  kind: "HorizontalPodAutoscaler",
  metadata: { name: "web" },
  spec: { scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" }, maxReplicas: 10 },
};

const yaml = `# two of them
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: { name: web }
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: web }
  maxReplicas: 10
`;

async function run(validate: typeof validateFile, given: string) {
  const [output, errors] = [new PassThrough(), new PassThrough()];
  const written = Promise.all([text(output), text(errors)]);
  const { invalid } = await validate({ name: "hpa.yaml", input: Readable.from([given]), output, errors });
  output.end();
  errors.end();
  const [out, err] = await written;
  return { out, err, invalid };
}

const valid = "horizontalpodautoscaler.autoscaling/web valid\n";

test("a StatefulSet's pods do not go by their cost: valid, with a warning", async () => {
  const annotations = { "ebb.dev/busy": "metric: jobs" };
  const given = (kind: string) => {
    const scaleTargetRef = { apiVersion: "apps/v1", kind, name: "web" };
    return JSON.stringify({ ...hpa, metadata: { name: "web", annotations }, spec: { ...hpa.spec, scaleTargetRef } });
  };
  expect(await run(validateFile, given("Deployment"))).toEqual({ out: valid, err: "", invalid: 0 });
  const { out, err } = await run(validateFile, given("StatefulSet"));
  expect(out).toBe(valid);
  expect(err).toBe(
    "Warning: HPA default/web: ebb.dev/busy may not choose which pods go: a StatefulSet removes its highest ordinal first, whichever pod is busy\n",
  );
});

test.each<[string, string, string, string]>([
  ["YAML", yaml, valid, ""],
  ["JSON, indented by tabs", JSON.stringify(hpa, null, "\t"), valid, ""],
  ["several documents, an empty one among them", `${yaml}---\n# nothing\n---\n${yaml}`, valid + valid, ""],
  ["a list", JSON.stringify({ apiVersion: "v1", kind: "List", items: [hpa, hpa] }), valid + valid, ""],
  [
    "a list with a wrong item, reported with its line",
    "kind: List\nitems:\n- kind: Scale\n- kind: HorizontalPodAutoscaler\n  apiVersion: autoscaling/v3\n  metadata: {name: b}\n",
    "",
    'hpa.yaml:3:3: The Scale "" is invalid: kind: Unsupported value: "Scale": supported values: "Cluster", "HorizontalPodAutoscaler", "MetricSource"\n' +
      'hpa.yaml:5:3: The HorizontalPodAutoscaler "b" is invalid: apiVersion: Unsupported value: "autoscaling/v3": ' +
      'supported values: "autoscaling/v1", "autoscaling/v2", "autoscaling/v2alpha1", "autoscaling/v2beta1", "autoscaling/v2beta2"\n',
  ],
  [
    "one error, with the place of its field",
    `${yaml}---\n${yaml.replace("10", "ten")}`,
    valid,
    'hpa.yaml:15:3: The HorizontalPodAutoscaler "web" is invalid: spec.maxReplicas: Invalid value: "ten": expected an integer of 32 bits\n',
  ],
  [
    "several errors, each with its place",
    yaml.replace("10", "-1\n  metrics: [{ type: Bogus }]"),
    "",
    'hpa.yaml:7:3: The HorizontalPodAutoscaler "web" is invalid: ' +
      "spec.maxReplicas: Invalid value: -1: must be greater than or equal to `minReplicas`\n" +
      'hpa.yaml:8:15: The HorizontalPodAutoscaler "web" is invalid: ' +
      'spec.metrics[0].type: Unsupported value: "Bogus": supported values: "ContainerResource", "External", "Object", "Pods", "Resource"\n' +
      'hpa.yaml:7:3: The HorizontalPodAutoscaler "web" is invalid: ' +
      "spec.maxReplicas: Invalid value: -1: must be greater than or equal to 1\n",
  ],
  [
    "a name that only looks like a number",
    yaml.replace("{ name: web }", "{ name: e10 }"),
    "horizontalpodautoscaler.autoscaling/e10 valid\n",
    "",
  ],
  ["octal and yes, as kubectl reads them", yaml.replace("10", "010\n  minReplicas: 8"), valid, ""],
  [
    "a boolean where a name should be",
    yaml.replace("{ name: web }", "{ name: yes }"),
    "",
    'hpa.yaml:4:13: The HorizontalPodAutoscaler "" is invalid: metadata.name: Invalid value: true: expected a string\n',
  ],
  [
    "a date is a text",
    yaml.replace("{ name: web }", "{ name: web, creationTimestamp: 2026-01-01T00:00:00Z }"),
    valid,
    "",
  ],
  ["broken YAML, with the line of the break", `${yaml}a: [1\nb: 2\n`, "", "hpa.yaml:9:1: "],
  ["a key twice", `${yaml}kind: Scale\n`, "", "hpa.yaml:8:1: Map keys must be unique\n"],
  ["an alias without an anchor", "a: *b\n", "", "hpa.yaml:1:1: Unresolved alias"],
  [
    "a text that is no object",
    "hello\n",
    "",
    'hpa.yaml:1:1: The HorizontalPodAutoscaler "" is invalid: document: Invalid value: "hello"',
  ],
  [
    "a cluster and a source of metrics",
    "apiVersion: ebb.dev/v1\nkind: Cluster\nmetadata: {name: prod}\nspec: {auth: {type: kubeconfig, file: /k}}\n---\n" +
      "apiVersion: ebb.dev/v1\nkind: MetricSource\nmetadata: {name: jobs}\nspec: {kind: sqs}\n",
    "cluster.ebb.dev/prod valid\nmetricsource.ebb.dev/jobs valid\n",
    "",
  ],
  [
    "a bad annotation of ebb's",
    yaml.replace("name: web }", 'name: web, annotations: { ebb.dev/paused: "maybe" } }'),
    "",
    'hpa.yaml:4:39: The HorizontalPodAutoscaler "web" is invalid: metadata.annotations[ebb.dev/paused]: Invalid value: "maybe"',
  ],
  [
    "a misspelt parameter of a built-in source",
    `${yaml}  metrics:
    - type: External
      external:
        metric: { name: sqs, selector: { matchLabels: { queu: orders } } }
        target: { type: AverageValue, averageValue: "5" }
`,
    "",
    'hpa.yaml:11:57: The HorizontalPodAutoscaler "web" is invalid: spec.metrics[0].external.metric.selector.matchLabels.queu: unknown field (did you mean queue?), expected one of queue, queue',
  ],
  [
    "a cluster with problems around its spec and one within",
    "apiVersion: ebb.dev/v1\nkind: Cluster\nmetadata: {name: prod}\nspec: {auth: {type: foo}}\n---\n" +
      "apiVersion: v1\nkind: Cluster\nmetadata: {labels: {a: 1}}\nspecs: {}\n",
    "",
    'hpa.yaml:4:15: The Cluster "prod" is invalid: spec.auth.type: expected one of eks, token, clientCertificate, kubeconfig, got "foo"\n' +
      'hpa.yaml:4:1: The Cluster "prod" is invalid: spec.endpoint: expected https://host[:port][/path], got nothing\n' +
      'hpa.yaml:6:1: The Cluster "" is invalid: apiVersion: Unsupported value: "v1": supported values: "ebb.dev/v1"\n' +
      'hpa.yaml:9:1: The Cluster "" is invalid: strict decoding error: unknown field "specs"\n' +
      'hpa.yaml:8:21: The Cluster "" is invalid: metadata.labels[a]: Invalid value: 1: expected a string\n',
  ],
  [
    "a source with a number that no table can hold, and a cluster's name that no key can",
    "apiVersion: ebb.dev/v1\nkind: MetricSource\nmetadata: {name: jobs}\nspec: {kind: nats, parameters: {x: .nan}}\n---\n" +
      "apiVersion: ebb.dev/v1\nkind: Cluster\nmetadata: {name: 'a#b'}\nspec: {auth: {type: kubeconfig, file: /k}}\n",
    "",
    'hpa.yaml:4:1: The MetricSource "jobs" is invalid: spec: x: expected text, a number',
  ],
  [
    "nothing",
    "# nothing\n",
    "",
    "hpa.yaml:1:1: no document found, expected one of Cluster, HorizontalPodAutoscaler, MetricSource\n",
  ],
  ["brackets without end", "[".repeat(50_000), "", "hpa.yaml:1:1: nested too deeply\n"],
  ["lists in lists without end", "- ".repeat(50_000), "", "hpa.yaml:1:1: nested too deeply\n"],
  [
    "100,000 anchors, each with an alias",
    Array.from({ length: 100_000 }, (_, index) => `- &a${index} x\n- *a${index}`).join("\n"),
    "",
    "hpa.yaml:1:1: expected at most 2000 anchors and aliases, got 200000 (a limit of ebb): write out what they repeat, or split the file\n",
  ],
  [
    "aliases that multiply",
    [
      "a: &a [x,x,x,x,x,x,x,x,x]",
      ..."bcdefgh".split("").map((name, index) => {
        const before = "abcdefg"[index] ?? "";
        return `${name}: &${name} [${Array(9).fill(`*${before}`).join(",")}]`;
      }),
    ].join("\n"),
    "",
    "hpa.yaml:1:1: Excessive alias count",
  ],
])("%s", async (_, given, out, err) => {
  const answer = await run(validateFile, given);
  expect(answer.out).toBe(out);
  expect(answer.err.startsWith(err)).toBe(true);
  expect(answer.invalid > 0).toBe(err !== "");
});

test("the kind of a foreign object cannot write to the terminal", async () => {
  const { err } = await run(validateFile, 'apiVersion: x/v1\nkind: "Evil\\e[31m\\nerror: fake"\n');
  expect(err).toBe("hpa.yaml: skipped 1 object of another kind: 1 Evil^[[31m\\nerror: fake\n");
});

test("limits of ebb's own are refused by name; --jsonl, which is the API server's answer, knows none", async () => {
  const metric = (_: unknown, index: number) => ({
    type: "External",
    external: { metric: { name: `m${index}` }, target: { type: "AverageValue", averageValue: "5" } },
  });
  const many = JSON.stringify({ ...hpa, spec: { ...hpa.spec, metrics: Array.from({ length: 101 }, metric) } });
  const { err, invalid } = await run(validateFile, many);
  expect(err).toContain("spec.metrics: expected at most 100 metrics, got 101 (a limit of ebb)");
  expect(invalid).toBe(1);
  expect((await run(validateLines, many)).invalid).toBe(0);
});

test("--jsonl answers every line in its place", async () => {
  const { out, err, invalid } = await run(
    validateLines,
    [JSON.stringify(hpa), "{", JSON.stringify({ ...hpa, kind: "Scale" }), "", ""].join("\n"),
  );
  expect(
    out
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line) as unknown),
  ).toEqual([
    {
      errors: [],
      spec: {
        ...hpa.spec,
        minReplicas: 1,
        metrics: [
          { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 80 } } },
        ],
      },
    },
    { errors: [expect.stringMatching(/^document: Invalid value: expected JSON: /)] },
    { errors: ['kind: Unsupported value: "Scale": supported values: "HorizontalPodAutoscaler"'] },
    { errors: [expect.stringMatching(/^document: Invalid value: expected JSON: /)] },
  ]);
  expect([err, invalid]).toEqual(["", 3]);
});

describe("the command", () => {
  function write(content: string): string {
    const file = join(mkdtempSync(join(tmpdir(), "ebb-validate-")), "hpa.yaml");
    writeFileSync(file, content);
    return file;
  }

  test("goes through all files and exits with 1 when one is wrong", async () => {
    const [good, bad] = [write(yaml), write("kind: Scale\n")];
    const stderr = expect.stringContaining(`${bad}:1:1: The Scale "" is invalid:`) as string;
    expect(await ebb(["validate", bad, good])).toEqual({ stdout: valid, stderr, exitCode: 1 });
  });

  test("exits with 0 when all are valid", async () => {
    expect(await ebb(["validate", write(yaml)])).toEqual({ stdout: valid, stderr: "", exitCode: 0 });
  });

  test("names a file that cannot be read", async () => {
    expect(await ebb(["validate", "/nowhere/hpa.yaml"])).toEqual({
      ...{ stdout: "", exitCode: 1 },
      stderr: 'error: the path "/nowhere/hpa.yaml" does not exist\n',
    });
  });
});

test("any text is accepted or refused, and never crashes", async () => {
  const piece = fc.constantFrom(
    "kind: ",
    "List",
    "items:",
    "\n",
    "  ",
    "- ",
    "{",
    "}",
    "[",
    "]",
    ":",
    ",",
    "&a ",
    "*a",
    "<<: ",
    "!!map ",
    "'",
    '"',
    "|",
    ">",
    "---\n",
    "__proto__: ",
    "constructor: ",
    "\t",
    "%",
    "#",
    "? ",
  );
  const given = fc.oneof(
    fc.string(),
    fc.array(piece, { maxLength: 20 }).map((pieces) => pieces.join("")),
  );
  await fc.assert(
    fc.asyncProperty(given, async (source) => {
      const { out, err, invalid } = await run(validateFile, source);
      expect([out, err !== "", invalid > 0]).toEqual(["", true, true]);
      expect(Object.keys(Object.prototype)).toEqual([]);
    }),
    { numRuns: 1000 },
  );
});

test("a cluster's entry names its own secret: another one is an error before anything is stored", async () => {
  const cluster = (secret: string) =>
    JSON.stringify({
      apiVersion: "ebb.dev/v1",
      kind: "Cluster",
      metadata: { name: "prod" },
      spec: { endpoint: "https://prod.example", auth: { type: "token", secret } },
    });
  expect(await run(validateFile, cluster("ebb/prod/token"))).toMatchObject({ invalid: 0, err: "" });
  const { invalid, err } = await run(validateFile, cluster("ebb/staging"));
  expect(invalid).toBe(1);
  expect(err).toContain("spec.auth.secret: expected ebb/prod, ebb/prod/… (or its ARN)");
});
