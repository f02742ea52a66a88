import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { putCluster, putHpa } from "../../../local/entries";
import { startSimulatedCluster, type SimulatedCluster } from "../../../local/backends/kubernetes/cluster";
import type { HpaSpec, MetricSpec } from "../../../lib/k8s/hpa";
import { openStore } from "../../../lib/table/store";
import { hpaWith, situationWith } from "../../core/build";
import { shard, stateAfter } from "../explain/explained";
import { ebb } from "../run-ebb";
import { signal, tableForTests } from "../table";

/** What `ebb explain` shows of an HPA, and what the HPA needs from the cluster, `ebb doctor` reports. */
jest.setTimeout(120_000);
const { table, folder } = tableForTests();
const target = { type: "AverageValue", averageValue: "1" };
const external = (name: string, matchLabels?: Readonly<Record<string, string>>): MetricSpec => ({
  type: "External",
  external: { metric: { name, ...(matchLabels && { selector: { matchLabels } }) }, target },
});
const perPod = (name: string): MetricSpec => ({ type: "Pods", pods: { metric: { name }, target } });
const deployment = { apiVersion: "apps/v1", kind: "Deployment" };

let simulated: SimulatedCluster;
/** API groups whose server is down. */
const down = new Set<string>();

beforeAll(async () => {
  simulated = await startSimulatedCluster({
    controllers: false,
    namespaces: ["shop"],
    intercept: (request, response) => {
      if (![...down].some((group) => request.url?.startsWith(`/apis/${group}/`))) return false;
      response.writeHead(503, { "content-type": "text/plain" }).end("service unavailable");
      return true;
    },
  });
  const file = join(folder(), "kubeconfig");
  await writeFile(file, simulated.kubeconfig("default"));
  for (const name of ["web", "other"])
    simulated.api.create(
      { resource: simulated.registry.find("apps", "v1", "deployments") as never, namespace: "shop" },
      {
        metadata: { name },
        spec: {
          replicas: 2,
          selector: { matchLabels: { app: name } },
          template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: "app", image: "app" }] } },
        },
      },
    );
  simulated.metrics.setExternal({ namespace: "shop", metric: "depth", value: "3" });
});
afterAll(() => simulated.close());
afterEach(() => down.clear());

let clusters = 0;

/** What doctor says of a cluster with this one HPA, "shop/web". */
async function examine(spec: Partial<HpaSpec>, given: { readonly warning?: string; readonly env?: object } = {}) {
  const cluster = `c${++clusters}`;
  const file = join(folder(), "kubeconfig");
  await putCluster(table(), cluster, { auth: { type: "kubeconfig", file } });
  const hpa = hpaWith({ scaleTargetRef: { ...deployment, name: "web" }, metrics: [external("depth")], ...spec });
  await putHpa(table(), cluster, hpa);
  const store = openStore({ client: table().client, table: table().name, now: Date.now });
  const slot = Date.now();
  await store.createShard({ ...shard, cluster, version: 1, slot, heartbeat: slot }, signal);
  if (given.warning !== undefined) {
    const warnings = [{ type: "Warning", reason: given.warning, message: "as the sync says it" }] as const;
    await store.putState(cluster, "shop/web", { ...stateAfter(situationWith()), warnings }, signal);
  }
  const ran = await ebb(["doctor", cluster, "--directory", folder()], {
    table: table(),
    env: { KUBECONFIG: file, ...given.env },
  });
  return { ...ran, failed: ran.stdout.split("\n").filter((line) => line.includes("FAIL")) };
}

test("a target and a metric that are there are well", async () => {
  const { stdout, stderr, exitCode } = await examine({});
  expect(stdout).toContain("  ok    1 HPA's target and its metrics in the cluster can be read\n");
  expect(stdout).toContain("  ok    serves external.metrics.k8s.io\n");
  expect([stderr, exitCode]).toEqual(["All is well.\n", 0]);
});

