import { readApiVersion, carriesBehavior, decodeHpa } from "../codec/decode-hpa";
import { note } from "../codec/decoder";
import { scanJson } from "../codec/scan-json";
import { isMap, present } from "../map";
import { withDefaults } from "../defaults";
import type { HorizontalPodAutoscaler } from "../hpa";
import { controlCharacterErrors } from "./control-characters";
import { type FieldError, duplicateField, unknownField } from "./field-error";
import { ratchetOf } from "./ratchet";
import { validateMeta } from "./validate-meta";
import { validateSpec } from "./validate-spec";

interface ValidateOptions {
  /** For table entries: apiVersion and kind may be absent, other fields are ignored. */
  readonly assumeKind?: boolean;
  /** Paths of fields given more than once. */
  readonly duplicates?: readonly string[];
  /** By path, numbers as they were written, where JavaScript spells them differently. */
  readonly numbers?: ReadonlyMap<string, string>;
  /** From an API server: a newer version's status fields are ignored. */
  readonly served?: boolean;
  /** Default "default". */
  readonly namespace?: string;
  /** The HPA that the document replaces, valid or not: then it is checked as an update. */
  readonly stored?: HorizontalPodAutoscaler;
}

export interface Validation {
  readonly errors: readonly string[];
  /** In autoscaling/v2, defaulted, with canonical quantities. Absent: invalid. */
  readonly hpa?: HorizontalPodAutoscaler;
}

const topLevel = new Set(["apiVersion", "kind", "metadata", "spec", "status"]);

/** As the API server does on creation, or with `stored` on an update, in any version. Never throws. */
export function validateHpa(document: unknown, options: ValidateOptions = {}): Validation {
  const { errors, hpa } = validateFields(document, options);
  const texts = errors.map(({ text }) => text);
  return hpa === undefined ? { errors: texts } : { errors: texts, hpa };
}

/** @throws SyntaxError */
export function validateHpaJson(json: string): Validation {
  const document: unknown = JSON.parse(json);
  const { duplicates, numbers, names } = scanJson(json);
  const isNull = ([name]: readonly [string, string]) => isMap(document) && document[name] === null;
  const read = isMap(document) ? { ...document, ...Object.fromEntries([...names].filter(isNull)) } : document;
  return validateHpa(read, { duplicates, numbers });
}

export function validateFields(
  document: unknown,
  options: ValidateOptions = {},
): Omit<Validation, "errors"> & { readonly errors: readonly FieldError[] } {
  const problems: FieldError[] = [];
  if (!isMap(document)) {
    note({ path: "", problems }, document, "a HorizontalPodAutoscaler object");
    return { errors: problems };
  }
  const assumeKind = options.assumeKind ?? false;
  const api = readApiVersion(document, assumeKind);
  if ("error" in api) return { errors: [api.error] };
  if (!assumeKind) problems.push(...unknownFields(document));
  const statusNames = assumeKind || options.served === true ? "known" : "exact";
  const decoded = inNamespace(
    decodeHpa(document, api.version, { problems, statusNames, ...present({ numbers: options.numbers }) }),
    options.namespace ?? "default",
  );
  problems.push(...duplicatesIn(options.duplicates ?? [], problems));
  if (problems.length > 0) return { errors: problems };
  const hpa = withDefaults(decoded);
  const { spec } = carriesBehavior(api.version) ? withBehaviorAsWritten(hpa, decoded) : hpa;
  const errors = [
    ...validateMeta(hpa.metadata, options.stored !== undefined ? "updated" : assumeKind ? "stored" : "created"),
    ...validateSpec(spec, ratchetOf(spec, options.stored?.spec)),
    ...controlCharacterErrors("spec", hpa.spec),
  ];
  return errors.length > 0 ? { errors: onceEach(errors) } : { errors: [], hpa };
}

/** Since 1.37, upstream shows the same error once, where it is first. An error's path is in its text. */
function onceEach(errors: readonly FieldError[]): readonly FieldError[] {
  return [...new Map(errors.map((error) => [error.text, error])).values()];
}

/** Annotations are validated before defaults reach them. */
function withBehaviorAsWritten(
  hpa: HorizontalPodAutoscaler,
  { spec }: HorizontalPodAutoscaler,
): HorizontalPodAutoscaler {
  return spec.behavior === undefined ? hpa : { ...hpa, spec: { ...hpa.spec, behavior: spec.behavior } };
}

function unknownFields(document: Readonly<Record<string, unknown>>): FieldError[] {
  return Object.keys(document)
    .filter((name) => !topLevel.has(name))
    .map(unknownField);
}

/** Upstream does not look into unknown fields. */
function duplicatesIn(duplicates: readonly string[], problems: readonly FieldError[]): FieldError[] {
  return duplicates
    .filter((field) => !problems.some(({ path }) => field.startsWith(`${path}.`) || field.startsWith(`${path}[`)))
    .map(duplicateField);
}

function inNamespace(hpa: HorizontalPodAutoscaler, namespace: string): HorizontalPodAutoscaler {
  if (hpa.metadata.namespace !== undefined) return hpa;
  return { ...hpa, metadata: { ...hpa.metadata, namespace } };
}
