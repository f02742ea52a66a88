import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ebb } from "../cli/run-ebb";
import { readAll } from "../sources/read-all";
import type { HpaSpec } from "../../lib/k8s/hpa";
import type { Table } from "../../lib/table/reads";
import { openScheduleSource } from "../../lib/sources/schedule/schedule";
import { demoHpas, demoSource } from "../../local/demo/demo-hpas";
import { putCluster, putHpa } from "../../local/entries";
import { demoBackends } from "../../local/backends";
import { demoCluster } from "../../local/stored-tables";
import { lineReporter } from "../../local/line-reporter";
import { startLocal } from "../../local/start";
import { openEmbeddedTable } from "../../local/backends/table/embedded-table";
import { noLimit } from "../time/no-limit";
import { until } from "../time/until";

let directory: string;
beforeEach(async () => (directory = await mkdtemp(join(tmpdir(), "ebb-start-"))));
afterEach(() => rm(directory, { recursive: true }));

/** Runs the demo as `npm start` does, with the shortest slots, until its lines are `enough`. */
async function runDemo(
  enough: (lines: readonly string[]) => boolean,
  change?: (table: Table) => Promise<void>,
): Promise<{ lines: readonly string[]; glance: string }> {
  const lines: string[] = [];
  const embedded = await openEmbeddedTable({ directory: join(directory, "table") });
  const table = { client: embedded.client, name: embedded.table };
  const backends = await demoBackends(table, directory);
  const auth = { type: "kubeconfig", file: backends.kubeconfig.file } as const;
  await putCluster(table, demoCluster, { auth, options: { syncPeriodSeconds: 3 } });
  await change?.(table);
  const local = startLocal(
    table,
    backends,
    lineReporter((line) => lines.push(line)),
  );
  try {
    await until(() => enough(lines));
    const { stdout } = await ebb(["get", "hpa"], { table });
    return { lines, glance: stdout };
  } finally {
    await local.stop();
    await backends.close();
    await embedded.close();
  }
}

/** Many consumers at once, and none as soon as they are done: the demo's own four take half a minute for two bursts. */
async function hurry(table: Table): Promise<void> {
  const orders = demoHpas(new Date()).find(({ metadata }) => metadata.name === "orders");
  if (orders === undefined) throw new Error("expected the demo to have an HPA of orders");
  const metric = { name: "sqs", selector: { matchLabels: { queue: "orders" } } };
  const spec: HpaSpec = {
    ...orders.spec,
    maxReplicas: 40,
    metrics: [{ type: "External", external: { metric, target: { type: "AverageValue", averageValue: "1" } } }],
    behavior: {
      scaleUp: { policies: [{ type: "Pods", value: 40, periodSeconds: 3 }] },
      scaleDown: { stabilizationWindowSeconds: 0 },
    },
  };
  await putHpa(table, demoCluster, { ...orders, spec });
}

test("the demo's schedule asks for two pods in every other minute", async () => {
  const valueAt = async (instant: string) => {
    const query = { metricName: demoSource.name, parameters: demoSource.spec.parameters ?? {} };
    const [reading] = await readAll(openScheduleSource(), [query], Date.parse(instant), noLimit());
    return reading !== undefined && "items" in reading ? reading.items[0]?.value : reading;
  };
  expect(await valueAt("2026-11-23T23:58:00.000Z")).toBe("2");
  expect(await valueAt("2026-11-23T23:58:59.999Z")).toBe("2");
  expect(await valueAt("2026-11-23T23:59:00.000Z")).toBe("0");
  expect(await valueAt("2026-11-24T00:00:00.000Z")).toBe("2");
});

test("the demo wakes its consumers from zero, shows its HPAs, and continues from its table when started again", async () => {
  const woken = (lines: readonly string[]) => lines.some((line) => line.includes("default/Deployment/orders  0 → "));
  const { glance } = await runDemo(woken);
  const rows = glance.trimEnd().split("\n");
  expect(rows.map((row) => row.split(/ {2,}/).slice(0, 2))).toEqual([
    ["NAME", "REFERENCE"],
    ["digest", "Deployment/digest"],
    ["invoices", "Worker/invoices"],
    ["orders", "Deployment/orders"],
    ["web", "Deployment/web"],
  ]);
  expect(await readFile(join(directory, "kubeconfig"), "utf8")).toContain("certificate-authority-data");

  // The second run finds the consumers where the first one left them, and its own zero to return to.
  const atRest = (all: readonly string[]) =>
    all.some((line) => /default\/Deployment\/orders {2}[1-9]\d* → 0/.test(line));
  const { lines } = await runDemo(atRest, hurry);
  expect(lines.filter((line) => line.includes("default/Deployment/orders"))[0]).not.toContain(" 0 → ");
}, 120_000);
