import { isMap } from "../../k8s/map";
import { unknownFieldText } from "./closest";
import { type FieldPath, type Problem, fieldText, shown } from "./problem";
import type { Formats, Schema, TypeName } from "./schema-data";

const nothing: readonly Mismatch[] = [];

interface Options {
  readonly root?: FieldPath;
  readonly formats?: Formats;
  /** Stops within a list or map after so many problems. */
  readonly most?: number;
}

export function problemsOf(
  schema: Schema,
  value: unknown,
  { root = [], formats = {}, most = Infinity }: Options = {},
): readonly Problem[] {
  const found = check(schema, value, { formats, most });
  if (found === nothing) return [];
  return [...found]
    .sort((one, other) => one.reportOrder - other.reportOrder)
    .map(({ path, message }) => ({ path: fieldText([...root, ...path]), message }));
}

type Checking = Required<Omit<Options, "root">>;

/** No allocation for a valid value. */
function check(schema: Schema, value: unknown, checking: Checking): readonly Mismatch[] {
  if (!isOfType(value, schema) || !isInRange(value, schema)) return [wrong(schema, value)];
  const unreadable = formatError(schema, value, checking.formats);
  if (unreadable !== undefined) return [mismatch([], `expected ${unreadable}, got ${shown(value)}`)];
  const inside = isMap(value)
    ? checkMap(schema, value, checking)
    : Array.isArray(value)
      ? checkList(schema, value, checking)
      : nothing;
  return join(inside, checkRules(schema, value, checking));
}

export function isOfType(value: unknown, { type }: Schema): boolean {
  if (type === undefined) return true;
  return typeof type === "string" ? isOf(type, value) : type.some((one) => isOf(one, value));
}

function isOf(type: TypeName, value: unknown): boolean {
  switch (type) {
    case "integer":
      return Number.isSafeInteger(value);
    case "number":
      return Number.isFinite(value);
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value);
    case "object":
      return isMap(value);
    default:
      return typeof value === type;
  }
}

/** A keyword applies only to its own type: an allowed null has no minimum. */
export function isInRange(value: unknown, schema: Schema): boolean {
  if (schema.const !== undefined && value !== schema.const) return false;
  if (schema.enum !== undefined && !schema.enum.includes(value)) return false;
  if (typeof value === "string") {
    const { minLength = 0, pattern } = schema;
    return value.length >= minLength && (pattern === undefined || regExp(pattern).test(value));
  }
  if (typeof value === "number") {
    const { minimum = -Infinity, maximum = Infinity, multipleOf } = schema;
    // NaN is in every range: the type decides whether it is allowed.
    return !(value < minimum || value > maximum) && (multipleOf === undefined || value % multipleOf === 0);
  }
  if (!Array.isArray(value)) return true;
  return value.length >= (schema.minItems ?? 0) && value.length <= (schema.maxItems ?? Infinity);
}

const regExps = new Map<string, RegExp>();

function regExp(pattern: string): RegExp {
  const known = regExps.get(pattern) ?? new RegExp(pattern, "u");
  regExps.set(pattern, known);
  return known;
}

export function hasFormat(schema: Schema, value: unknown, formats: Formats): boolean {
  return formatError(schema, value, formats) === undefined;
}

function formatError({ format }: Schema, value: unknown, formats: Formats): string | undefined {
  return format === undefined ? undefined : formats[format]?.(value);
}

function checkList({ items }: Schema, list: readonly unknown[], checking: Checking): readonly Mismatch[] {
  let all = nothing;
  if (items === undefined) return all;
  for (let index = 0; index < list.length && all.length < checking.most; index += 1)
    all = join(all, under(index, check(items, list[index], checking)));
  return all;
}

function checkMap(schema: Schema, map: Readonly<Record<string, unknown>>, checking: Checking): readonly Mismatch[] {
  const { required = [], properties = {}, discriminator } = schema;
  let all = nothing;
  for (const name of Object.keys(properties)) {
    const field = properties[name] as Schema;
    if (has(map, name)) all = join(all, under(name, check(field, map[name], checking)));
    else if (required.includes(name)) all = join(all, [missing(name, field)]);
  }
  for (const name of required) {
    const isField = Object.hasOwn(properties, name) || name === discriminator?.propertyName;
    if (!isField && !has(map, name)) all = join(all, [mismatch([], `expected ${expectation(schema)}, got neither`)]);
  }
  if (schema.patternProperties === undefined && schema.additionalProperties === undefined) return all;
  for (const name of Object.keys(map)) {
    if (all.length >= checking.most) break;
    if (!Object.hasOwn(properties, name)) all = join(all, under(name, checkOther(schema, name, { map, checking })));
  }
  return all;
}

