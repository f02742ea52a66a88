import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { MetricSpec } from "../../../lib/k8s/hpa";
import { putCluster, putHpa } from "../../../local/entries";
import { kubeconfigOf } from "../../../local/backends/kubernetes/certificates";
import { startSimulatedCluster, type SimulatedCluster } from "../../../local/backends/kubernetes/cluster";
import { customKind } from "../../../local/demo/demo-workloads";
import type { Rule } from "../../../local/backends/kubernetes/http/access";
import { customResourceDefinitions } from "../../../local/backends/kubernetes/resources/kinds";
import { hpaWith } from "../../core/build";
import { ebb } from "../run-ebb";
import { tableForTests } from "../table";

/** What `ebb rbac` grants is what `ebb doctor` asks for, for every kind of metric. */
jest.setTimeout(120_000);
const { table, folder } = tableForTests();
const rules: Rule[] = [];
let simulated: SimulatedCluster;

const average = { type: "AverageValue", averageValue: "1" };
const ofObject = (apiVersion: string, kind: string, name: string): MetricSpec => ({
  type: "Object",
  object: { describedObject: { apiVersion, kind, name: "o" }, metric: { name }, target: { type: "Value", value: "1" } },
});
const metrics: readonly MetricSpec[] = [
  { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } } },
  { type: "Pods", pods: { metric: { name: "requests" }, target: average } },
  { type: "External", external: { metric: { name: "depth" }, target: average } },
  ofObject("v1", "Service", "latency"),
  ofObject("networking.k8s.io/v1", "Ingress", "hits"),
  ofObject("v1", "Namespace", "tickets"),
];

beforeAll(async () => {
  simulated = await startSimulatedCluster({ controllers: false, users: [{ name: "ebb", rules }] });
  const { endpoint, certificateAuthorityData } = simulated;
  const file = join(folder(), "kubeconfig");
  const access = { name: "c", user: "ebb", namespace: "default", token: simulated.tokenOf("ebb") };
  await writeFile(file, kubeconfigOf({ ...access, endpoint, certificateAuthorityData }));
  await putCluster(table(), "prod", { auth: { type: "kubeconfig", file } });
  await putHpa(table(), "prod", hpaWith({ metrics }));
});
afterAll(() => simulated.close());

const run = (...args: readonly string[]) =>
  ebb([...args, "prod", "--directory", folder()], {
    table: table(),
    env: { KUBECONFIG: join(folder(), "kubeconfig") },
  });
const rightsLines = async () => (await run("doctor")).stdout.split("\n").filter((line) => / may /.test(line));

interface Role {
  readonly kind: string;
  readonly metadata: { readonly namespace?: string };
  readonly rules?: readonly Rule[];
}

async function printedRules(...more: readonly string[]): Promise<readonly Rule[]> {
  const { items } = JSON.parse((await run("rbac", "-o", "json", ...more)).stdout) as { items: readonly Role[] };
  return items.flatMap(({ metadata: { namespace = "" }, rules: own = [] }) =>
    own.flatMap(({ apiGroups, resources, verbs }) =>
      resources.map((resource) => ({ apiGroups, resources: [resource], verbs, namespaces: [namespace] })),
    ),
  );
}

async function printedSubject(): Promise<unknown> {
  const { items } = JSON.parse((await run("rbac", "-o", "json")).stdout) as { items: readonly Binding[] };
  return items.find(({ subjects }) => subjects !== undefined)?.subjects?.[0];
}

interface Binding {
  readonly subjects?: readonly unknown[];
}

test("with what ebb rbac grants, ebb doctor misses nothing", async () => {
  rules.splice(0, rules.length, ...(await printedRules()));
  const lines = await rightsLines();
  expect(lines.filter((line) => !line.includes("ok"))).toEqual([]);
  expect(lines).toHaveLength(8);
});

