import { InstantError, parseInstant } from "../../k8s/time";
import type { ObjectMeta } from "../../k8s/objects";
import { invalid } from "../../k8s/validate/field-error";

/** What a user sets on an entry beyond the HPA API. All annotation values are text. */

export const pausedAnnotation = "ebb.dev/paused";
export const pausedUntilAnnotation = "ebb.dev/paused-until";
export const dryRunAnnotation = "ebb.dev/dry-run";
export const clusterAnnotation = "ebb.dev/cluster";

/** What each annotation means, and the values it takes. docs/configuration.md is generated from this. */
export const annotationHelp = [
  {
    name: pausedAnnotation,
    form: '"true" or "false"',
    description: "ebb does not decide for the HPA or write its scale until you remove this or set it to false.",
    verbs: ["pause", "resume"],
  },
  {
    name: pausedUntilAnnotation,
    form: "an RFC 3339 time such as 2026-03-01T12:00:00Z",
    description: "ebb pauses the HPA until then. Either of the two annotations pauses it.",
    verbs: ["pause", "resume"],
  },
  {
    name: dryRunAnnotation,
    form: '"true" or "false"',
    description: "ebb decides and records, but never writes the scale.",
    verbs: ["dry-run"],
  },
  {
    name: clusterAnnotation,
    form: "a cluster's name",
    description: "The cluster that an HPA or a MetricSource belongs to. In the table, the partition key names it.",
    verbs: ["init", "import"],
  },
] as const;

/**
 * Operations (pause, resume, dry-run) set these, not the author of a document. Applying a document that does not name
 * them keeps them.
 */
export const operationAnnotations: readonly string[] = [pausedAnnotation, pausedUntilAnnotation, dryRunAnnotation];

/** How an entry is operated, independent of its spec. */
export interface Operations {
  /** `until`: milliseconds since the epoch, past or future. `true`: until someone resumes it. */
  readonly paused: boolean | { readonly until: number };
  readonly dryRun: boolean;
}

/**
 * The operations that the annotations ask for, or one error for each malformed annotation, with the path
 * `metadata.annotations[<name>]`.
 */
export function readOperations({
  annotations = {},
}: Pick<ObjectMeta, "annotations">): Operations | { readonly errors: readonly string[] } {
  const paused = readFlag(annotations, pausedAnnotation);
  const until = readTime(annotations, pausedUntilAnnotation);
  const dryRun = readFlag(annotations, dryRunAnnotation);
  const errors = [paused, until, dryRun].flatMap((read) => ("error" in read ? [read.error] : []));
  if ("error" in paused || "error" in until || "error" in dryRun) return { errors };
  const isHeld = !paused.value && until.value !== undefined;
  return { paused: isHeld ? { until: until.value } : paused.value, dryRun: dryRun.value };
}

/** A pause ends at `until`: a sync at that moment is not paused. */
export function isPaused({ paused }: Operations, now: number): boolean {
  return typeof paused === "boolean" ? paused : now < paused.until;
}

type Read<T> = { readonly value: T } | { readonly error: string };
type Annotations = NonNullable<ObjectMeta["annotations"]>;

function readFlag(annotations: Annotations, name: string): Read<boolean> {
  const text = valueOf(annotations, name);
  if (text === undefined || text === "true" || text === "false") return { value: text === "true" };
  return { error: invalid(field(name), text, 'must be "true" or "false"').text };
}

function readTime(annotations: Annotations, name: string): Read<number | undefined> {
  const text = valueOf(annotations, name);
  if (text === undefined) return { value: undefined };
  try {
    return { value: parseInstant(text) };
  } catch (error) {
    if (!(error instanceof InstantError)) throw error;
    return { error: invalid(field(name), text, "must be an RFC 3339 time such as 2026-03-01T12:00:00Z").text };
  }
}

function valueOf(annotations: Annotations, name: string): string | undefined {
  return Object.hasOwn(annotations, name) ? annotations[name] : undefined;
}

function field(name: string): string {
  return `metadata.annotations[${name}]`;
}
