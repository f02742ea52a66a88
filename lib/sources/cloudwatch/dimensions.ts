import type { Dimension } from "@aws-sdk/client-cloudwatch";
import { dimensionNameForm, dimensionValueForm } from "../../model/schema/parameter-forms";
import { badParameter, has, isRecord, type Parameters } from "../parameters";

/** A label `dimension.QueueName: orders` is the dimension QueueName. */
const prefix = "dimension.";

/** CloudWatch's limit for one metric. */
const limit = 30;

/** Takes the dimensions out of the parameters: those of the object `dimensions`, overridden one by one by `dimension.<Name>` labels. */
export function dimensionsOf(parameters: Parameters): { dimensions: readonly Dimension[]; parameters: Parameters } {
  const { dimensions: object, ...others } = parameters;
  const values = new Map(dimensionsIn(object, "dimensions"));
  const rest = Object.entries(others).filter(([name, value]) => {
    if (!name.startsWith(prefix)) return true;
    const dimension = checked(name.slice(prefix.length), value, name);
    values.set(dimension.Name, dimension.Value);
    return false;
  });
  return { dimensions: sorted(values), parameters: Object.fromEntries(rest) };
}

/** A part's own dimensions over those that all parts share. */
export function partDimensions(part: Parameters, shared: readonly Dimension[], path: string): readonly Dimension[] {
  const values = new Map(shared.map(({ Name, Value }) => [Name ?? "", Value ?? ""]));
  if (has(part, "dimensions")) {
    for (const [name, value] of dimensionsIn(part["dimensions"], `${path}dimensions`)) values.set(name, value);
  }
  return sorted(values);
}

function dimensionsIn(object: unknown, path: string): [string, string][] {
  if (object === undefined || object === null) return [];
  if (!isRecord(object))
    throw badParameter(path, `an object of names and values such as {"QueueName": "orders"}`, object);
  return Object.entries(object).map(([name, value]) => {
    const dimension = checked(name, value, `${path}.${name}`);
    return [dimension.Name, dimension.Value];
  });
}

function checked(name: string, value: unknown, path: string): { Name: string; Value: string } {
  if (!dimensionNameForm.pattern.test(name)) throw badParameter(path, dimensionNameForm.expected, name);
  if (typeof value === "string" && dimensionValueForm.pattern.test(value)) return { Name: name, Value: value };
  throw badParameter(path, dimensionValueForm.expected, value);
}

/** In one order, so that equal queries are seen to be equal whatever order they were written in. */
function sorted(values: ReadonlyMap<string, string>): readonly Dimension[] {
  if (values.size > limit) throw badParameter("dimensions", `at most ${limit} dimensions`, values.size);
  return [...values].sort(([a], [b]) => (a < b ? -1 : 1)).map(([Name, Value]) => ({ Name, Value }));
}
