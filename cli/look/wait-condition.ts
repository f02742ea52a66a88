import { goJson } from "../../lib/k8s/go-text";
import { isMap } from "../../lib/k8s/map";
import type { Found } from "../../lib/read/found";
import { failure } from "../shell/failure";
import { compilePath } from "../shell/print/json-path-template";

/** `isMet` gets undefined if there is no object. */
export interface WaitCondition {
  readonly kind: "create" | "delete" | "object";
  readonly isMet: (found: Found | undefined) => boolean;
}

/** `create`, `delete`, `condition=TYPE[=VALUE]` or `jsonpath={PATH}[=VALUE]`. @throws Failure, in kubectl's words */
export function parseCondition(text: string): WaitCondition {
  if (text.toLowerCase() === "create") return { kind: "create", isMet: (found) => found !== undefined };
  if (text.toLowerCase() === "delete") return { kind: "delete", isMet: (found) => found === undefined };
  const [, kind, rest = ""] = /^(condition|jsonpath)=(.*)$/s.exec(text) ?? [];
  if (kind === "condition") return { kind: "object", isMet: conditionMet(rest) };
  if (kind === "jsonpath") return { kind: "object", isMet: valueMet(rest) };
  throw failure(`unrecognized condition: ${JSON.stringify(text)}`);
}

/** Upstream compares type and value without regard to case. */
function conditionMet(text: string): WaitCondition["isMet"] {
  const at = text.indexOf("=");
  const [type, value] = at === -1 ? [text, "true"] : [text.slice(0, at), text.slice(at + 1)];
  return (found) => {
    const { status } = (found?.object ?? {}) as { readonly status?: unknown };
    const conditions = isMap(status) && Array.isArray(status["conditions"]) ? status["conditions"] : [];
    return conditions.some((one) => isMap(one) && same(one["type"], type) && same(one["status"], value));
  };
}

function same(one: unknown, other: string): boolean {
  return typeof one === "string" && one.toLowerCase() === other.toLowerCase();
}

function valueMet(text: string): WaitCondition["isMet"] {
  const { path: given, value } = splitPath(text);
  const bare = given.replace(/^\{(.*)\}$/s, "$1");
  const path = compiled(/^[.[$@]/.test(bare) ? bare : `.${bare}`, given);
  return (found) => {
    if (found === undefined) return false;
    const values = resultsOf(path, found.object);
    const [only, ...more] = values;
    if (more.length > 0) throw failure("given jsonpath expression matches more than one value");
    if (values.length === 0) return false;
    if (value === undefined) return true;
    if (typeof only === "object" && only !== null)
      throw failure("jsonpath leads to a nested object or list which cannot be compared");
    return (typeof only === "string" ? only : goJson(only)) === value;
  };
}

function splitPath(text: string): { readonly path: string; readonly value?: string } {
  const end = text.startsWith("{") ? text.lastIndexOf("}") + 1 : text.indexOf("=");
  if (text.startsWith("{") && end === 0) throw failure(`jsonpath wait condition: expected a closing }, got ${text}`);
  if (end === -1 || end === text.length) return { path: text };
  if (text[end] !== "=")
    throw failure(
      `jsonpath wait format must be --for=jsonpath='{.status.readyReplicas}'=3 or --for=jsonpath='{.status.readyReplicas}'`,
    );
  const value = text.slice(end + 1);
  if (value === "") throw failure("jsonpath wait has to have a value after equal sign");
  return { path: text.slice(0, end), value: value.replace(/^(['"])(.*)\1$/s, "$2") };
}

function compiled(path: string, given: string): (value: unknown) => readonly unknown[] {
  if (given === "" || given === "{}") throw failure("jsonpath expression cannot be empty");
  try {
    return compilePath(path);
  } catch (error) {
    throw failure(`--for=jsonpath=${given}: ${(error as Error).message}`);
  }
}

/** An index out of bounds: not yet. */
function resultsOf(path: (value: unknown) => readonly unknown[], object: object): readonly unknown[] {
  try {
    return path(object);
  } catch {
    return [];
  }
}
