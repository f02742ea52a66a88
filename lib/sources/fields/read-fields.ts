import { isMap } from "../../k8s/map";
import { Fault } from "../../model/fault";
import { unknownFieldText } from "../../model/check/closest";
import { type FieldPath, type Problem, fieldText, shown } from "../../model/check/problem";
import { type GivenParameters, badParameter } from "../parameters";
import {
  type ParameterField,
  type ParameterFields,
  type ListField,
  type NumberField,
  type TextForm,
  type Values,
  decimalText,
  wholeText,
} from "./field";

interface Found {
  readonly path: FieldPath;
  readonly message: string;
}

interface FieldContext {
  readonly path: FieldPath;
  readonly problems: Found[];
  /** A NULL in the table is absent on reading, and an error on writing an entry. */
  readonly nullIsAbsent: boolean;
}

/** @throws Fault "badEntry" for the first bad parameter. */
export function readParameters<Of extends ParameterFields>(fields: Of, given: GivenParameters): Values<Of> {
  const problems: Found[] = [];
  const values = readFields(fields, given, { path: [], problems, nullIsAbsent: true });
  const [first] = problems;
  if (first === undefined) return values as Values<Of>;
  const path = first.path.length === 1 ? String(first.path[0]) : fieldText(first.path);
  throw new Fault("badEntry", `parameter ${path}: ${first.message}`);
}

/** @throws Fault "badEntry" if it is absent. */
export function requiredText<Name extends string>(
  fields: Readonly<Record<Name, TextForm>>,
  values: { readonly [One in Name]?: string },
  name: Name,
  path = "",
): string {
  const value = values[name];
  if (value === undefined) throw badParameter(`${path}${name}`, fields[name].expected, value);
  return value;
}

export function parameterProblems(fields: ParameterFields, given: unknown, path: FieldPath): readonly Problem[] {
  const problems: Found[] = [];
  if (isMap(given)) readFields(fields, given, { path, problems, nullIsAbsent: false });
  return problems.map(({ path, message }) => ({ path: fieldText(path), message }));
}

function readFields(fields: ParameterFields, given: GivenParameters, context: FieldContext): Record<string, unknown> {
  const names = Object.keys(given);
  // A misspelt name may be the reason why another is missing.
  for (const name of names) {
    if (fieldNamed(fields, name) !== undefined) continue;
    context.problems.push({ path: [...context.path, name], message: unknownFieldText(name, Object.keys(fields)) });
  }
  const values: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(fields)) {
    const value = field.type === "named" ? withPrefix(field.prefix, given) : own(given, name);
    if (isAbsent(value, context)) continue;
    const path = field.type === "named" ? context.path : [...context.path, name];
    values[name] = readValue(field, value, { ...context, path });
  }
  return values;
}

function isAbsent(value: unknown, { nullIsAbsent }: FieldContext): boolean {
  return value === undefined || (value === null && nullIsAbsent);
}

function fieldNamed(fields: ParameterFields, name: string): ParameterField | undefined {
  const field = own(fields, name);
  if (field !== undefined && field.type !== "named") return field;
  return Object.values(fields).find((one) => one.type === "named" && name.startsWith(one.prefix));
}

/** A parameter may equal a property that every object inherits (`constructor`). */
function own<Value>(record: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

function withPrefix(prefix: string, given: GivenParameters): GivenParameters | undefined {
  const entries = Object.entries(given).filter(([name]) => name.startsWith(prefix));
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

function readValue(field: ParameterField, value: unknown, context: FieldContext): unknown {
  const allow = (isAllowed: boolean, expected: string, read: unknown = value) =>
    isAllowed ? read : refuse(context, expected, value);
  switch (field.type) {
    case "text": {
      const text = field.takesNumbers === true && Number.isSafeInteger(value) ? String(value) : value;
      return allow(matches(field, text), field.expected, text);
    }
    case "choice":
      return allow(field.values.includes(value as string), field.expected);
    case "flag": {
      const isOn = value === true || value === "true";
      return allow(isOn || value === false || value === "false", "true or false", isOn);
    }
    case "number": {
      const number = spelled(value, wholeText);
      return allow(Number.isSafeInteger(number) && isInRange(field, number as number), field.expected, number);
    }
    case "numberOr": {
      const number = spelled(value, decimalText);
      return allow(value === field.word || Number.isFinite(number), field.expected, number);
    }
    case "map":
      return isMap(value) ? readTexts(field, value, context) : refuse(context, field.expected, value);
    case "named":
      return readTexts(field, value as GivenParameters, context);
    case "list":
      return Array.isArray(value) && value.length <= field.maxItems
        ? value.map((element: unknown, index) =>
            readElement(field, element, { ...context, path: [...context.path, index] }),
          )
        : refuse(context, field.expected, value);
    case "object":
      return isMap(value) ? readElement(field, value, context) : refuse(context, field.expected, value);
  }
}

function refuse({ path, problems }: FieldContext, expected: string, got: unknown): undefined {
  problems.push({ path, message: `expected ${expected}, got ${shown(got)}` });
}

const matches = ({ pattern }: TextForm, value: unknown) => typeof value === "string" && pattern.test(value);

const spelled = (value: unknown, form: RegExp) =>
  typeof value === "string" && form.test(value) ? Number(value) : value;

function isInRange({ minimum, maximum, step = 1, exceptions = [] }: NumberField, value: number): boolean {
  return exceptions.includes(value) || (value >= minimum && value <= maximum && value % step === 0);
}

function readTexts(
  field: { readonly name: TextForm; readonly value: TextForm; readonly prefix?: string },
  given: GivenParameters,
  context: FieldContext,
): Record<string, unknown> {
  const entries = Object.entries(given).map(([whole, value]) => {
    const name = whole.slice(field.prefix?.length ?? 0);
    const at = { ...context, path: [...context.path, whole] };
    if (!matches(field.name, name)) refuse(at, field.name.expected, name);
    else if (!matches(field.value, value)) refuse(at, field.value.expected, value);
    return [name, value] as const;
  });
  return Object.fromEntries(entries);
}

function readElement(
  { of, required }: Pick<ListField, "of" | "required">,
  element: unknown,
  context: FieldContext,
): Record<string, unknown> | undefined {
  if (!isMap(element)) return refuse(context, "an object", element);
  const values = readFields(of, element, context);
  for (const name of required) {
    const { expected } = of[name] as TextForm;
    const at = { ...context, path: [...context.path, name] };
    if (isAbsent(own(element, name), context)) refuse(at, expected, undefined);
  }
  return values;
}
