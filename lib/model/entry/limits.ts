import type { HorizontalPodAutoscaler, MetricSpec } from "../../k8s/hpa";
import { byteLength } from "../../k8s/go-text";
import { isMap } from "../../k8s/map";
import type { FieldError } from "../../k8s/validate/field-error";
import { type Problem, problemText } from "../check/problem";
import { sizeOf } from "../size";

/** The API server has no such limits: here many HPAs share a function, and an item has 400 KB. docs/entries.md */
export const limits = {
  /** A state repeats parts of the document. */
  documentBytes: 128 * 1024,
  /** A thousand metrics may read one source. */
  sourceBytes: 16 * 1024,
  /** Each is one or two requests a slot. */
  metricsPerHpa: 100,
  /** Each slot weighs every one against all scale events. */
  policiesPerDirection: 100,
  annotationBytes: 32 * 1024,
  rulesPerHpa: 200,
  /** Kubernetes allows no longer names. */
  nameBytes: 253,
  /** Each is compared with all others of the namespace. */
  selectorCharacters: 4_096,
  /** Five for each HPA of a shard. */
  queriesPerRun: 5_000,
} as const;

/** Replaces a document that is too large for memory. */
export class RefusedDocument {
  constructor(readonly errors: readonly FieldError[]) {}
}

/** Documents that were measured and fit. */
const fitting = new WeakSet();

export function sizeErrors(document: unknown, bytes?: number): readonly FieldError[] {
  if (document instanceof RefusedDocument) return document.errors;
  if (isMap(document) && fitting.has(document)) return [];
  const problem = sizeProblem(document, bytes);
  if (problem === undefined) {
    if (isMap(document)) fitting.add(document);
    return [];
  }
  return [{ path: problem.path, text: problemText(problem) }];
}

/** Before anything is decoded: 60,000 metrics that are null have 128 KB, and each is an error of its own. */
export function listErrors(document: unknown): readonly FieldError[] {
  const spec = isMap(document) ? document["spec"] : undefined;
  const { metrics, behavior } = isMap(spec) ? spec : {};
  const policies = ["scaleUp", "scaleDown"].flatMap((direction) => {
    const rules = isMap(behavior) ? behavior[direction] : undefined;
    const count = lengthOf(isMap(rules) ? rules["policies"] : undefined);
    return count > limits.policiesPerDirection ? [tooManyPolicies(direction, count)] : [];
  });
  return lengthOf(metrics) > limits.metricsPerHpa ? [tooMany(lengthOf(metrics)), ...policies] : policies;
}

function lengthOf(list: unknown): number {
  return Array.isArray(list) ? list.length : 0;
}

function tooManyPolicies(direction: string, count: number): FieldError {
  const path = `spec.behavior.${direction}.policies`;
  const what = `expected at most ${limits.policiesPerDirection} policies, got ${count} (a limit of ebb)`;
  return { path, text: `${path}: ${what}: remove those that never decide` };
}

export function sizeProblem(
  document: unknown,
  bytes = sizeOf(document),
  most: number = limits.documentBytes,
): Problem | undefined {
  if (bytes <= most) return undefined;
  const what = `expected a document of at most ${most} bytes, got ${bytes}, most of them here`;
  return { path: largestPart(document), message: `${what} (a limit of ebb): make it shorter` };
}

const deepestPart = 8;

/** The smallest part with more than half of the bytes. */
function largestPart(document: unknown): string {
  let [path, part] = ["", document];
  for (let level = 0; level < deepestPart; level += 1) {
    const half = sizeOf(part) / 2;
    const isList = Array.isArray(part);
    const members = typeof part === "object" && part !== null ? Object.entries(part) : [];
    const [name, member] = members.find(([, value]) => sizeOf(value) > half) ?? [];
    if (name === undefined) return path;
    path = isList ? `${path}[${name}]` : path === "" ? name : `${path}.${name}`;
    if (path.length > limits.nameBytes) return "";
    part = member;
  }
  return path;
}

export function limitErrors(hpa: HorizontalPodAutoscaler): readonly FieldError[] {
  const { metrics = [], scaleTargetRef } = hpa.spec;
  const lists = listErrors(hpa);
  return [
    ...nameErrors("spec.scaleTargetRef.name", scaleTargetRef.name),
    ...(lists.length === 0 ? metrics.flatMap(describedErrors) : lists),
  ];
}

function tooMany(metrics: number): FieldError {
  const what = `expected at most ${limits.metricsPerHpa} metrics, got ${metrics} (a limit of ebb)`;
  return { path: "spec.metrics", text: `spec.metrics: ${what}: let a metrics server or metric math combine them` };
}

function describedErrors({ object }: MetricSpec, index: number): readonly FieldError[] {
  if (object === undefined) return [];
  return nameErrors(`spec.metrics[${index}].object.describedObject.name`, object.describedObject.name);
}

function nameErrors(path: string, name: string): readonly FieldError[] {
  const bytes = byteLength(name);
  if (bytes <= limits.nameBytes) return [];
  const what = `expected at most ${limits.nameBytes} bytes, as Kubernetes allows for a name, got ${bytes}`;
  return [{ path, text: `${path}: ${what} (a limit of ebb): name an object that can exist` }];
}
