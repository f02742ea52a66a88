import { openAwsClients, openConnections, type Connections } from "../../../compose";
import { credentialsOf } from "../../../lib/aws/access";
import type { ClusterEntry } from "../../../lib/model/entry/entries";
import { onThisMachine } from "../../../lib/net/address";
import { isFault } from "../../../lib/model/fault";
import type { MetricClients } from "../../../lib/sources/kind";
import type { Entry } from "../../../lib/model/ports/store";
import type { Reachable } from "../../../lib/read/overview";
import { demoQueues } from "../../../local/backends";
import { readRunFile } from "../../../local/run-file";
import { demoFault, stoppedIn, type StoppedRun, withoutDemo } from "./stopped-run";
import type { Settings } from "../settings";
import type { Session } from "../session";

/** A person waits longer than a slot may, but not half a minute for a dead server. */
const transport = { timeoutMs: 8_000, connectTimeoutMs: 3_000 };

export interface LocalConnections extends Connections {
  readonly clients: MetricClients;
  /** Rejects if this machine has no default AWS region. */
  readonly region: () => Promise<string>;
  /** Set if the table belongs to an `ebb start` on this machine that has ended. */
  readonly stopped?: StoppedRun;
}

export async function connectionsFrom(settings: Settings, now: () => number): Promise<LocalConnections> {
  const { table, directory, region, profile } = settings;
  const inRegion = region === undefined ? {} : { region };
  const credentials = credentialsOf({ ...inRegion, ...(profile !== undefined && { profile }) });
  const aws = { ...inRegion, credentials };
  const running = table === undefined ? await readRunFile(directory) : undefined;
  const stopped = table === undefined && running === undefined ? await stoppedIn(directory) : undefined;
  const clients = openAwsClients(aws);
  // A demo's queues are in its own process.
  const demo = running?.sqs === undefined ? undefined : openAwsClients(demoQueues(running.sqs, running.credential));
  const named = settings.kubeconfigs.map((file) => ({ file, anyContext: true as const }));
  const kubeconfigs = running === undefined ? named : [running.kubeconfig, ...named];
  const variables = (name: string) => process.env[name];
  const connections = openConnections({
    ...aws,
    clients: demo ?? clients,
    now,
    transport,
    kubeconfigs,
    variables,
    addresses: onThisMachine,
  });
  const here = { ...connections, clients, region: async () => await (demo ?? clients).sqs().config.region() };
  if (stopped === undefined) return here;
  const { demo: gone } = stopped;
  return gone === undefined ? { ...here, stopped } : { ...here, ...withoutStoppedDemo(connections, gone), stopped };
}

function withoutStoppedDemo(
  { clusters, sources }: Connections,
  demo: string,
): Pick<Connections, "clusters" | "sources"> {
  return {
    clusters: {
      connect: (entry, signal) => (entry.name === demo ? Promise.reject(demoFault()) : clusters.connect(entry, signal)),
    },
    sources: withoutDemo(sources, demo),
  };
}

/** Reading a kubeconfig takes seconds on a busy machine. */
const timeoutMs = 8_000;

/** One request that every cluster allows. Rejects only when `signal` aborts. */
export async function probeCluster(
  { clusters }: Pick<Connections, "clusters">,
  entry: Entry<ClusterEntry>,
  { signal, pause }: Pick<Session, "signal" | "pause">,
): Promise<Reachable> {
  if ("invalid" in entry) return { kind: "no", message: entry.invalid };
  const attributes = {
    verb: "get",
    group: "apps",
    resource: "deployments",
    subresource: "scale",
    namespace: "default",
  };
  const [timeLimit, answered] = [new AbortController(), new AbortController()];
  void pause(timeoutMs, answered.signal).then(
    () => timeLimit.abort(),
    () => undefined,
  );
  const limit = AbortSignal.any([signal, timeLimit.signal]);
  try {
    const cluster = await clusters.connect(entry.value, limit);
    await cluster.reviewAccess(attributes, limit);
    return { kind: "yes" };
  } catch (error) {
    if (!isFault(error) || signal.aborted) throw error;
    if (timeLimit.signal.aborted) return { kind: "no", message: `no answer within ${timeoutMs / 1000} s` };
    return { kind: error.lack === undefined ? "no" : "notAsked", message: error.message };
  } finally {
    answered.abort();
  }
}

/** True for a failure before any request: this machine lacks a secret, a kubeconfig or AWS credentials. */
export function isOurs(error: unknown): boolean {
  return (
    isFault(error) &&
    error.status === undefined &&
    ["badEntry", "unauthorized", "forbidden", "notFound"].includes(error.kind)
  );
}
