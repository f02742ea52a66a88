import { PassThrough, Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { validateFile } from "../../cli/write/validate";
import type { EntryRef } from "../../lib/model/ports/entries";
import { tableForTests } from "./table";

const { run, register, file, stored, clear } = tableForTests();

const annotation = "ebb.dev/metric-rules";
const hpa = (annotations = "{}") => `apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: web, namespace: shop, annotations: ${annotations}}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}
  minReplicas: 0
  maxReplicas: 5
  metrics:
  - {type: External, external: {metric: {name: jobs}, target: {type: AverageValue, averageValue: 5}}}
  - {type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 60}}}
`;
const source = (rules: string) => `apiVersion: ebb.dev/v1
kind: MetricSource
metadata: {name: jobs}
spec:
  kind: sqs
  ${rules}
`;
const web: EntryRef = { kind: "HorizontalPodAutoscaler", cluster: "prod", namespace: "shop", name: "web" };

beforeEach(() => register("prod"));
afterEach(() => clear("prod"));

/** As `ebb validate`, which writes to the process' own streams. */
async function validate(document: string) {
  const [output, errors] = [new PassThrough(), new PassThrough()];
  const said = Promise.all([text(output), text(errors)]);
  const { invalid } = await validateFile({ name: "given.yaml", input: Readable.from([document]), output, errors });
  output.end();
  errors.end();
  const [stdout, stderr] = await said;
  return { stdout, stderr, exitCode: invalid > 0 ? 1 : 0 };
}

/** What each way to give an HPA says of it. */
async function refusals(rules: string): Promise<readonly string[]> {
  const given = hpa(`{${annotation}: '${rules}'}`);
  await run(["apply", "-f", await file(hpa()), "--cluster", "prod"]);
  const said = [
    await validate(given),
    await run(["apply", "-f", await file(given), "--cluster", "prod"]),
    await run(["annotate", "hpa", "web", `${annotation}=${rules}`, "-n", "shop", "--cluster", "prod"]),
  ];
  expect(said.map(({ exitCode }) => exitCode)).toEqual([1, 1, 1]);
  return said.map(({ stderr, stdout }) => `${stdout}${stderr}`);
}

test.each([
  ["confirm: 2", "must be JSON"],
  ['{"jobs": {"confrim": 2}}', "jobs.confrim: unknown field (did you mean confirm?)"],
  ['{"job": {"confirm": 2}}', "job: names no metric of the HPA (did you mean jobs?), expected one of jobs, cpu"],
  ['{"cpu": {"activation": 2}}', "cpu: activation has no effect on a metric of pods"],
  ['{"jobs": {"confirm": null}}', "jobs.confirm: expected a whole number from 1 to 100, got null"],
  ['{"jobs": {"fallback": {"after": 5}}}', "jobs.fallback: expected either replicas or percentOfMaxReplicas"],
])("the annotation %s is refused by each door, in the same words", async (rules, message) => {
  for (const said of await refusals(rules)) expect(said.replaceAll("\\", "")).toContain(message);
});

test.each([
  '{"jobs": {"confirm": 3, "fallback": {"behavior": "currentReplicas"}}, "cpu": {"maxReplicas": 2}}',
  '{"jobs": {"fallback": null, "maxReplicas": null}}',
])("rules that can be used are kept by each door: %s", async (rules) => {
  expect(await validate(hpa(`{${annotation}: '${rules}'}`))).toMatchObject({ exitCode: 0 });
  expect(await run(["apply", "-f", await file(hpa()), "--cluster", "prod"])).toMatchObject({ exitCode: 0 });
  const annotate = ["annotate", "hpa", "web", `${annotation}=${rules}`, "-n", "shop", "--cluster", "prod"];
  expect(await run(annotate)).toMatchObject({ exitCode: 0 });
  expect((await stored(web)).document["metadata"]).toMatchObject({ annotations: { [annotation]: rules } });
});

test.each([
  ["activation: -1", "spec.activation: expected a quantity, 0 or more, such as 0.1 or 100m, got -1"],
  ["confirm: 0", "spec.confirm: expected a whole number from 1 to 100, got 0"],
  ["maxReplica: 3", "spec.maxReplica: unknown field (did you mean maxReplicas?)"],
  ["fallback: {replicas: 0}", "spec.fallback.replicas: expected a whole number from 1 to 2147483647, got 0"],
  [
    "fallback: {replicas: 2, percentOfMaxReplicas: 50}",
    "spec.fallback: expected either replicas or percentOfMaxReplicas",
  ],
  ["fallback: {replicas: 2, behaviour: static}", "spec.fallback.behaviour: unknown field (did you mean behavior?)"],
])("a source with %s is refused, and the field is named", async (rules, message) => {
  const apply = async () => run(["apply", "--cluster", "prod", "-f", await file(source(rules))]);
  for (const { exitCode, stdout, stderr } of [await validate(source(rules)), await apply()]) {
    expect(exitCode).toBe(1);
    expect(`${stdout}${stderr}`).toContain(message);
  }
});

test("the fields of a source's rules have help", async () => {
  const { stdout } = await run(["explain", "source.spec.fallback"]);
  for (const field of ["after", "behavior", "replicas", "percentOfMaxReplicas"]) expect(stdout).toContain(field);
  const { stdout: confirm } = await run(["explain", "source.spec.confirm"]);
  expect(confirm).toContain("How many slots in a row without work");
});
