import type { HorizontalPodAutoscaler } from "../../k8s/hpa";
import { labelKeyErrors } from "../../k8s/label-names";
import { pathSegmentErrors } from "../../k8s/names";
import { groupIn } from "../../k8s/objects";
import { type FieldError, invalid } from "../../k8s/validate/field-error";
import { excerpt } from "../check/problem";
import { secondsOf } from "./options";
import { leavesItsPath } from "../service-name";

export const busyAnnotation = "ebb.dev/busy";
export const spareBusyAnnotation = "ebb.dev/spare-busy";
export const spareBusyForAnnotation = "ebb.dev/spare-busy-for";

export type BusySource =
  /** Busy with any value but "". */
  | { readonly kind: "annotation"; readonly name: string }
  /** Pods metric. Busy above 0, as by http. */
  | { readonly kind: "metric"; readonly name: string }
  | { readonly kind: "http"; readonly port: number; readonly path: string };

/** docs/decisions/0101-spare-the-busy.md */
export interface BusyRule {
  readonly source: BusySource;
  readonly spares: boolean;
  /** Absent: no bound. */
  readonly spareForMs?: number;
}

const forms = "annotation: NAME, metric: NAME or http: :PORT/PATH";
const longestSeconds = 7 * 24 * 3_600;

export function busyProblem(text: string): string | undefined {
  const source = readSource(text);
  return typeof source === "string" ? source : undefined;
}

export function spareForProblem(text: string): string | undefined {
  const seconds = secondsOf(text);
  const isInRange = seconds !== undefined && Number.isInteger(seconds) && seconds >= 1 && seconds <= longestSeconds;
  return isInRange ? undefined : "must be whole seconds from 1s to 168h, such as 30m or 2h";
}

/** @returns the problem as text */
function readSource(text: string): BusySource | string {
  const [, kind, given = ""] = /^(annotation|metric|http): *(\S+)$/.exec(text) ?? [];
  switch (kind) {
    case "annotation": {
      const [problem] = isReserved(given)
        ? ["expected an annotation of your own"]
        : labelKeyErrors(given.toLowerCase());
      return problem === undefined ? { kind, name: given } : `annotation: ${problem}, got ${excerpt(given)}`;
    }
    case "metric": {
      const [error] = pathSegmentErrors("metric", given);
      return error === undefined ? { kind, name: given } : error.text;
    }
    case "http":
      return readAddress(given);
    default:
      return `must be ${forms}`;
  }
}

function isReserved(name: string): boolean {
  return name.startsWith("ebb.dev/") || name.startsWith("controller.kubernetes.io/");
}

function readAddress(given: string): BusySource | string {
  const [, digits = "", path = ""] = /^:(\d{1,5})(\/[!-~]*)$/.exec(given) ?? [];
  const port = Number(digits);
  if (port >= 1 && port <= 65_535 && !leavesItsPath(path)) return { kind: "http", port, path };
  return `http: expected a port and a path without . and .. as segments, such as :8080/busy, got ${excerpt(given)}`;
}

export function busyErrors({ metadata }: HorizontalPodAutoscaler): readonly FieldError[] {
  const spares = annotated(metadata, spareBusyAnnotation);
  const spareFor = annotated(metadata, spareBusyForAnnotation);
  if (spares === "true" && annotated(metadata, busyAnnotation) === undefined)
    return [errorAt(spareBusyAnnotation, spares, `needs ${busyAnnotation}, which says how busy pods are found`)];
  if (spareFor !== undefined && spares !== "true")
    return [errorAt(spareBusyForAnnotation, spareFor, `needs ${spareBusyAnnotation} to be "true"`)];
  return [];
}

function errorAt(name: string, value: string, problem: string): FieldError {
  return invalid(`metadata.annotations[${name}]`, excerpt(value), problem);
}

/** Undefined also with annotations that `apply` refuses. */
export function busyRuleOf(hpa: HorizontalPodAutoscaler): BusyRule | undefined {
  const { metadata } = hpa;
  const text = annotated(metadata, busyAnnotation);
  const source = text === undefined ? undefined : readSource(text);
  if (source === undefined || typeof source === "string" || busyErrors(hpa).length > 0) return undefined;
  const seconds = secondsOf(annotated(metadata, spareBusyForAnnotation) ?? "");
  return {
    source,
    spares: annotated(metadata, spareBusyAnnotation) === "true",
    ...(seconds !== undefined && { spareForMs: seconds * 1_000 }),
  };
}

const withReplicaSets = [
  ["apps", "Deployment"],
  ["apps", "ReplicaSet"],
  ["", "ReplicationController"],
  ["argoproj.io", "Rollout"],
];

export interface IgnoredCosts {
  readonly isStatefulSet: boolean;
  readonly because: string;
}

/** Undefined: the target's pods go by their deletion cost. */
export function ignoresCosts({ spec }: HorizontalPodAutoscaler): IgnoredCosts | undefined {
  const { apiVersion = "", kind } = spec.scaleTargetRef;
  const group = groupIn(apiVersion);
  if (withReplicaSets.some(([its, one]) => its === group && one === kind)) return undefined;
  const isStatefulSet = group === "apps" && kind === "StatefulSet";
  const because = isStatefulSet
    ? "a StatefulSet removes its highest ordinal first, whichever pod is busy"
    : `ebb does not know whether a ${kind} removes pods by their deletion cost, as ReplicaSets do`;
  return { isStatefulSet, because };
}

/** Undefined: nothing to say. */
export function unorderedText(hpa: HorizontalPodAutoscaler): string | undefined {
  const rule = busyRuleOf(hpa);
  const ignored = rule && ignoresCosts(hpa);
  if (rule === undefined || ignored === undefined) return undefined;
  const { namespace = "default", name } = hpa.metadata;
  return `HPA ${namespace}/${name}: ${busyAnnotation} may not choose which pods go: ${ignored.because}`;
}

function annotated({ annotations = {} }: HorizontalPodAutoscaler["metadata"], name: string): string | undefined {
  return Object.hasOwn(annotations, name) ? annotations[name] : undefined;
}
