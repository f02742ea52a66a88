import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ebb } from "../run-ebb";

const explain = (...args: readonly string[]) => ebb(["explain", ...args]);

test("a field shows its kind, its type, its description, and its fields by name", async () => {
  const { stdout, stderr, exitCode } = await explain("hpa.spec.behavior.scaleUp.policies");
  expect([exitCode, stderr]).toEqual([0, ""]);
  expect(stdout).toBe(`GROUP:      autoscaling
KIND:       HorizontalPodAutoscaler
VERSION:    v2

FIELD: policies <[]HPAScalingPolicy>

DESCRIPTION:
    How fast to scale up. Default: 4 pods or 100 percent in 15 s, the larger of
    the two.

FIELDS:
  periodSeconds\t<integer> -required-
    The length of the period, in seconds.

  type\t<string> -required-
  enum: Pods, Percent
    Whether value is a number of pods or a percentage of the current pods.

  value\t<integer> -required-
    How many pods, or what percentage of them, may change in one period.
`);
});

test("a value without fields shows what is expected", async () => {
  const { stdout } = await explain("cluster.spec.options.syncPeriodSeconds");
  expect(stdout).toBe(`GROUP:      ebb.dev
KIND:       Cluster
VERSION:    v1

FIELD: syncPeriodSeconds <integer>

DESCRIPTION:
    How often ebb syncs each HPA of the cluster, in seconds. Default: 15.
    Expected: a whole number from 3 to 3600.
`);
});

test("fields that depend on another are listed under its value", async () => {
  const { stdout } = await explain("cluster.spec.auth");
  expect(stdout.match(/^FIELDS.*|^ {2}\w+\t.*/gm)).toEqual([
    "FIELDS (type: eks):",
    "  clusterName\t<string> -required-",
    "  region\t<string> -required-",
    "  roleArn\t<string>",
    "  type\t<string> -required-",
    "FIELDS (type: token):",
    "  secret\t<string> -required-",
    "  type\t<string> -required-",
    "FIELDS (type: clientCertificate):",
    "  secret\t<string> -required-",
    "  type\t<string> -required-",
    "FIELDS (type: kubeconfig):",
    "  context\t<string>",
    "  file\t<string>",
    "  secret\t<string>",
    "  type\t<string> -required-",
  ]);
});

test("a field of several variants is described for each", async () => {
  const { stdout } = await explain("source.spec.parameters.region");
  expect(stdout.match(/^FIELD: .*/gm)).toEqual([
    "FIELD: region <string> (kind: sqs)",
    "FIELD: region <string> (kind: cloudwatch)",
  ]);
});

test.each<[string, readonly string[], string]>([
  ["a kind", ["cluster"], "cluster"],
  ["its plural", ["clusters"], "cluster"],
  ["its long name", ["metricsource.spec"], "source.spec"],
  ["an HPA's, without a name", ["hpa"], "horizontalpodautoscalers"],
  ["a path as errors have it", ["hpa.spec.metrics[0].external.target"], "hpa.spec.metrics.external.target"],
])("%s", async (_name, args, same) => {
  const { stdout, exitCode } = await explain(...args);
  expect(exitCode).toBe(0);
  expect(stdout).toBe((await explain(same)).stdout);
});

test.each<[string, readonly string[], number, string]>([
  ["an unknown field", ["cluster.spec.foo"], 1, 'error: field "foo" does not exist; cluster.spec has endpoint, '],
  ["a field of a value", ["hpa.spec.maxReplicas.x"], 1, 'field "x" does not exist; hpa.spec.maxReplicas has none'],
  ["an unknown kind", ["pods.spec"], 1, 'the server doesn\'t have a resource type "pods"'],
  ["events", ["events"], 1, "expected cluster, hpa or source"],
  ["nothing", [], 1, "expected an HPA, a kind or a field of one, got nothing"],
  ["what is asked of an HPA, without its name", ["hpa", "--last", "3"], 1, "missing required argument 'name'"],
])("%s is an error", async (_name, args, code, message) => {
  const { stdout, stderr, exitCode } = await explain(...args);
  expect([stdout, exitCode]).toEqual(["", code]);
  expect(stderr).toContain(message);
});

const page = readFileSync(join(__dirname, "../../../docs/configuration.md"), "utf8");
const headings = [...page.matchAll(/^### (\S+)$/gm)].map(([, path = ""]) => path);

test.each(headings)("docs/configuration.md and the command describe %s alike", async (path) => {
  const { stdout } = await explain(path);
  const [section = ""] = page.split(`### ${path}\n`)[1]?.split(/^##+ /m) ?? [];
  const rows = [...section.matchAll(/^- `([^`.[]+)(?:\[\])?`/gm)].map(([, name]) => name ?? "");
  expect(rows.length).toBeGreaterThan(1);
  for (const name of rows) expect(stdout).toMatch(new RegExp(`^  ${name.replace(/[.<>]/g, "\\$&")}\\t<`, "m"));
});

test("--recursive shows all fields below one as a tree, without their descriptions", async () => {
  const { stdout, stderr, exitCode } = await explain("hpa.spec.behavior.scaleUp", "--recursive");
  expect([exitCode, stderr]).toEqual([0, ""]);
  expect(stdout).toBe(`GROUP:      autoscaling
KIND:       HorizontalPodAutoscaler
VERSION:    v2

FIELD: scaleUp <HPAScalingRules>

DESCRIPTION:
    The rules for scaling up.

FIELDS:
  policies\t<[]HPAScalingPolicy>
    periodSeconds\t<integer> -required-
    type\t<string> -required-
    enum: Pods, Percent
    value\t<integer> -required-
  selectPolicy\t<string>
  enum: Max, Min, Disabled
  stabilizationWindowSeconds\t<integer>
  tolerance\t<Quantity>
`);
});

test("a tree has the fields that depend on another one below its value", async () => {
  const { stdout } = await explain("cluster", "--recursive");
  const lines = stdout.split("\n");
  const from = lines.findIndex((line) => line.startsWith("    auth\t"));
  expect(lines.slice(from, from + 9)).toEqual([
    "    auth\t<ClusterAuth> -required-",
    "      (type: eks)",
    "        clusterName\t<string> -required-",
    "        region\t<string> -required-",
    "        roleArn\t<string>",
    "        type\t<string> -required-",
    "        enum: eks",
    "      (type: token)",
    "        secret\t<string> -required-",
  ]);
});

test.each(["cluster", "hpa", "source", "hpa.spec", "source.spec", "source.spec.parameters", "cluster.spec.auth"])(
  "the tree of %s has every field that a path leads to",
  async (path) => {
    const { stdout } = await explain(path, "-R");
    const { stdout: list } = await explain(path);
    const members = (text: string) => [...text.matchAll(/^ {2}(\S+)\t</gm)].map(([, name]) => name ?? "");
    expect(members(list).length).toBeGreaterThan(0);
    expect(members(stdout)).toEqual(members(list));
    for (const name of new Set(members(list))) {
      const { stdout: below } = await explain(`${path}.${name}`);
      for (const member of members(below))
        expect(stdout).toMatch(new RegExp(`^ {4,}${member.replace(/[.<>]/g, "\\$&")}\\t<`, "m"));
    }
  },
);
