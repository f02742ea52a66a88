import { present } from "../../../../lib/k8s/map";
import { fieldAt, isJsonObject, textAt } from "../resources/object";
import { badRequest, type FieldCause, invalidError } from "../resources/status";
import type { ObjectDeleteOptions } from "../operations/writing";
import { isSet, parseInteger } from "./requests";

/** For unknown fields. */
export type FieldValidation = "Ignore" | "Warn" | "Strict";

export interface WriteParameters {
  /** Answers like a write, and writes nothing. */
  readonly dryRun: boolean;
  readonly fieldValidation: FieldValidation;
  /** "": none. */
  readonly fieldManager: string;
  /** For an apply: takes fields from other managers. */
  readonly force: boolean;
}

const validations = ["", "Ignore", "Strict", "Warn"];
const longestManager = 128;

/** Upstream: apimachinery, pkg/apis/meta/v1/validation. @throws 422 */
export function writeOptions(
  kind: "CreateOptions" | "UpdateOptions" | "PatchOptions",
  query: URLSearchParams,
  applies = false,
): WriteParameters {
  const validation = query.get("fieldValidation") ?? "";
  const fieldManager = query.get("fieldManager") ?? "";
  const force = isSet(query, "force");
  const errors: FieldCause[] = [];
  if (kind === "PatchOptions" && applies && fieldManager === "") {
    errors.push({ field: "fieldManager", type: "Required", detail: "is required for apply patch" });
  }
  if (kind === "PatchOptions" && !applies && force) {
    errors.push({ field: "force", type: "Forbidden", detail: "may not be specified for non-apply patch" });
  }
  if (Buffer.byteLength(fieldManager) > longestManager) {
    errors.push({ field: "fieldManager", type: "TooLong", detail: `may not be more than ${longestManager} bytes` });
  }
  errors.push(...dryRunErrors(query.getAll("dryRun")));
  if (!validations.includes(validation)) {
    errors.push(unsupported("fieldValidation", validation, validations));
  }
  if (errors.length > 0) throw invalidError({ group: "meta.k8s.io", kind }, "", errors);
  const fieldValidation = validation === "" ? "Warn" : (validation as FieldValidation);
  return { dryRun: query.has("dryRun"), fieldValidation, fieldManager, force };
}

const unsupported = (field: string, value: unknown, supported: readonly string[]): FieldCause => ({
  field,
  type: "NotSupported",
  value,
  detail: `supported values: ${supported.map((each) => JSON.stringify(each)).join(", ")}`,
});

function dryRunErrors(values: readonly unknown[]): FieldCause[] {
  return values.some((value) => value !== "All") ? [unsupported("dryRun", values, ["All"])] : [];
}

const policies = ["Foreground", "Background", "Orphan"];

/** A dry run in either body or query is one. @throws 400, 422 */
export function deleteOptions(body: unknown, query: URLSearchParams): ObjectDeleteOptions & { dryRun: boolean } {
  requireDeleteOptions(body);
  const inBody = fieldAt(body, "dryRun");
  const dryRun = [...query.getAll("dryRun"), ...(Array.isArray(inBody) ? (inBody as unknown[]) : [])];
  const orphan = fieldAt(body, "orphanDependents");
  const policy = query.get("propagationPolicy") ?? textAt(body, "propagationPolicy");
  const errors = dryRunErrors(dryRun);
  if (policy !== undefined && orphan !== undefined) {
    const detail = "orphanDependents and deletionPropagation cannot be both set";
    errors.push({ field: "propagationPolicy", type: "Invalid", value: policy, detail });
  }
  if (policy !== undefined && !policies.includes(policy)) {
    errors.push(unsupported("propagationPolicy", policy, [...policies, "nil"]));
  }
  if (errors.length > 0) throw invalidError({ group: "meta.k8s.io", kind: "DeleteOptions" }, "", errors);
  const grace = graceIn(query) ?? fieldAt(body, "gracePeriodSeconds");
  const uid = textAt(body, "preconditions.uid");
  const resourceVersion = textAt(body, "preconditions.resourceVersion");
  return {
    dryRun: dryRun.length > 0,
    orphans: policy === "Orphan" || orphan === true,
    ...(typeof grace === "number" && { gracePeriodSeconds: grace }),
    ...present({ uid, resourceVersion }),
  };
}

function graceIn(query: URLSearchParams): number | undefined {
  const text = query.get("gracePeriodSeconds");
  if (text === null) return undefined;
  return parseInteger(text);
}

/** An unreadable document must not delete without its options. */
function requireDeleteOptions(body: unknown): void {
  if (body === undefined) return;
  if (!isJsonObject(body)) throw badRequest("expected DeleteOptions as the body of a DELETE, got no object");
  const { kind = "DeleteOptions", apiVersion } = body;
  if (kind === "DeleteOptions") return;
  throw badRequest(
    `expected DeleteOptions as the body of a DELETE, got kind ${JSON.stringify(kind)} of ${JSON.stringify(apiVersion)}`,
  );
}
