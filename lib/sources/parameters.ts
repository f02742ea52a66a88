import { Fault } from "../model/fault";
import { shown } from "../model/problem";

export type Parameters = Readonly<Record<string, unknown>>;

/** The fault of a parameter that cannot be used. `path` is where it is: "period", "queries[1].statistic". */
export function badParameter(path: string, expected: string, got: unknown): Fault {
  return new Fault("badEntry", `parameter ${path}: expected ${expected}, got ${shown(got)}`);
}

/** An object with one field, or an empty one where there is no value: to spread into an object with optional fields. */
export function present<Name extends string, Value>(name: Name, value: Value | undefined): { [N in Name]?: Value } {
  return (value === undefined ? {} : { [name]: value }) as { [N in Name]?: Value };
}
