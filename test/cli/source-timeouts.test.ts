import { signal, tableForTests } from "./table";

const { run, register, file, entries, clear } = tableForTests();
beforeEach(async () => {
  await clear("prod");
  await register("prod");
});

const cluster = (options: string) => `apiVersion: ebb.dev/v1
kind: Cluster
metadata: { name: prod }
spec: { endpoint: "https://prod.example", auth: { type: token, secret: ebb/prod/token }${options} }
`;
const source = (seconds: number) => `apiVersion: ebb.dev/v1
kind: MetricSource
metadata: { name: jobs }
spec: { kind: http, parameters: { url: "https://stats.example/n", path: $.n, timeoutSeconds: ${seconds} } }
`;
const formula = (label = "") => `apiVersion: ebb.dev/v1
kind: MetricSource
metadata: { name: both }
spec: { kind: formula, parameters: { formula: a * 2, operands: [{ name: a, source: jobs, labels: {${label}} }] } }
`;
const hpa = (label = "", annotations = "") => `apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: { name: web, namespace: shop, annotations: {${annotations}} }
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: web }
  maxReplicas: 5
  metrics:
    - type: External
      external:
        metric: { name: jobs, selector: { matchLabels: {${label}} } }
        target: { type: AverageValue, averageValue: "5" }
`;
const every2s = "ebb.dev/sync-period: 2s";
const fast = ", options: { syncPeriodSeconds: 5 }";
const slow = ", options: { syncPeriodSeconds: 60 }";

const spec = "spec.parameters.timeoutSeconds: expected timeoutSeconds of at most";
const metric = "spec.metrics[0].external.metric";

describe.each(["validate", "apply --dry-run=server", "diff"])("ebb %s", (verb) => {
  const check = async (...documents: readonly string[]) => {
    const [command = "", ...flags] = verb.split(" ");
    const path = await file(documents.join("---\n"));
    const where = command === "validate" ? [] : ["--cluster", "prod"];
    return run([command, ...(command === "validate" ? [path] : ["-f", path]), ...flags, ...where]);
  };

  test.each<[string, readonly string[], string | undefined]>([
    ["half of the default period", [source(7)], undefined],
    ["more than half of it", [source(8)], `${spec} 7.5, half of the cluster's sync period of 15 s, got 8`],
    ["beside its cluster", [cluster(fast), source(3)], `${spec} 2.5, half of the cluster's sync period of 5 s, got 3`],
    ["beside its cluster, within half", [cluster(fast), source(2)], undefined],
    ["beside a cluster with a long period", [cluster(slow), source(10)], undefined],
    ["a label", [source(7), hpa('timeoutSeconds: "9"')], `${metric}.selector.matchLabels.timeoutSeconds: expected`],
    [
      "an HPA with a shorter period",
      [source(5), hpa("", every2s)],
      `${metric}.name: expected timeoutSeconds of at most 1,`,
    ],
    ["an operand", [formula('timeoutSeconds: "8"')], "spec.parameters.operands[0].labels.timeoutSeconds: expected"],
    ["an operand, within half", [source(5), formula('timeoutSeconds: "7"')], undefined],
    [
      "an operand of an HPA with a shorter period",
      [source(5), formula(), hpa("", every2s).replace("name: jobs", "name: both")],
      `${metric}.name: expected timeoutSeconds of at most 1,`,
    ],
    [
      "an operand's label of an HPA with a shorter period",
      [source(1), formula('timeoutSeconds: "2"'), hpa("", every2s).replace("name: jobs", "name: both")],
      `${metric}.name: expected timeoutSeconds of at most 1,`,
    ],
    ["an HPA with a longer period", [source(7), hpa("", "ebb.dev/sync-period: 5m")], undefined],
    ["the default time-out is cut, not refused", [hpa("", every2s)], undefined],
  ])("%s", async (_name, documents, expected) => {
    const { stderr: err } = await check(...documents);
    if (expected === undefined) expect(err).not.toContain("timeoutSeconds");
    else expect(err).toContain(expected);
  });
});

test("apply judges by the period of the cluster in the table, and writes nothing", async () => {
  await run(["apply", "-f", await file(cluster(fast))]);
  const { stderr: err } = await run(["apply", "-f", await file(source(3)), "--cluster", "prod"]);
  expect(err).toContain(`${spec} 2.5`);
  const ref = { kind: "MetricSource", cluster: "prod", name: "jobs" } as const;
  expect(await entries().get(ref, signal)).toBeUndefined();
  const patch = JSON.stringify({ spec: { parameters: { timeoutSeconds: 3 } } });
  await run(["apply", "-f", await file(source(2)), "--cluster", "prod"]);
  expect(
    (await run(["patch", "source", "jobs", "--cluster", "prod", "--type", "merge", "-p", patch])).stderr,
  ).toContain(`${spec} 2.5`);
});