test("a target that does not exist", async () => {
  const { failed, exitCode } = await examine({ scaleTargetRef: { ...deployment, name: "wbe" } });
  expect(failed).toEqual([
    expect.stringMatching(
      /HPA shop\/web: its target deployment\/wbe can be read: deployments\.apps "wbe" not found → create it, or fix scaleTargetRef: `ebb edit hpa web -n shop --cluster c\d+ --directory [^`]+`$/,
    ),
  ]);
  expect(exitCode).toBe(1);
});

test.each<[string, MetricSpec, RegExp]>([
  [
    "external",
    external("htpp_requests"),
    /HPA shop\/web: its metric htpp_requests can be read: .* → check the metric's name/,
  ],
  ["per pod", perPod("htpp_requests"), /HPA shop\/web: its metric htpp_requests of each pod can be read: .* → check/],
])("a metric that does not exist (%s), beside one that does", async (_, metric, line) => {
  const { failed, stdout, exitCode } = await examine({ metrics: [external("depth"), metric] });
  expect(failed.join("\n")).toMatch(line);
  expect(failed.join("\n")).toContain("kubectl get --raw /apis/");
  expect(stdout).not.toMatch(/ok .* can be read/);
  expect(exitCode).toBe(1);
});

test("an adapter that is down is reported once, by the name of its APIService", async () => {
  down.add("external.metrics.k8s.io");
  const { failed, exitCode } = await examine({ metrics: [external("depth"), external("lag")] });
  expect(failed).toEqual([
    expect.stringMatching(
      /serves external\.metrics\.k8s\.io: the APIService v1beta1\.external\.metrics\.k8s\.io is not available: .* → .*`kubectl describe apiservice v1beta1\.external\.metrics\.k8s\.io` /,
    ),
  ]);
  expect(exitCode).toBe(1);
});

test.each([
  ["AmbiguousSelector", /→ let only one HPA match these pods: delete the other/],
  ["FailedGetExternalMetric", /→ if the lines here are ok, the functions lack rights that this machine has/],
])("what stopped the last sync: %s", async (warning, advice) => {
  const { failed, exitCode } = await examine({}, { warning });
  expect(failed).toEqual([
    expect.stringMatching(new RegExp(`HPA shop/web: its last sync at .* did all it should: ${warning}: as the sync`)),
  ]);
  expect(failed[0]).toMatch(advice);
  expect(exitCode).toBe(1);
});

describe("a query of a source", () => {
  const before = { ...process.env };
  beforeEach(() => {
    for (const name of ["AWS_REGION", "AWS_DEFAULT_REGION", "AWS_PROFILE"]) delete process.env[name];
    process.env["AWS_CONFIG_FILE"] = "/nowhere/config";
    process.env["AWS_SHARED_CREDENTIALS_FILE"] = "/nowhere/credentials";
    process.env["AWS_EC2_METADATA_DISABLED"] = "true";
  });
  afterEach(() => {
    process.env = { ...before };
  });

  test("with a misspelt parameter: the parameters are to be fixed, whatever the queue is", async () => {
    const { failed } = await examine({ metrics: [external("sqs", { queu: "orders" })] });
    expect(failed).toEqual([
      expect.stringMatching(
        /reads sqs\(queu=orders\): parameter queu: unknown field \(did you mean queue\?\).* → fix the parameters: /,
      ),
    ]);
  });

  test("without a region: not checked, because the functions have one, and how to name one", async () => {
    const { failed, stdout, stderr, exitCode } = await examine({ metrics: [external("sqs", { queue: "orders" })] });
    expect(failed).toEqual([]);
    expect(stdout).toMatch(
      /-- {4}reads sqs\(queue=orders\): not checked: .* → choose the region of the table, with --region or AWS_REGION; /,
    );
    expect([stderr, exitCode]).toEqual(["All that was checked is well; 1 not checked (--).\n", 0]);
  });

  test("AWS_DEFAULT_REGION is a region; without credentials here, nobody knows what the functions read", async () => {
    const { failed, stdout } = await examine(
      { metrics: [external("sqs", { queue: "orders" })] },
      { env: { AWS_DEFAULT_REGION: "eu-west-1" } },
    );
    expect(failed).toEqual([]);
    expect(stdout).toMatch(
      /-- {4}reads sqs\(queue=orders\): not checked: .*credentials.* → choose AWS credentials that are valid, with --profile \(`aws sts get-caller-identity --region eu-west-1` says whose these are\); whether the functions can, their last syncs say: `ebb status --cluster c\d+ --directory \S+`$/m,
    );
  });

  test("a secret that no region is set for: not checked, and how to name one; it is no matter of firewalls", async () => {
    const auth = { type: "token", secret: "ebb/secret" } as const;
    await putCluster(table(), "secret", { endpoint: "https://k8s.example.com", auth });
    const store = openStore({ client: table().client, table: table().name, now: Date.now });
    const slot = Date.now();
    await store.createShard({ ...shard, cluster: "secret", version: 1, slot, heartbeat: slot }, signal);
    const { stdout, stderr } = await ebb(["doctor", "secret", "--directory", folder()], { table: table() });
    expect(stdout).toMatch(
      /-- {4}connects to .*: not checked: .*secret ebb\/secret: no AWS region is set .*: set AWS_REGION, choose --region/,
    );
    expect(stdout).not.toContain("firewall");
    expect(stderr).toBe("All that was checked is well; 1 not checked (--).\n");
  });
});