/** A key may equal a property that every object inherits (`constructor`). */
function has(map: Readonly<Record<string, unknown>>, name: string): boolean {
  return Object.hasOwn(map, name) && map[name] !== undefined;
}

function checkOther(
  schema: Schema,
  name: string,
  { map, checking }: { readonly map: Readonly<Record<string, unknown>>; readonly checking: Checking },
): readonly Mismatch[] {
  const patterns = Object.entries(schema.patternProperties ?? {}).filter(([pattern]) => regExp(pattern).test(name));
  if (patterns.length > 0) {
    return patterns.reduce((all, [, field]) => join(all, check(field, map[name], checking)), nothing);
  }
  const { additionalProperties: other } = schema;
  if (other === undefined) return nothing;
  return other === false ? [unexpectedField(name, schema)] : check(other, map[name], checking);
}

function checkRules(schema: Schema, value: unknown, checking: Checking): readonly Mismatch[] {
  const { anyOf, allOf, oneOf, discriminator, not, if: condition } = schema;
  const holds = (rule: Schema): boolean => check(rule, value, checking) === nothing;
  let all = nothing;
  if (anyOf !== undefined && !anyOf.some(holds)) all = join(all, [wrong(schema, value)]);
  if (not !== undefined && holds(not)) all = join(all, [mismatch([], `expected ${expectation(schema)}, got both`)]);
  for (const rule of allOf ?? []) all = join(all, check(rule, value, checking));
  if (oneOf !== undefined && discriminator !== undefined && isMap(value)) {
    all = join(all, checkVariant(oneOf, discriminator.propertyName, { value, checking }));
  }
  if (condition === undefined) return all;
  const consequence = holds(condition) ? schema.then : schema.else;
  if (consequence === undefined) return all;
  const conditional = check(consequence, value, checking);
  return join(
    all,
    conditional.map((one) => ({ ...one, reportOrder: one.reportOrder === 0 ? 0 : 2 })),
  );
}

function checkVariant(
  variants: readonly Schema[],
  tag: string,
  { value, checking }: { readonly value: Readonly<Record<string, unknown>>; readonly checking: Checking },
): readonly Mismatch[] {
  const given = has(value, tag) ? value[tag] : undefined;
  const constantOf = ({ properties }: Schema): unknown => properties?.[tag]?.const;
  const variant = variants.find((one) => constantOf(one) === given);
  if (variant !== undefined) return check(variant, value, checking);
  const known = variants.map((one) => String(constantOf(one))).join(", ");
  return [mismatch([tag], `expected one of ${known}, got ${shown(given)}`)];
}

function under(step: string | number, inner: readonly Mismatch[]): readonly Mismatch[] {
  return inner === nothing ? nothing : inner.map((one) => ({ ...one, path: [step, ...one.path] }));
}

/** Adds to `some` in place: a copy for each of 60,000 findings takes 40 s. */
function join(some: readonly Mismatch[], more: readonly Mismatch[]): readonly Mismatch[] {
  if (more === nothing) return some;
  if (some === nothing) return more;
  for (const one of more) (some as Mismatch[]).push(one);
  return some;
}

interface Mismatch {
  readonly path: FieldPath;
  readonly message: string;
  /** Unknown fields first: a misspelt name may be why another is missing. */
  readonly reportOrder: 0 | 1 | 2;
}

function mismatch(path: FieldPath, message: string, reportOrder: Mismatch["reportOrder"] = 1): Mismatch {
  return { path, message, reportOrder };
}

function wrong(schema: Schema, value: unknown): Mismatch {
  return mismatch([], `expected ${expectation(schema)}, got ${shown(value)}`);
}

function missing(name: string, field: Schema): Mismatch {
  return mismatch([name], `expected ${expectation(field)}, got nothing`);
}

function unexpectedField(name: string, { properties = {}, patternProperties = {} }: Schema): Mismatch {
  const titles = Object.entries(patternProperties).map(([pattern, { title }]) => title ?? pattern);
  return mismatch([], unknownFieldText(name, [...Object.keys(properties), ...titles]), 0);
}

const expectedOf: Readonly<Record<TypeName, string>> = {
  object: "a map",
  array: "a list",
  boolean: "true or false",
  string: "text",
  integer: "a whole number",
  number: "a number",
  null: "null",
};

function expectation({ errorMessage, type, enum: values }: Schema): string {
  if (errorMessage !== undefined) return errorMessage;
  if (values !== undefined) return `one of ${values.join(", ")}`;
  const name = typeof type === "string" ? type : type?.[0];
  return name === undefined ? "something else" : expectedOf[name];
}
