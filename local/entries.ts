import { randomUUID } from "node:crypto";
import type { ClusterSpec } from "../lib/model/entries";
import { Fault } from "../lib/model/fault";
import type { HorizontalPodAutoscaler } from "../lib/k8s/hpa";
import { kinds } from "../lib/model/kinds";
import { type Entries, openEntries } from "../lib/table/entries";
import type { EntryDocument, EntryRef } from "../lib/table/items/entry-item";
import { nextEntry } from "../lib/table/next-entry";
import type { Table } from "../lib/table/reads";

const limitMs = 10_000;

/** What `ebb apply` would write, before anything runs. These reject with a Fault. */
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
  return (await openEntries(table).get(refOf(cluster, hpa), AbortSignal.timeout(limitMs))) !== undefined;
}

function refOf(cluster: string, { metadata }: HorizontalPodAutoscaler): EntryRef {
  const { name, namespace = "default" } = metadata;
  return { kind: "HorizontalPodAutoscaler", cluster, namespace, name };
}

async function apply(entries: Entries, ref: EntryRef, document: EntryDocument): Promise<void> {
  const signal = AbortSignal.timeout(limitMs);
  const standing = await entries.get(ref, signal);
  const next = nextEntry(standing, document, { at: Date.now(), uid: randomUUID() });
  if (next.change === "unchanged") return;
  const expected = standing === undefined ? "nothing" : { standing: standing.item };
  const { done } = await entries.put({ ref, document: next.document }, expected, signal);
  if (!done) throw new Fault("conflict", `${ref.kind} ${ref.name}: somebody else changed it just now; start again`);
}
