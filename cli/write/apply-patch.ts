import { isDeepStrictEqual } from "node:util";
import { JSONPatch, JSONPatchError, type JSONValue } from "json-p3";
import { isMap } from "../../lib/k8s/map";
import { failure, serverFailure } from "../shell/failure";

export const patchTypes = ["strategic", "merge", "json"] as const;
export type PatchType = (typeof patchTypes)[number];

type Members = Readonly<Record<string, unknown>>;

/** @throws Failure, in the API server's words */
export function applyPatch(object: Members, patch: unknown, type: PatchType): unknown {
  if (type === "json") return withOperations(object, patch);
  if (!isMap(patch)) {
    const got = Array.isArray(patch) ? "array" : typeof patch;
    throw serverFailure("BadRequest", `json: cannot unmarshal ${got} into Go value of type map[string]interface {}`);
  }
  return merged(object, patch, type === "strategic");
}

/** RFC 6902 */
function withOperations(object: Members, patch: unknown): unknown {
  if (!Array.isArray(patch))
    throw serverFailure(
      "BadRequest",
      "error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp",
    );
  try {
    return new JSONPatch(patch as ConstructorParameters<typeof JSONPatch>[0]).apply(
      structuredClone(object) as JSONValue,
    );
  } catch (error) {
    // It throws a TypeError for an operation that is no map.
    if (error instanceof JSONPatchError || error instanceof TypeError)
      throw failure(
        `The request is invalid: the server rejected our request due to an error in our request: ${error.message}`,
      );
    throw error;
  }
}

/**
 * RFC 7396. All lists of an HPA's spec are atomic upstream (`+listType=atomic`), so its strategic merge patch differs
 * only in `$patch`.
 */
function merged(object: unknown, patch: Members, isStrategic: boolean): Members {
  const { $patch: directive, ...members } = patch;
  const own = isStrategic ? members : patch;
  if (isStrategic && directive === "replace") return own;
  refuseUnknown(own, isStrategic ? directive : undefined, isStrategic);
  const result = new Map(Object.entries(isMap(object) ? object : {}));
  for (const [name, value] of Object.entries(own)) {
    if (value === null || (isStrategic && isMap(value) && value["$patch"] === "delete")) result.delete(name);
    else result.set(name, isMap(value) ? merged(result.get(name), value, isStrategic) : value);
  }
  return Object.fromEntries(result);
}

/** An ignored directive would change other fields than its author wants. */
function refuseUnknown(members: Members, directive: unknown, isStrategic: boolean): void {
  if (!isStrategic) return;
  if (directive !== undefined && directive !== "merge")
    throw serverFailure("BadRequest", `$patch: expected merge, replace or delete, got ${JSON.stringify(directive)}`);
  const other = Object.keys(members).find((name) => name.startsWith("$"));
  if (other !== undefined)
    throw serverFailure("BadRequest", `${other}: ebb knows no directive but $patch: use --type=merge or --type=json`);
}

/** @throws Failure, in the API server's words, for another name or namespace */
export function refuseRenaming(before: Members, after: unknown): asserts after is Members {
  const [was, is] = [before, after].map((one) => (isMap(one) && isMap(one["metadata"]) ? one["metadata"] : {}));
  for (const field of ["name", "namespace"] as const) {
    if (isDeepStrictEqual(was?.[field], is?.[field])) continue;
    const [given, expected] = [is?.[field], was?.[field]].map((one) => (typeof one === "string" ? one : ""));
    const subject = field === "name" ? "name of the object" : "namespace of the object";
    throw serverFailure("BadRequest", `the ${subject} (${given}) does not match the ${field} on the URL (${expected})`);
  }
}
