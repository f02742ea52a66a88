import type { ClusterSpec, SourceEntry } from "../lib/model/entry/entries";
import { Fault } from "../lib/model/fault";
import type { HorizontalPodAutoscaler } from "../lib/k8s/hpa";
import { kinds } from "../lib/model/entry/kinds";
import { applyEntry } from "../lib/table/apply-entry";
import type { Entries, EntryDocument, EntryRef } from "../lib/model/ports/entries";
import { openEntries } from "../lib/table/entries";
import type { Table } from "../lib/table/reads";

const limitMs = 10_000;

/** As `ebb apply` does. Rejects with a Fault. */
export async function putCluster(table: Table, name: string, spec: ClusterSpec): Promise<void> {
  const { apiVersion } = kinds.Cluster;
  const document = { apiVersion, kind: "Cluster", metadata: { name }, spec };
  await apply(openEntries(table), { kind: "Cluster", cluster: name, name }, document);
}

/** `hpa` is valid and defaulted. */
export async function putHpa(table: Table, cluster: string, hpa: HorizontalPodAutoscaler): Promise<void> {
  await apply(openEntries(table), refOf(cluster, hpa), { ...hpa });
}

export async function hasHpa(table: Table, cluster: string, hpa: HorizontalPodAutoscaler): Promise<boolean> {
  return await has(table, refOf(cluster, hpa));
}

/** `spec` is valid. */
export async function putSource(table: Table, cluster: string, { name, spec }: SourceEntry): Promise<void> {
  const { apiVersion } = kinds.MetricSource;
  const document = { apiVersion, kind: "MetricSource", metadata: { name }, spec };
  await apply(openEntries(table), { kind: "MetricSource", cluster, name }, document);
}

export async function hasSource(table: Table, cluster: string, { name }: SourceEntry): Promise<boolean> {
  return await has(table, { kind: "MetricSource", cluster, name });
}

async function has(table: Table, ref: EntryRef): Promise<boolean> {
  return (await openEntries(table).get(ref, AbortSignal.timeout(limitMs))) !== undefined;
}

function refOf(cluster: string, { metadata }: HorizontalPodAutoscaler): EntryRef {
  const { name, namespace = "default" } = metadata;
  return { kind: "HorizontalPodAutoscaler", cluster, namespace, name };
}

async function apply(entries: Entries, ref: EntryRef, document: EntryDocument): Promise<void> {
  const context = { entries, signal: AbortSignal.timeout(limitMs), now: () => Date.now() };
  const result = await applyEntry({ ref, document }, context);
  if (!("overtaken" in result)) return;
  throw new Fault("conflict", `${ref.kind} ${ref.name}: somebody else just ${result.overtaken} it; start ebb again`);
}
