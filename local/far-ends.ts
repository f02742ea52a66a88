import { access, mkdir, readFile, writeFile } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { type AwsAccess, openAwsClients, sourcesOver } from "../compose";
import type { ControllerOptions } from "../lib/model/entry/entries";
import type { MetricSources } from "../lib/model/ports";
import type { Table } from "../lib/table/reads";
import { demoHpas } from "./demo/demo-hpas";
import { hasHpa, putCluster, putHpa } from "./entries";
import { manualClock } from "./clock";
import type { RunFile } from "./run-file";
import { startSimulation, type Simulation, type SimulationSnapshot } from "./demo/simulation";

/** What a run acts on: the cluster's entry is in the table, and these sources answer its External metrics. */
export interface FarEnds {
  readonly kubeconfig: string;
  readonly sources: MetricSources;
  /** Where the queues are, if not in AWS. */
  readonly sqs?: NonNullable<RunFile["sqs"]>;
  /** How much work was done, for the summary at the end. */
  summary(): readonly string[];
  close(): Promise<void>;
}

export interface ClusterOptions {
  readonly kubeconfig: string;
  readonly context?: string;
  readonly cluster: string;
  readonly controller: ControllerOptions;
}

/** A cluster of the user's own, reached as kubectl reaches it, and AWS as the environment says. */
export async function realFarEnds(
  table: Table,
  { kubeconfig, context, cluster, controller }: ClusterOptions,
): Promise<FarEnds> {
  const file = resolve(kubeconfig);
  await access(file);
  const auth = { type: "kubeconfig", file, ...(context === undefined ? {} : { context }) } as const;
  await putCluster(table, cluster, { auth, options: controller });
  const sources = sourcesOver(openAwsClients());
  return { kubeconfig: file, sources, summary: () => [], close: () => Promise.resolve() };
}

/** The demo's cluster in the table. */
export const demoCluster = "demo";

/** Slots this close show a queue's burst, its drain and the zero after it within a minute. */
const demoSyncPeriodSeconds = 5;

/** The simulated cluster and queues. Their contents are kept in `directory`, and the next run continues from them. */
export async function demoFarEnds(table: Table, directory: string): Promise<FarEnds> {
  const snapshotFile = join(directory, "simulation.json");
  const snapshot = (await readSnapshot(snapshotFile)) ?? (await anHourAgo());
  const simulation = await startSimulation({ snapshot });
  const kubeconfig = resolve(join(directory, "kubeconfig"));
  await mkdir(directory, { recursive: true });
  await writeFile(kubeconfig, simulation.cluster.kubeconfig(simulation.namespace), { mode: 0o600 });

  const options = { syncPeriodSeconds: demoSyncPeriodSeconds };
  await putCluster(table, demoCluster, { auth: { type: "kubeconfig", file: kubeconfig }, options });
  for (const hpa of demoHpas(new Date())) {
    // Keeps what users changed since the last run.
    if (!(await hasHpa(table, demoCluster, hpa))) await putHpa(table, demoCluster, hpa);
  }
  return {
    kubeconfig,
    sources: simulatedSources(simulation),
    sqs: { endpoint: simulation.sqs.endpoint, region: simulation.sqs.region },
    summary: () =>
      Object.entries(simulation.summary()).map(
        ([queue, { sent, processed, left }]) =>
          `queue ${queue}: ${sent} messages sent, ${processed} processed, ${left} left`,
      ),
    async close() {
      await writeFile(snapshotFile, JSON.stringify(simulation.snapshot()));
      await simulation.close();
    },
  };
}

/** A cluster idle for an hour: the consumers at zero, one web server long ready. */
async function anHourAgo(): Promise<SimulationSnapshot> {
  const hourMs = 3_600_000;
  const clock = manualClock(Date.now() - hourMs);
  const replicas = { orders: 0, invoices: 0, web: 1 };
  const simulation = await startSimulation({ clock, replicas, bursts: [] });
  clock.advance(60_000);
  const snapshot = simulation.snapshot();
  await simulation.close();
  return snapshot;
}

/** How to reach a demo's queues, which check no signature. */
export function demoQueues({ endpoint, region }: NonNullable<RunFile["sqs"]>): AwsAccess {
  return { endpoint, region, credentials: { accessKeyId: "demo", secretAccessKey: "demo" } };
}

/** The product's own sources; only the address is the simulation's. */
function simulatedSources({ sqs }: Simulation): MetricSources {
  return sourcesOver(openAwsClients(demoQueues(sqs)));
}

async function readSnapshot(file: string): Promise<SimulationSnapshot | undefined> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  try {
    return JSON.parse(text) as SimulationSnapshot;
  } catch (cause) {
    throw new Error(`${basename(file)}: expected a snapshot in JSON; delete the file to start again`, { cause });
  }
}
