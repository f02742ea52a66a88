import { Fault } from "../model/fault";

export type Parameters = Readonly<Record<string, unknown>>;

/** The fault of a parameter that cannot be used. `path` is where it is: "period", "queries[1].statistic". */
export function badParameter(path: string, expected: string, got: unknown): Fault {
  return new Fault("badEntry", `parameter ${path}: expected ${expected}, got ${shown(got)}`);
}

/** An object with one field, or an empty one where there is no value: to spread into an object with optional fields. */
export function present<Name extends string, Value>(name: Name, value: Value | undefined): { [N in Name]?: Value } {
  return (value === undefined ? {} : { [name]: value }) as { [N in Name]?: Value };
}

export function isRecord(value: unknown): value is Parameters {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A value as a message shows it: JSON, cut to a length that fits a condition. */
export function shown(value: unknown): string {
  if (value === undefined || value === null) return "nothing";
  if (typeof value === "bigint" || typeof value === "number") return String(value);
  const text = JSON.stringify(value) ?? typeof value;
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
