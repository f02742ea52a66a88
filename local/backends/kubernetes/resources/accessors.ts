import { isJsonObject } from "./object";
import { StatusError } from "./status";

/** @throws as NestedInt64 of Go. */
export function int64At(object: unknown, path: string): number | undefined {
  const value = nestedAt(object, path);
  if (value === undefined || Number.isInteger(value)) return value as number | undefined;
  throw accessorError(path, value, "int64");
}

/** @throws as NestedString of Go. */
export function stringAt(object: unknown, path: string): string | undefined {
  const value = nestedAt(object, path);
  if (value === undefined || typeof value === "string") return value;
  throw accessorError(path, value, "string");
}

function nestedAt(object: unknown, path: string): unknown {
  const names = path.replace(/^\./, "").split(".");
  let value = object;
  for (const [index, name] of names.entries()) {
    if (value === null) return undefined;
    if (!isJsonObject(value))
      throw accessorError(`.${names.slice(0, index + 1).join(".")}`, value, "map[string]interface {}");
    if (!Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}

function accessorError(path: string, value: unknown, expected: string): StatusError {
  const message = `${path} accessor error: ${goText(value)} is of the type ${goType(value)}, expected ${expected}`;
  return new StatusError(500, "", message, {});
}

/** As Go's %v prints it. */
export function goText(value: unknown): string {
  if (value === null) return "<nil>";
  if (Array.isArray(value)) return `[${value.map(goText).join(" ")}]`;
  if (!isJsonObject(value)) return `${value as string | number | boolean}`;
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `map[${members.map(([name, member]) => `${name}:${goText(member)}`).join(" ")}]`;
}

function goType(value: unknown): string {
  if (value === null) return "<nil>";
  if (Array.isArray(value)) return "[]interface {}";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "number") return Number.isInteger(value) ? "int64" : "float64";
  return typeof value === "string" ? "string" : "map[string]interface {}";
}
