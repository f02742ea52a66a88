import { ageOf } from "../../../../lib/k8s/human-duration";
import type { Clock } from "../../../clock";
import { fieldAt, isJsonObject, type KubernetesObject, listAt, numberAt, textAt } from "../resources/object";
import {
  customResourceDefinitions,
  deployments,
  events,
  namespaces,
  pods,
  replicaSets,
  replicationControllers,
  type ResourceKind,
  statefulSets,
} from "../resources/kinds";
import { selectorText } from "../resources/selectors";
import type { Accepted, Form } from "./accept";
import type { ListPage } from "./lists";

interface Column {
  readonly name: string;
  readonly type?: string;
  readonly format?: string;
  /** Above 0: for `kubectl get -o wide` alone. */
  readonly priority?: number;
  cell(object: KubernetesObject, now: number): string | number;
}

/** Without `definitions`, only rows: after a watch's first event. */
export function tableOf(
  resource: ResourceKind,
  objects: readonly KubernetesObject[],
  options: { readonly now: number; readonly definitions: boolean; readonly wholeObjects: boolean },
): Record<string, unknown> {
  const columns = columnsOf(resource);
  return {
    kind: "Table",
    apiVersion: "meta.k8s.io/v1",
    metadata: {},
    columnDefinitions: options.definitions ? columns.map(definitionOf) : null,
    rows: objects.map((object) => ({
      cells: columns.map((column) => column.cell(object, options.now)),
      object: options.wholeObjects
        ? object
        : { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1", metadata: object.metadata },
    })),
  };
}

function definitionOf({ name, type = "string", format = "", priority = 0 }: Column): unknown {
  return { name, type, format, description: name, priority };
}

const nameColumn: Column = { name: "Name", format: "name", cell: (object) => object.metadata.name };
const ageColumn: Column = { name: "Age", cell: (object, now) => ageOf(object.metadata.creationTimestamp, now) };

const count = (name: string, path: string, type = "integer"): Column => ({
  name,
  type,
  cell: (object) => numberAt(object, path) ?? 0,
});
const readyOf: Column = {
  name: "Ready",
  cell: (object) => `${numberAt(object, "status.readyReplicas") ?? 0}/${numberAt(object, "spec.replicas") ?? 0}`,
};
const fromTemplate = (name: string, key: string): Column => ({
  name,
  priority: 1,
  cell: (object) =>
    listAt(object, "spec.template.spec.containers")
      .map((container) => textAt(container, key) ?? "")
      .join(","),
});
const selectorColumn: Column = {
  name: "Selector",
  priority: 1,
  cell: (object) => {
    const selector = fieldAt(object, "spec.selector");
    const structured = isJsonObject(selector) && ("matchLabels" in selector || "matchExpressions" in selector);
    return selectorText(structured ? selector : { matchLabels: selector });
  },
};
const templateColumns = [fromTemplate("Containers", "name"), fromTemplate("Images", "image")];
const replicaSetColumns = [
  ...[nameColumn, count("Desired", "spec.replicas"), count("Current", "status.replicas")],
  ...[count("Ready", "status.readyReplicas"), ageColumn, ...templateColumns, selectorColumn],
];

const text = (name: string, path: string, more: Partial<Column> = {}): Column => ({
  ...{ name, cell: (object) => textAt(object, path) ?? "" },
  ...more,
});
const containers = (object: KubernetesObject) => listAt(object, "status.containerStatuses");
const ready = (object: KubernetesObject) => containers(object).filter((status) => status["ready"] === true).length;
const restarts = (object: KubernetesObject) =>
  containers(object).reduce((sum, status) => sum + Number(status["restartCount"] ?? 0), 0);
const involved = (object: KubernetesObject) =>
  `${(textAt(object, "involvedObject.kind") ?? "").toLowerCase()}/${textAt(object, "involvedObject.name") ?? ""}`;

const columnsByResource = new Map<ResourceKind, readonly Column[]>([
  [namespaces, [nameColumn, text("Status", "status.phase"), ageColumn]],
  [
    pods,
    [
      nameColumn,
      { name: "Ready", cell: (object) => `${ready(object)}/${listAt(object, "spec.containers").length}` },
      { name: "Status", cell: podStatus },
      { name: "Restarts", cell: (object) => String(restarts(object)) },
      ageColumn,
      { name: "IP", priority: 1, cell: (object) => textAt(object, "status.podIP") ?? "<none>" },
      { name: "Node", priority: 1, cell: (object) => textAt(object, "spec.nodeName") ?? "<none>" },
    ],
  ],
  [
    events,
    [
      { name: "Last Seen", cell: (object, now) => ageOf(textAt(object, "lastTimestamp"), now) },
      ...[text("Type", "type"), text("Reason", "reason"), { name: "Object", cell: involved }],
      ...[text("Message", "message"), { ...nameColumn, priority: 1 }],
    ],
  ],
  [replicationControllers, replicaSetColumns],
  [replicaSets, replicaSetColumns],
  [statefulSets, [nameColumn, readyOf, ageColumn, ...templateColumns]],
  [
    deployments,
    [
      ...[nameColumn, readyOf],
      count("Up-to-date", "status.updatedReplicas", "string"),
      count("Available", "status.availableReplicas", "string"),
      ...[ageColumn, ...templateColumns, selectorColumn],
    ],
  ],
  [customResourceDefinitions, [nameColumn, text("Created At", "metadata.creationTimestamp", { type: "date" })]],
]);

function columnsOf(resource: ResourceKind): readonly Column[] {
  const known = columnsByResource.get(resource);
  if (known !== undefined) return known;
  const own = (resource.custom?.printerColumns ?? []).map(({ name, type, jsonPath, priority }): Column => ({
    name,
    type,
    priority,
    cell: (object, now) => cellAt(object, jsonPath, type === "date" ? now : undefined),
  }));
  return [nameColumn, ...(own.length > 0 ? own : [ageColumn])];
}

function cellAt(object: KubernetesObject, path: string, now: number | undefined): string | number {
  const value = fieldAt(object, path);
  if (now !== undefined) return ageOf(typeof value === "string" ? value : undefined, now);
  return typeof value === "string" || typeof value === "number" ? value : "";
}

function podStatus(object: KubernetesObject): string {
  if (object.metadata.deletionTimestamp !== undefined) return "Terminating";
  const waiting = listAt(object, "status.containerStatuses").map((status) => textAt(status, "state.waiting.reason"));
  return waiting.find((reason) => reason !== undefined) ?? textAt(object, "status.phase") ?? "Unknown";
}

const meta = { g: "meta.k8s.io", v: "v1" };
const table: Form = { as: "Table", ...meta };

/** Forms besides the object or list itself. */
export const objectForms: readonly Form[] = [table, { as: "PartialObjectMetadata", ...meta }];
export const listForms: readonly Form[] = [table, { as: "PartialObjectMetadataList", ...meta }];

interface Shown {
  readonly resource: ResourceKind;
  readonly query: URLSearchParams;
  readonly clock: Clock;
}

export function objectInForm({ as }: Accepted, object: KubernetesObject, shown: Shown): unknown {
  if (as === "PartialObjectMetadata") return metadataOf(object);
  return as === "Table" ? tableIn(shown, [object], { resourceVersion: object.metadata.resourceVersion }) : object;
}

export function listInForm({ as }: Accepted, list: ListPage, shown: Shown): unknown {
  if (as === "Table") return tableIn(shown, list.items, list.metadata);
  if (as !== "PartialObjectMetadataList") return list;
  const { metadata, items } = list;
  return { kind: as, apiVersion: "meta.k8s.io/v1", metadata, items: items.map(metadataOf) };
}

const metadataOf = ({ metadata }: KubernetesObject) => ({
  kind: "PartialObjectMetadata",
  apiVersion: "meta.k8s.io/v1",
  metadata,
});

function tableIn({ resource, query, clock }: Shown, objects: readonly KubernetesObject[], metadata: unknown): unknown {
  const wholeObjects = query.get("includeObject") === "Object";
  return { ...tableOf(resource, objects, { now: clock.now(), definitions: true, wholeObjects }), metadata };
}
