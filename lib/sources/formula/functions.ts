import { Fault } from "../../model/fault";

type One = number | boolean;

/** Names and meanings are those of expr. */
type Known =
  /** Takes numbers and lists: `max(a, b)`, `max([a, b])`. */
  | { readonly ofNumbers: (values: readonly number[]) => number }
  | { readonly ofNumber: (value: number) => number }
  | {
      readonly overList: (values: readonly One[], of: (one: One) => unknown) => number | boolean | readonly One[];
      readonly results: "number" | "condition" | "list";
    };

export type Functions = Readonly<Record<string, Known>>;

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

/** @throws Fault for an empty list. */
function mean(values: readonly number[]): number {
  return sum(values) / filled(values, "mean").length;
}

function median(values: readonly number[]): number {
  const sorted = [...filled(values, "median")].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return mean(sorted.length % 2 === 1 ? sorted.slice(middle, middle + 1) : sorted.slice(middle - 1, middle + 1));
}

function filled(values: readonly number[], name: string): readonly number[] {
  if (values.length === 0) throw new Fault("badAnswer", `${name} of an empty list`);
  return values;
}

const matching = (values: readonly One[], of: (one: One) => unknown) => values.filter((one) => of(one) === true);

export const functions = {
  max: { ofNumbers: (values) => Math.max(...filled(values, "max")) },
  min: { ofNumbers: (values) => Math.min(...filled(values, "min")) },
  sum: { ofNumbers: sum },
  mean: { ofNumbers: mean },
  median: { ofNumbers: median },
  abs: { ofNumber: Math.abs },
  ceil: { ofNumber: Math.ceil },
  floor: { ofNumber: Math.floor },
  /** Half away from zero, as in Go. */
  round: { ofNumber: (value) => Math.sign(value) * Math.round(Math.abs(value)) },
  int: { ofNumber: Math.trunc },
  float: { ofNumber: (value) => value },
  len: { overList: (values) => values.length, results: "number" },
  count: { overList: (values, of) => matching(values, of).length, results: "number" },
  any: { overList: (values, of) => matching(values, of).length > 0, results: "condition" },
  all: { overList: (values, of) => matching(values, of).length === values.length, results: "condition" },
  none: { overList: (values, of) => matching(values, of).length === 0, results: "condition" },
  one: { overList: (values, of) => matching(values, of).length === 1, results: "condition" },
  filter: { overList: matching, results: "list" },
  map: { overList: (values, of) => values.map((one) => of(one) as One), results: "list" },
} satisfies Functions;