test("the Roles are for the user that the cluster sees, in ebb rbac and in what ebb doctor prints", async () => {
  expect(await printedSubject()).toEqual({ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "ebb" });
  rules.splice(0);
  for (const line of await rightsLines())
    expect(line).toContain(`\`ebb rbac prod --user ebb --directory ${folder()} | kubectl apply -f -\``);
});

test("a cluster that does not answer: the Roles are for the group ebb, and ebb rbac says why", async () => {
  await putCluster(table(), "away", { endpoint: "https://127.0.0.1:1", auth: { type: "token", secret: "ebb/away" } });
  await putHpa(table(), "away", hpaWith({ metrics }));
  const { stdout, stderr } = await ebb(["rbac", "away", "--directory", folder()], { table: table() });
  expect(stdout).toContain("kind: Group\n  name: ebb\n");
  expect(stderr).toMatch(/^Granted to the group ebb, as the cluster did not say who ebb is there: .+\n$/);
});

test("without any one resource of it, ebb doctor misses exactly that one, and asks for no more", async () => {
  const all = await printedRules();
  expect(all).toHaveLength(8);
  for (const missing of all) {
    rules.splice(0, rules.length, ...all.filter((rule) => rule !== missing));
    const failed = (await rightsLines()).filter((line) => line.includes("FAIL"));
    const named = `{apiGroups: ["${missing.apiGroups.join()}"], resources: ["${missing.resources.join()}"], verbs: [${missing.verbs.join(", ")}]}`;
    expect(failed).toEqual([expect.stringContaining(named)]);
  }
});

test("with 20 targets of a kind, ebb doctor says what the right to list them saves, and ebb rbac --lists grants it", async () => {
  for (let index = 0; index < 20; index += 1) {
    const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: `web-${index}` };
    const hpa = hpaWith({ scaleTargetRef });
    await putHpa(table(), "prod", { ...hpa, metadata: { ...hpa.metadata, name: `web-${index}` } });
  }
  const scales = async () => (await run("doctor")).stdout.split("\n").filter((line) => / scales /.test(line));
  rules.splice(0, rules.length, ...(await printedRules()));
  const advice =
    /one by one → grant the right to list them to save requests: `ebb rbac prod --lists .*\| kubectl apply -f -`$/;
  expect(await scales()).toEqual([expect.stringMatching(/^ {2}ok {4}reads 21 scales of deployments\.apps one by one/)]);
  expect(await scales()).toEqual([expect.stringMatching(advice)]);
  rules.splice(0, rules.length, ...(await printedRules("--lists")));
  expect(await scales()).toEqual([
    expect.stringMatching(/^ {2}ok {4}may list deployments\.apps: 21 scales take a request/),
  ]);
});

test("for a custom kind, ebb doctor also asks for the right to read its definition, which ebb rbac --lists grants", async () => {
  const worker = customKind({ group: "jobs.example.com", kind: "Worker" });
  simulated.api.create({ resource: customResourceDefinitions, namespace: "" }, worker);
  for (let index = 0; index < 20; index += 1) {
    const scaleTargetRef = { apiVersion: "jobs.example.com/v1", kind: "Worker", name: `job-${index}` };
    const hpa = hpaWith({ scaleTargetRef });
    await putHpa(table(), "prod", { ...hpa, metadata: { ...hpa.metadata, name: `job-${index}` } });
  }
  const scales = async () => (await run("doctor")).stdout.split("\n").filter((line) => line.includes("scales"));
  const granted = await printedRules("--lists");
  const saving =
    "grant the right to list them, and to read their definition, to save requests: `ebb rbac prod --lists ";
  for (const missing of ["workers", "customresourcedefinitions"]) {
    rules.splice(0, rules.length, ...granted.filter(({ resources }) => !resources.includes(missing)));
    expect(await scales()).toContainEqual(
      expect.stringContaining(`reads 20 scales of workers.jobs.example.com one by one → ${saving}`),
    );
  }
  rules.splice(0, rules.length, ...granted);
  expect(await scales()).toContainEqual(
    expect.stringContaining("may list workers.jobs.example.com: 20 scales take a request"),
  );
});
