import { isMap } from "../../../k8s/map";
import type { LabelSelector, LabelSelectorRequirement } from "../../../k8s/objects";
import { formatSelector, selectorFrom, SelectorError } from "../../../k8s/selector";
import type { ServedResource } from "../discovery-documents";
import { readLabels, unreadMetadata } from "../readable";

export interface ScaleForm {
  readonly listKind: string;
  readonly unread: readonly string[];
  parts(object: Readonly<Record<string, unknown>>): ScaleParts;
  /** Undefined: only GET /scale can say. */
  selectorText(selector: unknown): string | undefined;
}

/** A part of another type than in a Scale is left to GET /scale. */
export interface ScaleParts {
  readonly replicas: unknown;
  readonly statusReplicas: unknown;
  readonly selector: unknown;
}

export interface ScalePaths {
  readonly listKind: string;
  readonly specReplicasPath: readonly string[];
  readonly statusReplicasPath: readonly string[];
  /** Absent: the scale has no selector. */
  readonly labelSelectorPath?: readonly string[];
}

const builtIn: ReadonlyMap<string, (selector: unknown) => LabelSelector | undefined> = new Map([
  ["apps/v1/deployments", readSelector],
  ["apps/v1/statefulsets", readSelector],
  ["apps/v1/replicasets", readSelector],
  ["/v1/replicationcontrollers", (labels: unknown) => readSelector({ matchLabels: labels })],
]);

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
 * A missing status is 0 and a missing selector is "" (apiextensions-apiserver, customresource/etcd.go,
 * scaleFromCustomResource). Missing spec replicas are an error there, and left to GET /scale.
 */
export function customForm(paths: ScalePaths, apiVersion: string): ScaleForm {
  const { listKind, specReplicasPath, statusReplicasPath, labelSelectorPath } = paths;
  const named = new Set([...specReplicasPath, ...statusReplicasPath, ...(labelSelectorPath ?? [])]);
  return {
    listKind,
    unread: unreadMetadata.filter((name) => !named.has(name)),
    parts: (object) => ({
      replicas: object["apiVersion"] === apiVersion ? scalarAt(object, specReplicasPath) : null,
      statusReplicas: orElse(scalarAt(object, statusReplicasPath), 0),
      selector: labelSelectorPath === undefined ? "" : orElse(scalarAt(object, labelSelectorPath), ""),
    }),
    selectorText: (selector) => (typeof selector === "string" ? selector : undefined),
  };
}

/** A CustomResourceDefinition's group has a dot. */
export function isCustom({ group }: Pick<ServedResource, "group">): boolean {
  return group.includes(".");
}

export function mayBeListed({ group, resource }: Pick<ServedResource, "group" | "resource">): boolean {
  if (isCustom({ group })) return true;
  return [...builtIn.keys()].some((id) => id.startsWith(`${group}/`) && id.endsWith(`/${resource}`));
}

/**
 * A text, number or flag; undefined if absent; null for anything else, also on the way (apimachinery,
 * unstructured/helpers.go, NestedFieldNoCopy: an error there).
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

/** Undefined for anything else. */
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
