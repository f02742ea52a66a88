import { access } from "node:fs/promises";
import { join, resolve } from "node:path";
import { type AwsAccess, openAwsClients, sourcesOver } from "../compose";
import { closeOnFailure, type Closing } from "../lib/async/closing";
import { onThisMachine } from "../lib/net/address";
import type { GivenKubeconfig } from "../lib/cluster/auth/given-kubeconfig";
import { present } from "../lib/k8s/map";
import type { Fault } from "../lib/model/fault";
import type { ControllerOptions } from "../lib/model/entry/entries";
import type { MetricSources } from "../lib/model/ports/sources";
import type { Table } from "../lib/table/reads";
import { demoHpas, demoSource } from "./demo/demo-hpas";
import { openJournal } from "./demo/journal";
import { stored } from "./directory";
import { demoCluster } from "./stored-tables";
import { hasHpa, hasSource, putCluster, putHpa, putSource } from "./entries";
import { manualClock } from "./clock";
import { type LocalCredential, newCredential } from "./guard/signature";
import { openPrivateFolder, writePrivateFile } from "./guard/private-files";
import type { RunFile } from "./run-file";
import { startSimulation, type SimulationSnapshot } from "./demo/simulation";
import { hourMs } from "../lib/k8s/time";

/** The cluster's entry is in the table; `sources` answer its External metrics. */
export interface Backends {
  readonly kubeconfig: GivenKubeconfig;
  readonly sources: MetricSources;
  /** Absent: queues are in AWS. */
  readonly sqs?: NonNullable<RunFile["sqs"]>;
  /** Resolves when changes can no longer be saved. Absent: nothing is saved here. */
  readonly failed?: Promise<Fault>;
  /** Work done, for the end of the run. */
  summary(): readonly string[];
  close(): Promise<void>;
}

export interface ClusterOptions {
  readonly kubeconfig: string;
  readonly context?: string;
  readonly cluster: string;
  readonly controller: ControllerOptions;
  readonly aws?: AwsAccess;
}

/** Sources are read from this machine. */
const here = {
  now: () => Date.now(),
  addresses: onThisMachine,
  variables: (name: string) => process.env[name],
};

/** A user's own cluster through the kubeconfig, and AWS through the environment. */
export async function realBackends(
  table: Table,
  { kubeconfig, context, cluster, controller, aws }: ClusterOptions,
): Promise<Backends> {
  const file = resolve(kubeconfig);
  await access(file);
  const auth = { type: "kubeconfig", file, ...present({ context }) } as const;
  await putCluster(table, cluster, { auth, options: controller });
  const sources = sourcesOver(openAwsClients(aws), here);
  const given = { file, ...present({ context }) };
  return { kubeconfig: given, sources, summary: () => [], close: () => Promise.resolve() };
}

/** Shows a burst, its drain and the zero after it within a minute. */
const demoSyncPeriodSeconds = 5;

/** Saves each change in `directory`, so the next run continues however this one ends. */
export function demoBackends(
  table: Table,
  directory: string,
  credential: LocalCredential = newCredential(),
): Promise<Backends> {
  return closeOnFailure((closing) => openDemo({ table, directory, credential }, closing));
}

interface Demo {
  readonly table: Table;
  readonly directory: string;
  readonly credential: LocalCredential;
}

async function openDemo({ table, directory, credential }: Demo, closing: Closing): Promise<Backends> {
  await openPrivateFolder(directory);
  const journal = await openJournal(directory, anHourAgo);
  closing.add(() => journal.close());
  const { snapshot, record } = journal;
  const simulation = await startSimulation({ snapshot, record, credential });
  closing.add(() => simulation.close());
  journal.compactWith(() => simulation.snapshot());
  const file = resolve(join(directory, stored.kubeconfig));
  await writePrivateFile(file, simulation.cluster.kubeconfig(simulation.namespace));

  const options = { syncPeriodSeconds: demoSyncPeriodSeconds };
  await putCluster(table, demoCluster, { auth: { type: "kubeconfig", file }, options });
  // Keeps users' changes since the last run.
  if (!(await hasSource(table, demoCluster, demoSource))) await putSource(table, demoCluster, demoSource);
  for (const hpa of demoHpas(new Date())) {
    if (!(await hasHpa(table, demoCluster, hpa))) await putHpa(table, demoCluster, hpa);
  }
  const sqs = { endpoint: simulation.sqs.endpoint, region: simulation.sqs.region };
  return {
    kubeconfig: { file },
    // Only the address is the simulation's.
    sources: sourcesOver(openAwsClients(demoQueues(sqs, credential)), here),
    ...{ sqs, failed: journal.failed },
    summary: () =>
      Object.entries(simulation.summary()).map(
        ([queue, { sent, processed, left }]) =>
          `queue ${queue}: ${sent} messages sent, ${processed} processed, ${left} left`,
      ),
    close: () => closing.close(),
  };
}

/** Consumers at zero, and one web server long ready. */
async function anHourAgo(): Promise<SimulationSnapshot> {
  const clock = manualClock(Date.now() - hourMs);
  const simulation = await startSimulation({ clock, bursts: [] });
  clock.advance(60_000);
  const snapshot = simulation.snapshot();
  await simulation.close();
  return snapshot;
}

export function demoQueues({ endpoint, region }: NonNullable<RunFile["sqs"]>, credential: LocalCredential): AwsAccess {
  return { endpoint, region, credentials: credential };
}
