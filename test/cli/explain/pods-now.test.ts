import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { alignColumns } from "../../../cli/shell/print/columns";
import { startSimulatedCluster, type SimulatedCluster } from "../../../local/backends/kubernetes/cluster";
import { deployments, pods } from "../../../local/backends/kubernetes/resources/kinds";
import { putCluster, putHpa } from "../../../local/entries";
import { podsTable } from "../../../cli/understand/explain/pods-table";
import { openStore } from "../../../lib/table/store";
import { at, cpu50, cpuUse, hpaWith, podOf, situationWith } from "../../core/build";
import { ebb } from "../run-ebb";
import { signal, tableForTests } from "../table";
import { shard, stateAfter } from "./explained";

// Reading a kubeconfig loads a library first, which is slow on a busy machine.
jest.setTimeout(60_000);
const { table, folder } = tableForTests();
let simulated: SimulatedCluster;
const labels = { app: "web" };

function makePod(name: string, owner: { readonly kind: string; readonly name: string } | undefined, status: object) {
  const reference = owner && [{ ...owner, apiVersion: "x/v1", uid: `u-${owner.name}`, controller: true }];
  const hashed = owner?.kind === "ReplicaSet" ? { "pod-template-hash": "7d4b" } : {};
  const metadata = { name, labels: { ...labels, ...hashed }, ...(reference && { ownerReferences: reference }) };
  const container = { name: "app", image: "x", resources: { requests: { cpu: "1" } } };
  simulated.api.create({ resource: pods, namespace: "shop" }, { metadata, spec: { containers: [container] } });
  const target = { resource: pods, namespace: "shop", name, subresource: "status" as const };
  simulated.api.patch(target, { status }, "application/merge-patch+json");
}

const running = {
  phase: "Running",
  startTime: "2026-03-01T11:00:00Z",
  conditions: [{ type: "Ready", status: "True", lastTransitionTime: "2026-03-01T11:00:05Z" }],
};

beforeAll(async () => {
  simulated = await startSimulatedCluster({ controllers: false, namespaces: ["shop"] });
  const template = { metadata: { labels }, spec: { containers: [{ name: "app", image: "x" }] } };
  const made = { metadata: { name: "web" }, spec: { replicas: 3, selector: { matchLabels: labels }, template } };
  simulated.api.create({ resource: deployments, namespace: "shop" }, made);
  const own = { kind: "ReplicaSet", name: "web-7d4b" };
  makePod("web-7d4b-a", own, running);
  makePod("web-7d4b-b", own, { ...running, phase: "Pending" });
  makePod("web-7d4b-c", own, running);
  makePod("migrate-x", { kind: "Job", name: "migrate" }, { phase: "Succeeded" });
  makePod("debug", undefined, running);
  for (const name of ["web-7d4b-a", "debug"])
    simulated.metrics.setPodUsage({ namespace: "shop", name, labels, containers: { app: { cpu: "500m" } } });
  const file = join(folder(), "kubeconfig");
  await writeFile(file, simulated.kubeconfig("default"));
  await putCluster(table(), "prod", { auth: { type: "kubeconfig", file } });
  const hpa = hpaWith({ metrics: [cpu50] });
  await putHpa(table(), "prod", hpa);
  const store = openStore({ client: table().client, table: table().name, now: () => at(10) });
  await store.putState(
    "prod",
    "shop/web",
    stateAfter(situationWith({ hpa, pods: [podOf("a")], metrics: [cpuUse({ a: "1" })] })),
    signal,
  );
  await store.createShard({ ...shard, version: 1 }, signal);
});
afterAll(() => simulated.close());

const ask = (...more: readonly string[]) =>
  ebb(["explain", "hpa", "web", "-n", "shop", "--pods", "--directory", folder(), ...more], {
    table: table(),
    now: () => at(10),
    env: { KUBECONFIG: join(folder(), "kubeconfig") },
  });

test("--pods lists which pods count, and which match the selector but are not the target's", async () => {
  const { stdout, stderr, exitCode } = await ask();
  expect([stderr, exitCode]).toEqual(["", 0]);
  const [, ...shown] = stdout.split("5 pods match ");
  expect(shown.join("").split("\n")).toEqual([
    "app=web now:",
    "",
    "POD          STATUS      OWN   OWNER                 CPU",
    "debug        Running     no    <none>                counted",
    "migrate-x    Succeeded   no    Job/migrate           without a sample",
    "web-7d4b-b   Pending     yes   ReplicaSet/web-7d4b   not ready yet",
    "web-7d4b-c   Running     yes   ReplicaSet/web-7d4b   without a sample",
    "web-7d4b-a   Running     yes   ReplicaSet/web-7d4b   counted",
    "",
    "2 pods match app=web and are not of Deployment/web: Job/migrate, no owner. The HPA treats all pods that match alike, as upstream's does.",
    "",
  ]);
});

test("as data, beside the decision", async () => {
  const { stdout } = await ask("-o", "json");
  const { summary, pods: found } = JSON.parse(stdout) as { summary: string; pods: { pods: object[] } };
  expect(summary).toMatch(/./);
  expect(found).toMatchObject({ selector: "app=web", metrics: [{ name: "cpu" }] });
  expect(found.pods).toHaveLength(5);
  expect(found.pods).toContainEqual({ name: "debug", status: "Running", isOwn: false, groups: ["ready"] });
});

test("a cluster that cannot be asked leaves the decision, and fails the command", async () => {
  const hidden = deployments;
  simulated.api.delete({ resource: hidden, namespace: "shop", name: "web" });
  const { stdout, stderr, exitCode } = await ask();
  expect(stdout).toMatch(/^shop\/web [^]*\n {2}about/);
  expect(stderr).toBe('error: the pods cannot be read: deployments.apps "web" not found\n');
  expect(exitCode).toBe(1);
  expect(JSON.parse((await ask("-o", "json")).stdout)).toMatchObject({
    pods: { failure: expect.any(String) as string },
  });
});

test.each([
  [["explain", "hpa", "web", "--pods", "--since", "2h"], /cannot be used with/],
  [["explain", "hpa.spec", "--pods"], /missing required argument 'name'/],
])("refused: %j", async (args, message) => {
  const { stderr, exitCode } = await ebb(args, { table: table() });
  expect(stderr).toMatch(message);
  expect(exitCode).toBe(1);
});

test("of 10,000 pods, those that do not count or are not the target's come first, and few are listed", () => {
  const own = {
    status: "Running",
    owner: { kind: "ReplicaSet", name: "web-7d4b" },
    isOwn: true,
    groups: ["ready"] as const,
  };
  const many = Array.from({ length: 10_000 }, (_, index) => ({ ...own, name: `web-${index}` }));
  const odd = { ...own, name: "zebra\u001b[2J", groups: ["missing"] as const };
  const found = { selector: "app=web", metrics: [{ name: "cpu" }], pods: [...many, odd] };
  const lines = podsTable(found, { target: "Deployment/web", align: alignColumns }).split("\n");
  expect(lines).toHaveLength(1 + 1 + 1 + 50 + 1 + 1);
  expect(lines[3]).toMatch(/^zebra\^\[\[2J .*without a sample$/);
  expect(lines.at(-2)).toBe("and 9951 more");
});

test("no pods, and a metric that cannot be read", () => {
  const found = { selector: "app=web", metrics: [{ name: "cpu", failure: "forbidden" }], pods: [] };
  expect(podsTable(found, { target: "Deployment/web", align: alignColumns })).toBe(
    "0 pods match app=web now\ncpu cannot be read: forbidden\n",
  );
});
