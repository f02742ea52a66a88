import { fieldAt, type JsonObject, type KubernetesObject, textAt } from "./object";
import { stringAt } from "./accessors";
import { selectorText } from "./selectors";

export interface ScaleRule {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  /** The selector in string form. */
  selector(object: KubernetesObject): string;
}

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
  readonly custom?: {
    readonly printerColumns: readonly PrinterColumn[];
    readonly listKind: string;
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
const ofMap = (object: KubernetesObject) => selectorText({ matchLabels: fieldAt(object, "spec.selector") });
const plainMap: ScaleRule = { ...replicas, selector: ofMap };

export function customScale(scale: JsonObject): ScaleRule {
  const selectorPath = textAt(scale, "labelSelectorPath");
  return {
    specReplicasPath: textAt(scale, "specReplicasPath") ?? "",
    statusReplicasPath: textAt(scale, "statusReplicasPath") ?? "",
    selector: (object) => (selectorPath === undefined ? "" : (stringAt(object, selectorPath) ?? "")),
  };
}

/** @param short kubectl's other names */
function builtInKind(kind: string, short: readonly string[], more: Partial<ResourceKind> = {}): ResourceKind {
  const singular = kind.toLowerCase();
  return {
    ...{ group: "", version: "v1", namespaced: true, hasStatus: true, categories: ["all"] },
    ...{ kind, singular, plural: `${singular}s`, shortNames: short },
    ...more,
  };
}

const none = { categories: [] };
const apps = { group: "apps", scale: structured };
const definition = { group: "apiextensions.k8s.io", namespaced: false, categories: [] };

export const namespaces = builtInKind("Namespace", ["ns"], { ...none, namespaced: false });
export const pods = builtInKind("Pod", ["po"]);
export const events = builtInKind("Event", ["ev"], { ...none, hasStatus: false });
export const replicationControllers = builtInKind("ReplicationController", ["rc"], { scale: plainMap });
export const deployments = builtInKind("Deployment", ["deploy"], apps);
export const replicaSets = builtInKind("ReplicaSet", ["rs"], apps);
export const statefulSets = builtInKind("StatefulSet", ["sts"], apps);
export const customResourceDefinitions = builtInKind("CustomResourceDefinition", ["crd", "crds"], definition);

/** In the order of discovery. */
export const builtIn: readonly ResourceKind[] = [
  ...[namespaces, pods, events, replicationControllers, deployments, replicaSets, statefulSets],
  customResourceDefinitions,
];

export function groupVersion({ group, version }: Pick<ResourceKind, "group" | "version">): string {
  return group === "" ? version : `${group}/${version}`;
}
