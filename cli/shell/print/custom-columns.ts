import { goJson } from "../../../lib/k8s/go-text";
import { formatTable } from "./get-row";
import { failure } from "../failure";
import { compilePath, type JsonPath } from "./json-path-template";

export interface Column {
  readonly header: string;
  readonly path: JsonPath;
}

/** `NAME:.metadata.name,MAX:.spec.maxReplicas`. @throws Failure */
export function parseColumns(spec: string): readonly Column[] {
  return spec.split(",").map((part) => {
    const [header = "", path, ...more] = part.split(":");
    if (path === undefined || more.length > 0)
      throw failure(`unexpected custom-columns spec: ${part}, expected <header>:<json-path-expr>`);
    return columnOf(header, path);
  });
}

/** A line of headers, and a line of paths. @throws Failure */
export function columnsInFile(text: string): readonly Column[] {
  const [headers = [], paths = []] = text.split("\n").map((line) => line.split(/\s+/).filter((word) => word !== ""));
  if (headers.length !== paths.length)
    throw failure(`number of headers (${headers.length}) and field specifications (${paths.length}) don't match`);
  return headers.map((header, index) => columnOf(header, paths[index] ?? ""));
}

const relaxed = /^(?:\{\.?([^{}]+)\}|\.?([^{}]+))$/s;

function columnOf(header: string, given: string): Column {
  if (given === "") return { header, path: () => [] };
  const [, braced, bare] = relaxed.exec(given) ?? [];
  const path = braced ?? bare;
  if (path === undefined) {
    const forms = "a 'name1.name2' or '.name1.name2' or '{name1.name2}' or '{.name1.name2}'";
    throw failure(`unexpected path string, expected ${forms}`);
  }
  try {
    return { header, path: compilePath(`.${path}`) };
  } catch (error) {
    throw failure(`custom column ${header}: ${(error as Error).message}`);
  }
}

/** @throws Failure for an index out of bounds */
export function printColumns(columns: readonly Column[], objects: readonly object[], headers: boolean): string {
  const rows = objects.map((object) => columns.map((column) => cellOf(column, object)));
  return formatTable(headers ? columns.map(({ header }) => header) : undefined, rows);
}

function cellOf({ path }: Column, object: object): string {
  let values: readonly unknown[];
  try {
    values = path(object);
  } catch (error) {
    throw failure((error as Error).message);
  }
  return values.length === 0 ? "<none>" : values.map(goValue).join(",");
}

/** Go's %v of a value from JSON: `map[app:web]`, `[1 2]`, `<nil>`. */
function goValue(value: unknown): string {
  if (value === null || value === undefined) return "<nil>";
  if (Array.isArray(value)) return `[${value.map(goValue).join(" ")}]`;
  if (typeof value === "string") return value;
  if (typeof value !== "object") return goJson(value);
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return `map[${members.map(([key, member]) => `${key}:${goValue(member)}`).join(" ")}]`;
}
