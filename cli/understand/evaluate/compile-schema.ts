import { isMap } from "../../../lib/k8s/map";
import { hasFormat, isInRange, isOfType } from "../../../lib/model/check/check-schema";
import type { Formats, Schema } from "../../../lib/model/check/schema-data";

export type Test = (value: unknown) => boolean;

/** Several times faster than problemsOf, but answers only yes or no. */
export function compileSchema(schema: Schema, formats: Formats = {}): Test {
  const compile = (part: Schema) => compileSchema(part, formats);
  const tests = [
    ...typeTests(schema),
    ...(schema.format === undefined ? [] : [(value: unknown) => hasFormat(schema, value, formats)]),
    ...mapTests(schema, compile),
    ...listTests(schema, compile),
    ...ruleTests(schema, compile),
  ];
  return all(tests);
}

function all(tests: readonly Test[]): Test {
  const [first = () => true, second, ...others] = tests;
  if (second === undefined) return first;
  if (others.length === 0) return (value) => first(value) && second(value);
  return (value) => {
    for (const test of tests) if (!test(value)) return false;
    return true;
  };
}

const rangeKeywords = [
  "const",
  "enum",
  "minLength",
  "pattern",
  "minimum",
  "maximum",
  "multipleOf",
  "minItems",
  "maxItems",
] as const;

function typeTests(schema: Schema): Test[] {
  const { type } = schema;
  const range = rangeKeywords.some((keyword) => schema[keyword] !== undefined)
    ? [(value: unknown) => isInRange(value, schema)]
    : [];
  if (type === undefined) return range;
  if (type === "object") return [isMap, ...range];
  if (type === "array") return [Array.isArray, ...range];
  if (type === "string") return [(value) => typeof value === "string", ...range];
  return [(value) => isOfType(value, schema), ...range];
}

type Compile = (schema: Schema) => Test;

interface Field {
  readonly name: string;
  readonly test: Test;
  readonly required: boolean;
  readonly read: typeof own | undefined;
}

function mapTests({ required = [], properties = {}, ...schema }: Schema, compile: Compile): Test[] {
  const fields = Object.entries(properties).map(([name, field]): Field => ({
    name,
    test: compile(field),
    required: required.includes(name),
    read: name in Object.prototype ? own : undefined,
  }));
  const other = otherMembers(schema, compile);
  const alsoRequired = required.filter((name) => !Object.hasOwn(properties, name));
  if (fields.length === 0 && other === undefined && alsoRequired.length === 0) return [];
  const areFieldsRight = (map: Readonly<Record<string, unknown>>): boolean => {
    for (const { name, test, required: isRequired, read } of fields) {
      const value = read === undefined ? map[name] : read(map, name);
      if (value === undefined ? isRequired : !test(value)) return false;
    }
    for (const name of alsoRequired) {
      if (name !== schema.discriminator?.propertyName && own(map, name) === undefined) return false;
    }
    return true;
  };
  const names = new Set(Object.keys(properties));
  return [
    (value) => {
      if (!isMap(value)) return true;
      if (!areFieldsRight(value)) return false;
      if (other === undefined) return true;
      for (const name of Object.keys(value)) if (!names.has(name) && !other(name, value[name])) return false;
      return true;
    },
  ];
}

function own(map: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(map, name) ? map[name] : undefined;
}

function otherMembers(
  { patternProperties = {}, additionalProperties }: Schema,
  compile: Compile,
): ((name: string, value: unknown) => boolean) | undefined {
  const patterns = Object.entries(patternProperties).map(([pattern, field]) => ({
    pattern: new RegExp(pattern, "u"),
    test: compile(field),
  }));
  if (patterns.length === 0 && additionalProperties === undefined) return undefined;
  const additional =
    additionalProperties === undefined
      ? () => true
      : additionalProperties === false
        ? () => false
        : compile(additionalProperties);
  return (name, value) => {
    let isNamed = false;
    for (const { pattern, test } of patterns) {
      if (!pattern.test(name)) continue;
      isNamed = true;
      if (!test(value)) return false;
    }
    return isNamed || additional(value);
  };
}

function listTests({ items }: Schema, compile: Compile): Test[] {
  if (items === undefined) return [];
  const test = compile(items);
  return [
    (value) => {
      if (!Array.isArray(value)) return true;
      for (const item of value) if (!test(item)) return false;
      return true;
    },
  ];
}

function ruleTests({ anyOf, allOf, oneOf, discriminator, not, ...schema }: Schema, compile: Compile): Test[] {
  const some = anyOf?.map(compile);
  const none = not && compile(not);
  return [
    ...(some ? [(value: unknown) => some.some((test) => test(value))] : []),
    ...(none ? [(value: unknown) => !none(value)] : []),
    ...(allOf ?? []).map(compile),
    ...(oneOf && discriminator ? [variantTest(oneOf, discriminator.propertyName, compile)] : []),
    ...conditionTests(schema, compile),
  ];
}

function variantTest(variants: readonly Schema[], tag: string, compile: Compile): Test {
  const tests = new Map(variants.map((variant) => [variant.properties?.[tag]?.const, compile(variant)]));
  return (value) => !isMap(value) || (tests.get(own(value, tag))?.(value) ?? false);
}

function conditionTests({ if: condition, then, else: otherwise }: Schema, compile: Compile): Test[] {
  if (condition === undefined) return [];
  const holds = compile(condition);
  const consequence = then === undefined ? () => true : compile(then);
  const alternative = otherwise === undefined ? () => true : compile(otherwise);
  return [(value) => (holds(value) ? consequence(value) : alternative(value))];
}
