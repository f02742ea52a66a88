import { isMap } from "../../../k8s/map";
import type { LabelSelector, LabelSelectorRequirement } from "../../../k8s/objects";
import { formatSelector, selectorFrom, SelectorError } from "../../../k8s/selector";
import type { ServedResource } from "../discovery-documents";
import { readLabels, unreadMetadata } from "../readable";

/** How the objects of a resource say what their /scale says. */
export interface ScaleForm {
  /** The kind of a list of them. */
  readonly listKind: string;
  /** Members that say nothing of it: Trim's. */
  readonly unread: readonly string[];
  /** What the scale of an object is made of. */
  parts(object: Readonly<Record<string, unknown>>): ScaleParts;
  /** The selector in string form; undefined if only GET /scale can say. */
  selectorText(selector: unknown): string | undefined;
}

/** Anything but the type that a Scale has means that only GET /scale can say. */
export interface ScaleParts {
  readonly replicas: unknown;
  readonly statusReplicas: unknown;
  readonly selector: unknown;
}

/** Where a CustomResourceDefinition says that the parts are: a member of a member of … the object. */
export interface ScalePaths {
  readonly listKind: string;
  readonly specReplicasPath: readonly string[];
  readonly statusReplicasPath: readonly string[];
  /** Absent: the scale has no selector. */
  readonly labelSelectorPath?: readonly string[];
}

/** Kubernetes' own kinds by group, version and resource, and how they say their selector. */
const builtIn: ReadonlyMap<string, (selector: unknown) => LabelSelector | undefined> = new Map([
  ["apps/v1/deployments", readSelector],
  ["apps/v1/statefulsets", readSelector],
  ["apps/v1/replicasets", readSelector],
  ["/v1/replicationcontrollers", (labels: unknown) => readSelector({ matchLabels: labels })],
]);

/** The form of Kubernetes' own kinds; undefined for others. */
export function builtInForm({ group, version, resource, kind }: ServedResource): ScaleForm | undefined {
  const read = builtIn.get(`${group}/${version}/${resource}`);
  if (read === undefined) return undefined;
  return {
    listKind: `${kind}List`,
    unread: [...unreadMetadata, "template", "strategy", "updateStrategy", "volumeClaimTemplates", "conditions"],
    parts: ({ spec, status }) => {
      const { replicas, selector } = membersOf(spec);
      const { replicas: statusReplicas = 0 } = membersOf(status);
      return { replicas, statusReplicas, selector };
    },
    selectorText: (selector) => {
      const structured = read(selector);
      return structured && textOf(structured);
    },
  };
}

/**
 * The form of a custom kind. A missing status is 0 and a missing selector is "" (apiextensions-apiserver,
 * customresource/etcd.go, scaleFromCustomResource). It refuses missing spec replicas, so they are left to GET /scale.
 */
export function customForm(paths: ScalePaths, apiVersion: string): ScaleForm {
  const { listKind, specReplicasPath, statusReplicasPath, labelSelectorPath } = paths;
  const named = new Set([...specReplicasPath, ...statusReplicasPath, ...(labelSelectorPath ?? [])]);
  return {
    listKind,
    unread: unreadMetadata.filter((name) => !named.has(name)),
    parts: (object) => ({
      // The paths are those of one version.
      replicas: object["apiVersion"] === apiVersion ? scalarAt(object, specReplicasPath) : null,
      statusReplicas: orElse(scalarAt(object, statusReplicasPath), 0),
      selector: labelSelectorPath === undefined ? "" : orElse(scalarAt(object, labelSelectorPath), ""),
    }),
    selectorText: (selector) => (typeof selector === "string" ? selector : undefined),
  };
}

/** Whether a resource may be one of a CustomResourceDefinition: its group has a dot. */
export function isCustom({ group }: Pick<ServedResource, "group">): boolean {
  return group.includes(".");
}

/** Whether lists of a resource with /scale may say their scales. In RBAC's words, which have no versions. */
export function mayBeListed({ group, resource }: Pick<ServedResource, "group" | "resource">): boolean {
  if (isCustom({ group })) return true;
  return [...builtIn.keys()].some((id) => id.startsWith(`${group}/`) && id.endsWith(`/${resource}`));
}

/**
 * The text, number or flag at a path; undefined if it is absent; null if it is anything else, or if the way to it is
 * not through maps (apimachinery, unstructured/helpers.go, NestedFieldNoCopy: an error there).
 */
function scalarAt(object: unknown, path: readonly string[]): unknown {
  let value = object;
  for (const name of path) {
    if (value === null) return undefined;
    if (!isMap(value)) return null;
    if (!Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return typeof value === "object" ? null : value;
}

function orElse(value: unknown, absent: unknown): unknown {
  return value === undefined ? absent : value;
}

function textOf(selector: LabelSelector): string | undefined {
  try {
    return formatSelector(selectorFrom(selector));
  } catch (error) {
    if (error instanceof SelectorError) return undefined;
    throw error;
  }
}

/** A selector of this form; undefined for anything else. */
function readSelector(value: unknown): LabelSelector | undefined {
  if (!isMap(value)) return undefined;
  const { matchLabels = {}, matchExpressions = [] } = value;
  const labels = readLabels(matchLabels);
  if (labels === undefined || !Array.isArray(matchExpressions) || !matchExpressions.every(isExpression))
    return undefined;
  return { matchLabels: labels, matchExpressions };
}

function isExpression(value: unknown): value is LabelSelectorRequirement {
  if (!isMap(value)) return false;
  const { key, operator, values = [] } = value;
  const isTexts = Array.isArray(values) && values.every((each) => typeof each === "string");
  return typeof key === "string" && typeof operator === "string" && isTexts;
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return isMap(value) ? value : {};
}
