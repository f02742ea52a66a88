import { byteLength } from "../../k8s/go-text";
import { type EpochMs, InstantError, parseInstant } from "../../k8s/time";
import type { ObjectMeta } from "../../k8s/objects";
import { hasControlCharacters } from "../../k8s/validate/control-characters";
import { type FieldError, invalid } from "../../k8s/validate/field-error";
import { closest } from "../check/closest";
import { excerpt } from "../check/problem";
import { busyAnnotation, busyProblem, spareBusyAnnotation, spareBusyForAnnotation, spareForProblem } from "./busy-rule";
import { adoptZeroAnnotation, adoptZeroProblem } from "./adopt-zero";
import {
  annotationNames,
  clusterAnnotation,
  dryRunAnnotation,
  historyAnnotation,
  pausedAnnotation,
  pausedUntilAnnotation,
  wakeAnnotation,
} from "./annotation-names";
import type { EntryKind } from "./kinds";
import { limits } from "./limits";
import { rulesAnnotation, rulesAnnotationProblem } from "./metric-rules";
import { syncPeriodAnnotation, syncPeriodProblem } from "./options";
import { zeroAnnotation, zeroAnnotationProblem } from "./zero-rule";

/** `apply` keeps these when a document does not name them. */
export const operationAnnotations: readonly string[] = [
  pausedAnnotation,
  pausedUntilAnnotation,
  dryRunAnnotation,
  adoptZeroAnnotation,
];

export interface Operations {
  /** `until`: epoch ms, past or future. `true`: until someone resumes it. */
  readonly paused: boolean | { readonly until: number };
  readonly dryRun: boolean;
  /** Absent: the deployment's default applies. */
  readonly wake?: WakeBy;
  /** The zero to adopt: adopt-zero.ts */
  readonly adopts?: string;
  readonly noHistory?: true;
}

export const wakeBys = ["fast", "slot"] as const;
export type WakeBy = (typeof wakeBys)[number];

const mostErrors = 10;

export function annotationErrors(
  kind: EntryKind,
  { annotations = {} }: Pick<ObjectMeta, "annotations">,
): readonly FieldError[] {
  const own = Object.entries(annotations).filter(([name]) => name.toLowerCase().startsWith(prefix));
  const errors: FieldError[] = [];
  for (const [index, [name, value]] of own.entries()) {
    if (errors.length === mostErrors) {
      const left = `${own.length - index} more annotations of ebb are not checked: fix these first`;
      return [...errors, { path: "metadata.annotations", text: `metadata.annotations: ${left}` }];
    }
    const problem = problemOf(kind, name, value);
    if (problem !== undefined) errors.push(invalid(`metadata.annotations[${name}]`, excerpt(value), problem));
  }
  return errors;
}

const prefix = "ebb.dev/";

function problemOf(kind: EntryKind, name: string, value: string): string | undefined {
  if (!(annotationNames as readonly string[]).includes(name)) return unknownProblem(name);
  if (name !== clusterAnnotation && kind !== "HorizontalPodAutoscaler")
    return `has no effect on a ${kind}: only a HorizontalPodAutoscaler can have it`;
  const bytes = byteLength(value);
  if (bytes > limits.annotationBytes)
    return `expected at most ${limits.annotationBytes} bytes, got ${bytes} (a limit of ebb): make it shorter`;
  switch (name) {
    case pausedAnnotation:
    case dryRunAnnotation:
    case spareBusyAnnotation:
    case historyAnnotation:
      return value === "true" || value === "false" ? undefined : 'must be "true" or "false"';
    case pausedUntilAnnotation:
      return instantOf(value) === undefined ? "must be an RFC 3339 time such as 2026-03-01T12:00:00Z" : undefined;
    case rulesAnnotation:
      return rulesAnnotationProblem(value);
    case zeroAnnotation:
      return zeroAnnotationProblem(value);
    case busyAnnotation:
      return busyProblem(value);
    case spareBusyForAnnotation:
      return spareForProblem(value);
    case adoptZeroAnnotation:
      return adoptZeroProblem(value);
    case syncPeriodAnnotation:
      return syncPeriodProblem(value);
    case wakeAnnotation:
      return isWakeBy(value) ? undefined : 'must be "fast" or "slot"';
    default:
      return isClusterName(value)
        ? undefined
        : `must be a cluster's name: not empty, without "#" and control characters`;
  }
}

function unknownProblem(name: string): string {
  const meant = closest(
    name.toLowerCase().slice(prefix.length),
    annotationNames.map((one) => one.slice(prefix.length)),
  );
  if (meant !== undefined) return `unknown annotation of ebb, did you mean "${prefix}${meant}"?`;
  const quoted = annotationNames.map((one) => `"${one}"`);
  return `unknown annotation of ebb, expected ${quoted.slice(0, -1).join(", ")} or ${quoted.at(-1)}`;
}

function isClusterName(text: string): boolean {
  return text.trim() !== "" && !text.includes("#") && !hasControlCharacters(text);
}

export function readOperations(
  metadata: Pick<ObjectMeta, "annotations">,
): Operations | { readonly errors: readonly string[] } {
  const errors = annotationErrors("HorizontalPodAutoscaler", metadata);
  if (errors.length > 0) return { errors: errors.map(({ text }) => text) };
  const { annotations = {} } = metadata;
  const until = instantOf(valueOf(annotations, pausedUntilAnnotation));
  const paused = valueOf(annotations, pausedAnnotation) === "true";
  const dryRun = valueOf(annotations, dryRunAnnotation) === "true";
  const wake = valueOf(annotations, wakeAnnotation);
  const wakeOption = wake !== undefined && isWakeBy(wake) ? { wake } : {};
  const adopts = valueOf(annotations, adoptZeroAnnotation);
  const noHistory = valueOf(annotations, historyAnnotation) === "false" ? ({ noHistory: true } as const) : {};
  const options = { ...wakeOption, ...noHistory, ...(adopts !== undefined && { adopts }) };
  return { paused: !paused && until !== undefined ? { until } : paused, dryRun, ...options };
}

function isWakeBy(text: string): text is WakeBy {
  return (wakeBys as readonly string[]).includes(text);
}

export function isPaused({ paused }: Operations, now: number): boolean {
  return typeof paused === "boolean" ? paused : now < paused.until;
}

function instantOf(text: string | undefined): EpochMs | undefined {
  if (text === undefined) return undefined;
  try {
    return parseInstant(text);
  } catch (error) {
    if (error instanceof InstantError) return undefined;
    throw error;
  }
}

function valueOf(annotations: NonNullable<ObjectMeta["annotations"]>, name: string): string | undefined {
  return Object.hasOwn(annotations, name) ? annotations[name] : undefined;
}
