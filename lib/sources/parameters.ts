import { Fault } from "../model/fault";
import { shown } from "../model/check/problem";

export type GivenParameters = Readonly<Record<string, unknown>>;

/** `path` is the parameter's: "period", "queries[1].statistic". */
export function badParameter(path: string, expected: string, got: unknown): Fault {
  return new Fault("badEntry", `parameter ${path}: expected ${expected}, got ${shown(got)}`);
}
