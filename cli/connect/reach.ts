import { openAwsClients, openReach, type Reach } from "../../compose";
import { credentialsOf } from "../../lib/aws/access";
import type { ClusterEntry } from "../../lib/model/entry/entries";
import { onThisMachine } from "../../lib/http/address";
import { isFault } from "../../lib/model/fault";
import type { MetricClients } from "../../lib/sources/kind";
import type { Entry } from "../../lib/table/items/resource-items";
import type { Reachable } from "../../lib/read/overview";
import { demoQueues } from "../../local/far-ends";
import { readRunFile } from "../../local/run-file";
import type { Settings } from "../config/settings";
import type { Session } from "../session";

/** A person waits for the answer: longer than a slot may wait, but not half a minute for a server that is gone. */
const transport = { timeoutMs: 8_000, connectTimeoutMs: 3_000 };

export interface ReachedHere extends Reach {
  readonly clients: MetricClients;
  /** This machine's default AWS region. Rejects if it has none. */
  readonly region: () => Promise<string>;
}

/** The far ends of the entries, asked from this machine, with the credentials of the person who runs the command. */
export async function reachFrom(settings: Settings, now: () => number): Promise<ReachedHere> {
  const { table, directory, region, profile } = settings;
  const inRegion = region === undefined ? {} : { region };
  const credentials = credentialsOf({ ...inRegion, ...(profile !== undefined && { profile }) });
  const aws = { ...inRegion, credentials };
  const running = table === undefined ? await readRunFile(directory) : undefined;
  // A demo's queues are in its own process.
  const queues = running?.sqs === undefined ? {} : demoQueues(running.sqs, running.credential);
  const clients = openAwsClients(aws, { ...aws, ...queues });
  const named = settings.kubeconfigs.map((file) => ({ file, anyContext: true as const }));
  const kubeconfigs = running === undefined ? named : [running.kubeconfig, ...named];
  const variables = (name: string) => process.env[name];
  const reach = openReach({ ...aws, clients, now, transport, kubeconfigs, variables, addresses: onThisMachine });
  return { ...reach, clients, region: async () => await clients.sqs().config.region() };
}

/** A healthy cluster answers in a second, credentials included; reading a kubeconfig takes a few on a busy machine. */
const patienceMs = 8_000;

/** One authenticated request, which every cluster allows. Rejects only when `signal` aborts. */
export async function askCluster(
  { clusters }: Pick<Reach, "clusters">,
  entry: Entry<ClusterEntry>,
  { signal, pause }: Pick<Session, "signal" | "pause">,
): Promise<Reachable> {
  if ("invalid" in entry) return { kind: "notAsked", message: entry.invalid };
  const attributes = {
    verb: "get",
    group: "apps",
    resource: "deployments",
    subresource: "scale",
    namespace: "default",
  };
  const [patience, answered] = [new AbortController(), new AbortController()];
  void pause(patienceMs, answered.signal).then(
    () => patience.abort(),
    () => undefined, // the answer came first
  );
  const limit = AbortSignal.any([signal, patience.signal]);
  try {
    const cluster = await clusters.connect(entry.value, limit);
    await cluster.reviewAccess(attributes, limit);
    return { kind: "yes" };
  } catch (error) {
    if (!isFault(error) || signal.aborted) throw error;
    if (patience.signal.aborted) return { kind: "no", message: `no answer within ${patienceMs / 1000} s` };
    return { kind: isOurs(error) ? "notAsked" : "no", message: error.message };
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
