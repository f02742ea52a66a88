import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startCommand } from "../../../cli/set-up/start/start";
import { openEntries } from "../../../lib/table/entries";
import { stored } from "../../../local/directory";
import { manualClock } from "../../../local/clock";
import { demoHpas } from "../../../local/demo/demo-hpas";
import { startSimulation } from "../../../local/demo/simulation";
import { openEmbeddedTable } from "../../../local/backends/table/embedded-table";
import { noLimit } from "../../time/no-limit";

let directory = "";
const umask = process.umask();

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "ebb-dry-run-"));
});

afterEach(() => {
  jest.restoreAllMocks();
  process.umask(umask);
  rmSync(directory, { recursive: true, force: true });
});

/** An HPA of the demo's web server that wants as many pods as it may have. */
function hungry() {
  const hpa = demoHpas(new Date()).find(({ metadata }) => metadata.name === "web");
  if (hpa === undefined) throw new Error("expected the demo to have an HPA of web");
  const target = { type: "Utilization", averageUtilization: 1 } as const;
  return { ...hpa, spec: { ...hpa.spec, metrics: [{ type: "Resource", resource: { name: "cpu", target } }] } };
}

/** Runs `ebb start` on a cluster until it has printed something, and returns its lines and the HPA's entry. */
async function startUntil(said: RegExp, ...flags: readonly string[]) {
  // A web server that is long ready: its pods have metrics.
  const clock = manualClock(Date.now() - 3_600_000);
  const past = await startSimulation({ clock, bursts: [], replicas: { web: 1 } });
  clock.advance(60_000);
  const snapshot = past.snapshot();
  await past.close();
  const simulation = await startSimulation({ snapshot, bursts: [] });
  const kubeconfig = join(directory, "mine", "kubeconfig");
  mkdirSync(join(directory, "mine"));
  writeFileSync(kubeconfig, simulation.cluster.kubeconfig(simulation.namespace));
  const file = join(directory, "hpa.json");
  writeFileSync(file, JSON.stringify(hungry()));
  let printed = "";
  jest.spyOn(process.stdout, "write").mockImplementation((text) => {
    printed += String(text);
    if (said.test(printed)) process.emit("SIGTERM");
    return true;
  });
  const args = ["--kubeconfig", kubeconfig, "--cluster", "mine", "-f", file, "--directory", directory, ...flags];
  await startCommand({ interrupted: new AbortController().signal }).parseAsync([...args, "--sync-period", "3"], {
    from: "user",
  });
  const embedded = await openEmbeddedTable({ directory: join(directory, stored.table) });
  const entries = openEntries({ client: embedded.client, name: embedded.table });
  const ref = { kind: "HorizontalPodAutoscaler", cluster: "mine", namespace: "default", name: "web" } as const;
  const entry = await entries.get(ref, noLimit());
  await embedded.close();
  await simulation.close();
  return { lines: printed.split("\n"), entry };
}

test("a run on a cluster of one's own says where it acts and what it writes, before it writes", async () => {
  const { lines } = await startUntil(/default\/Deployment\/web +1 → /);
  const kubeconfig = join(directory, "mine", "kubeconfig");
  const banner = lines.join(" ").replace(/ +/g, " ");
  expect(banner).toMatch(/acts on context \S+, https:\/\/127\.0\.0\.1:\d+/);
  expect(banner).toContain(`(${kubeconfig})`);
  const writes = lines.findIndex((line) =>
    line.startsWith("  writes    the scale of 1 target: default/Deployment/web"),
  );
  expect(writes).toBeGreaterThan(0);
  expect(lines.findIndex((line) => line.includes("1 → "))).toBeGreaterThan(writes);
});

test("with --dry-run it says what it would do, scales nothing, and leaves the HPA as its user wrote it", async () => {
  const { lines, entry } = await startUntil(/default\/web +1 ⇢ \d/, "--dry-run");
  expect(lines[0]).toBe('ebb is running in a dry run on cluster "mine".');
  expect(lines).toContainEqual(
    expect.stringContaining("  writes    no scale (dry run): it decides and records for 1 target"),
  );
  expect(lines.filter((line) => line.includes("→"))).toEqual([]);
  expect(lines.join("\n")).toMatch(/ran \d+ s: \d+ syncs, 0 scalings, /);
  expect(entry?.document["metadata"]).not.toHaveProperty("annotations");
});
