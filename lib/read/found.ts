import type { HorizontalPodAutoscaler } from "../k8s/hpa";
import type { EpochMs } from "../k8s/time";
import type { HpaState } from "../model/hpa-states";
import type { ClusterEntry, SourceEntry } from "../model/entry/entries";
import type { RecordedEvent } from "../model/stored/event-log";
import { type KindNames, kinds } from "../model/entry/kinds";
import type { Entry } from "../model/ports/store";
import type { Entries } from "../model/ports/entries";
import type { TableStore } from "../table/store";
import type { HpaFacts } from "./hpa-facts";
import type { ObservedReading } from "./source-readings";
import type { RunTime } from "../async/run-time";

export type ResourceName = "clusters" | "hpa" | "sources" | "events";

export const resourceNames: Readonly<Record<ResourceName, Omit<KindNames, "apiVersion">>> = {
  clusters: kinds.Cluster,
  hpa: kinds.HorizontalPodAutoscaler,
  sources: kinds.MetricSource,
  events: { singular: "event", plural: "events", namespaced: true },
};

export interface ResourceType {
  readonly name: ResourceName;
  readonly v1?: true;
}

export interface Scope {
  readonly resource: ResourceType;
  readonly clusters: readonly string[];
  readonly namespace?: string;
  readonly names?: readonly string[];
}

export type Found = FoundObject & FoundDetails;

interface FoundObject {
  readonly cluster: string;
  readonly namespace?: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** As an API server would serve it. */
  readonly object: object;
  /** A watch compares this, which lacks times that only pass. Absent: `object`. */
  readonly compared?: object;
  readonly readAt: EpochMs;
}

/** `hpa`: an event's HPA. `created`: RFC 3339. */
export type FoundDetails =
  | { readonly type: "clusters"; readonly entry: Entry<ClusterEntry>; readonly hpas: number; readonly created?: string }
  | {
      readonly type: "hpa";
      readonly hpa: HorizontalPodAutoscaler;
      readonly states: readonly HpaState[];
      readonly facts: HpaFacts;
    }
  | { readonly type: "hpa"; readonly invalid: readonly string[] }
  | {
      readonly type: "sources";
      readonly entry: Entry<SourceEntry>;
      readonly readings: readonly ObservedReading[];
      readonly created?: string;
    }
  | { readonly type: "events"; readonly event: RecordedEvent; readonly hpa: string };

export interface FindContext extends RunTime {
  readonly store: Pick<TableStore, "load" | "latest" | "shardsOf" | "events">;
  readonly entries: Pick<Entries, "list">;
}

/** `problems`: one for each unreadable item. */
export interface Findings {
  readonly found: readonly Found[];
  readonly problems: readonly string[];
}

export function labelsOf(document: unknown): Readonly<Record<string, string>> {
  const { labels } = metadataOf(document);
  if (typeof labels !== "object" || labels === null) return {};
  return Object.fromEntries(
    Object.entries(labels).filter((pair): pair is [string, string] => typeof pair[1] === "string"),
  );
}

export function createdAt(document: unknown): string | undefined {
  const { creationTimestamp } = metadataOf(document);
  return typeof creationTimestamp === "string" ? creationTimestamp : undefined;
}

function metadataOf(document: unknown): { readonly labels?: unknown; readonly creationTimestamp?: unknown } {
  return (document as { readonly metadata?: object } | null)?.metadata ?? {};
}
