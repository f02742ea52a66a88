import type { HorizontalPodAutoscaler, MetricSpec } from "../../k8s/hpa";
import { byteLength } from "../../k8s/go-text";
import { isMap } from "../../k8s/map";
import type { FieldError } from "../../k8s/validate/field-error";
import { type Problem, problemText } from "../check/problem";
import { sizeOf } from "../size";

/**
 * What one entry may cost. The API server has no such limits: there, a user's HPA costs the user's own cluster. Here,
 * many HPAs share a function and a table item has 400 KB. docs/entries.md lists these limits.
 */
export const limits = {
  /** Of an entry's document, as the table counts bytes. An HPA's state repeats parts of it, and has 400 KB. */
  documentBytes: 128 * 1024,
  /** Of a source's spec. A thousand metrics may read it, each with labels of its own. */
  sourceBytes: 16 * 1024,
  /** Each is one or two requests in each slot. */
  metricsPerHpa: 100,
  /** Of an object that a document refers to. Kubernetes has no longer names. */
  nameBytes: 253,
  /** Of a target's selector. Each HPA of a namespace is compared with the selectors of all others. */
  selectorCharacters: 4_096,
  /** Requests for metrics by one shard in one slot: five for each of the 1,000 HPAs that a shard may have. */
  queriesPerRun: 5_000,
} as const;

/** In place of a document that was too large to be kept in memory with the others of its shard. */
export class RefusedDocument {
  constructor(readonly errors: readonly FieldError[]) {}
}

/** Documents that were measured and fit. Nobody changes a document, so a load and a validation measure it once. */
const fitting = new WeakSet();

/** Whether an HPA's document is too large to be looked at any further. `bytes`: if the caller has measured it. */
export function sizeErrors(document: unknown, bytes?: number): readonly FieldError[] {
  if (document instanceof RefusedDocument) return document.errors;
  if (isMap(document) && fitting.has(document)) return [];
  const problem = sizeProblem(document, bytes);
  if (problem === undefined) {
    if (isMap(document)) fitting.add(document);
    return [];
  }
  const metrics = isMap(document) && isMap(document["spec"]) ? document["spec"]["metrics"] : undefined;
  if (Array.isArray(metrics) && metrics.length > limits.metricsPerHpa) return [tooMany(metrics.length)];
  return [{ path: problem.path, text: problemText(problem) }];
}

/** The limit for the document of any entry. */
export function sizeProblem(
  document: unknown,
  bytes = sizeOf(document),
  most: number = limits.documentBytes,
): Problem | undefined {
  if (bytes <= most) return undefined;
  const what = `expected a document of at most ${most} bytes, got ${bytes}, most of them here`;
  return { path: largestPart(document), message: `${what} (a limit of ebb): make it shorter` };
}

/** An HPA's fields are no deeper. Each level measures the part again. */
const deepestPart = 8;

/** The path of the smallest part that has more than half of the document; "" is the document. */
function largestPart(document: unknown): string {
  let [path, part] = ["", document];
  for (let level = 0; level < deepestPart; level += 1) {
    const half = sizeOf(part) / 2;
    const isList = Array.isArray(part);
    const members = typeof part === "object" && part !== null ? Object.entries(part) : [];
    const [name, member] = members.find(([, value]) => sizeOf(value) > half) ?? [];
    if (name === undefined) return path;
    path = isList ? `${path}[${name}]` : path === "" ? name : `${path}.${name}`;
    if (path.length > limits.nameBytes) return ""; // the name itself is what is too long
    part = member;
  }
  return path;
}

/** What exceeds ebb's limits in a valid HPA. */
export function limitErrors({ spec }: HorizontalPodAutoscaler): readonly FieldError[] {
  const { metrics = [], scaleTargetRef } = spec;
  return [
    ...nameErrors("spec.scaleTargetRef.name", scaleTargetRef.name),
    ...(metrics.length <= limits.metricsPerHpa ? metrics.flatMap(describedErrors) : [tooMany(metrics.length)]),
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
