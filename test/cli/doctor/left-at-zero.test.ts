import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { putCluster, putHpa } from "../../../local/entries";
import { startSimulatedCluster, type SimulatedCluster } from "../../../local/backends/kubernetes/cluster";
import { openStore } from "../../../lib/table/store";
import { external, hpaWith, scaleOf, situationWith } from "../../core/build";
import { shard, stateAfter } from "../explain/explained";
import { ebb } from "../run-ebb";
import { signal, tableForTests } from "../table";

/** A workload at a zero that ebb did not make is not woken, whatever its metrics say: doctor and status say so. */
jest.setTimeout(120_000);
const { table, folder } = tableForTests();
const file = () => join(folder(), "kubeconfig");
let simulated: SimulatedCluster;
const now = Date.now();

beforeAll(async () => {
  simulated = await startSimulatedCluster({ controllers: false, namespaces: ["shop"] });
  await writeFile(file(), simulated.kubeconfig("default"));
  simulated.metrics.setExternal({ namespace: "shop", metric: "queue", value: "30" });
  await putCluster(table(), "prod", { auth: { type: "kubeconfig", file: file() } });
  const store = openStore({ client: table().client, table: table().name, now: () => now });
  await store.createShard({ ...shard, version: 1, slot: now + 1000, heartbeat: now }, signal);
});
afterAll(() => simulated.close());

const run = (...args: readonly string[]) =>
  ebb([...args, "--cluster", "prod", "--directory", folder()], {
    table: table(),
    now: () => now + 2000,
    env: { KUBECONFIG: file() },
  });

/** An HPA whose last sync found its target at a zero that is not ebb's. */
async function asleep(name: string): Promise<void> {
  const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name };
  const resource = simulated.registry.find("apps", "v1", "deployments") as never;
  const labels = { app: name };
  const template = { metadata: { labels }, spec: { containers: [{ name: "app", image: "app" }] } };
  const spec = { replicas: 0, selector: { matchLabels: labels }, template };
  simulated.api.create({ resource, namespace: "shop" }, { metadata: { name }, spec });
  const hpa = hpaWith({ scaleTargetRef, minReplicas: 0 });
  await putHpa(table(), "prod", { ...hpa, metadata: { ...hpa.metadata, name } });
  const store = openStore({ client: table().client, table: table().name, now: () => now });
  const state = stateAfter(situationWith({ hpa, scale: scaleOf(0), metrics: [external("30")] }));
  await store.putState("prod", `shop/${name}`, state, signal);
}

test("ebb doctor names it, and how to wake it or to say that its zero is meant", async () => {
  await asleep("web");
  const { stdout, exitCode } = await run("doctor");
  expect(stdout).toContain(
    "  FAIL  HPA shop/web: its workload can wake: will not wake: not our zero: ebb did not scale it to zero, or did for an HPA of another name → " +
      `make its zero ebb's: \`ebb adopt hpa web -n shop --cluster prod --directory ${folder()}\`; ` +
      `or, if it is meant to stay at zero, say so: \`ebb pause hpa web -n shop --cluster prod --directory ${folder()}\`\n`,
  );
  expect(exitCode).toBe(1);
});

test("ebb status says it in one line", async () => {
  expect((await run("status")).stdout).toMatch(
    /\n1 HPA will not wake: not our zero: shop\/web; to see how: `ebb doctor[^`]*`\.\n$/,
  );
  expect(JSON.parse((await run("status", "-o", "json")).stdout)).toMatchObject({
    clusters: [{ leftAtZero: ["shop/web"] }],
  });
});

test("one that is paused is meant to be at zero", async () => {
  await run("pause", "hpa", "web", "-n", "shop");
  const [doctor, status] = [await run("doctor"), await run("status")];
  expect(doctor.stdout + status.stdout).not.toMatch(/wake/);
});

test("many are one line", async () => {
  for (let index = 0; index < 30; index += 1) await asleep(`job-${index}`);
  expect((await run("status")).stdout).toMatch(
    /\n30 HPAs will not wake: not our zero: shop\/job-0, shop\/job-1, shop\/job-10, shop\/job-11, shop\/job-12 and 25 more; to see how: `ebb doctor[^`]*`\.\n$/,
  );
});
