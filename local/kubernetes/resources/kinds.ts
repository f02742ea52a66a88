import type { JsonObject, KubernetesObject } from "./object";
import { fieldAt } from "./object";
import { stringAt } from "./accessors";
import { selectorText } from "./selectors";

/** How a kind's scale subresource maps to its object. */
export interface ScaleRule {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  /** The selector in string form. */
  selector(object: KubernetesObject): string;
}

/** One served kind. */
export interface ResourceKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly namespaced: boolean;
  readonly hasStatus: boolean;
  readonly scale?: ScaleRule;
  /** Only for kinds of a CustomResourceDefinition. */
  readonly custom?: {
    readonly printerColumns: readonly PrinterColumn[];
    readonly listKind: string;
    /** Its definition's schema for this version. */
    readonly schema?: JsonObject;
  };
}

export interface PrinterColumn {
  readonly name: string;
  readonly type: string;
  readonly jsonPath: string;
  readonly priority: number;
}

const replicas = { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" };
const structured: ScaleRule = { ...replicas, selector: (object) => selectorText(fieldAt(object, "spec.selector")) };
const plainMap: ScaleRule = {
  ...replicas,
  selector: (object) => selectorText({ matchLabels: fieldAt(object, "spec.selector") }),
};

export function customScale(paths: { spec: string; status: string; selector: string | undefined }): ScaleRule {
  return {
    specReplicasPath: paths.spec,
    statusReplicasPath: paths.status,
    selector: (object) => (paths.selector === undefined ? "" : (stringAt(object, paths.selector) ?? "")),
  };
}

const core = { group: "", version: "v1", namespaced: true, hasStatus: true, shortNames: [], categories: [] };
const apps = { ...core, group: "apps", categories: ["all"], scale: structured };

export const namespaces: ResourceKind = {
  ...core,
  ...{ kind: "Namespace", plural: "namespaces", singular: "namespace", shortNames: ["ns"], namespaced: false },
};
export const pods: ResourceKind = {
  ...core,
  ...{ kind: "Pod", plural: "pods", singular: "pod", shortNames: ["po"], categories: ["all"] },
};
export const events: ResourceKind = {
  ...core,
  ...{ kind: "Event", plural: "events", singular: "event", shortNames: ["ev"], hasStatus: false },
};
export const replicationControllers: ResourceKind = {
  ...core,
  ...{ kind: "ReplicationController", plural: "replicationcontrollers", singular: "replicationcontroller" },
  ...{ shortNames: ["rc"], categories: ["all"], scale: plainMap },
};
export const deployments: ResourceKind = {
  ...apps,
  ...{ kind: "Deployment", plural: "deployments", singular: "deployment", shortNames: ["deploy"] },
};
export const replicaSets: ResourceKind = {
  ...apps,
  ...{ kind: "ReplicaSet", plural: "replicasets", singular: "replicaset", shortNames: ["rs"] },
};
export const statefulSets: ResourceKind = {
  ...apps,
  ...{ kind: "StatefulSet", plural: "statefulsets", singular: "statefulset", shortNames: ["sts"] },
};
export const customResourceDefinitions: ResourceKind = {
  ...core,
  ...{ group: "apiextensions.k8s.io", kind: "CustomResourceDefinition", plural: "customresourcedefinitions" },
  ...{ singular: "customresourcedefinition", shortNames: ["crd", "crds"], namespaced: false },
};

export const builtIn: readonly ResourceKind[] = [
  namespaces,
  pods,
  events,
  replicationControllers,
  deployments,
  replicaSets,
  statefulSets,
  customResourceDefinitions,
];

export function groupVersion({ group, version }: Pick<ResourceKind, "group" | "version">): string {
  return group === "" ? version : `${group}/${version}`;
}
