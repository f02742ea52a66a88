import type { ClusterEntry } from "../../lib/api/entries";
import { describeMeta } from "../../lib/api/printing/describe-meta";
import { defaultOptions } from "../../lib/core/default-options";
import { defaultSyncPeriodMs } from "../../lib/sync/options";
import type { Entry } from "../../lib/table/entry";
import { describeLines } from "./describe-lines";

/** What is counted of a cluster. */
export interface ClusterContents {
  readonly hpas: number;
  readonly sources: number;
}

/** A cluster's entry in the manner of `kubectl describe`; options that it leaves out are shown with their defaults. */
export function describeCluster(
  document: Readonly<Record<string, unknown>>,
  entry: Entry<ClusterEntry>,
  { hpas, sources }: ClusterContents,
): string {
  const lines = [
    ...describeMeta({ ...(document["metadata"] as object), name: entry.key }).filter(isNotNamespace),
    ...("invalid" in entry ? [`Invalid:\t${entry.invalid}`] : describeSpec(entry.value.spec)),
    `HPAs:\t${hpas}`,
    `Metric sources:\t${sources}`,
  ];
  return describeLines(lines);
}

/** A cluster lives in none. */
export function isNotNamespace(line: string): boolean {
  return !line.startsWith("Namespace:");
}

function describeSpec({ endpoint, certificateAuthorityData, tlsServerName, auth, options }: ClusterEntry["spec"]) {
  const { type, ...authFields } = auth;
  const all = { syncPeriodSeconds: defaultSyncPeriodMs / 1000, ...defaultOptions, ...options };
  return [
    `Endpoint:\t${endpoint ?? "<that of the kubeconfig>"}`,
    `Certificate authority:\t${certificateAuthorityData === undefined ? "<the system's roots>" : "private"}`,
    ...(tlsServerName === undefined ? [] : [`TLS server name:\t${tlsServerName}`]),
    `Auth:\t${type}`,
    ...Object.entries(authFields).map(([field, value]) => `  ${field}:\t${String(value)}`),
    "Options:",
    ...Object.entries(all).map(([field, value]) => `  ${field}:\t${String(value)}`),
  ];
}
