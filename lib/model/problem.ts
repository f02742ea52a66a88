/** What came, short enough for a condition's message. */
export function shown(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value instanceof Uint8Array) return "binary";
  const json = JSON.stringify(value);
  return json.length > 80 ? `${json.slice(0, 80)}…` : json;
}

/** The names and indexes that lead to a field; the last may be missing in the document. */
export type FieldPath = readonly (string | number)[];

/** In one line: where, what was expected, and what came (`spec.auth.type: expected one of eks, token, got "foo"`). */
export function fieldProblem(path: FieldPath, expected: string, got: unknown): string {
  return `${fieldText(path)}: expected ${expected}, got ${shown(got)}`;
}

/** "spec.auth.type", "spec.parameters.queries[1]", `spec.parameters["dimension.QueueName"]`. */
export function fieldText(path: FieldPath): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === "number") return `${text}[${step}]`;
    if (!/^[\w-]+$/.test(step)) return `${text}[${JSON.stringify(step)}]`;
    return text === "" ? step : `${text}.${step}`;
  }, "");
}

/** The parts of a schema that messages are made of. */
interface SchemaNode {
  readonly title?: string;
  readonly type?: string;
  readonly errorMessage?: string;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly patternProperties?: Readonly<Record<string, SchemaNode>>;
  readonly oneOf?: readonly SchemaNode[];
  readonly const?: unknown;
}

/**
 * An error of a generated validator: ajv's ErrorObject. Both paths are JSON pointers; schemaPath, as part of a URI,
 * ends with the keyword.
 */
interface SchemaError {
  readonly instancePath: string;
  readonly schemaPath: string;
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** What a file of lib/model/validators exports. */
export interface SchemaValidator {
  readonly schema: unknown;
  readonly validate: {
    (value: unknown): unknown;
    errors?: unknown;
  };
}

/** What a generated validator finds wrong with `value`, which stands at `root` of its document. */
export function schemaProblems({ schema, validate }: SchemaValidator, value: unknown, root: string): readonly string[] {
  const binary = binaryIn(value, [root]);
  if (binary !== undefined) return [fieldProblem(binary, "text, a number, a flag, a list or a map", new Uint8Array())];
  if (validate(value) === true) return [];
  const errors = (validate.errors as readonly SchemaError[]).filter(({ keyword }) => keyword !== "if");
  const alternatives = errors.filter(({ keyword }) => keyword === "anyOf" || keyword === "oneOf");
  const told = errors.filter(
    ({ schemaPath }) => !alternatives.some((whole) => schemaPath.startsWith(`${whole.schemaPath}/`)),
  );
  return [...told]
    .sort((one, other) => rank(one) - rank(other))
    .map((error) => problemIn({ schema, value, root }, error));
}

/** A misspelt name first, as it may be why another is missing; what only holds because of another field last. */
function rank({ keyword, schemaPath }: SchemaError): number {
  if (keyword === "additionalProperties") return 0;
  return /\/(then|else)\//.test(schemaPath) ? 2 : 1;
}

interface Checked {
  readonly schema: unknown;
  readonly value: unknown;
  readonly root: string;
}

function problemIn(
  { schema, value, root }: Checked,
  { keyword, params, instancePath, schemaPath }: SchemaError,
): string {
  const steps = follow(value, instancePath);
  const path = [root, ...steps.map(({ step }) => step)];
  const node = (follow(schema, decodeURIComponent(schemaPath)).at(-2)?.member ?? schema) as SchemaNode;
  switch (keyword) {
    case "additionalProperties":
      return unknownField([...path, String(params["additionalProperty"])], node);
    case "required":
      return missing(String(params["missingProperty"]), node, path);
    case "not": // what must not stand beside something else
      return `${fieldText(path)}: expected ${expectation(node)}, got both`;
    case "discriminator": {
      const tag = String(params["tag"]);
      const tags = (node.oneOf ?? []).map(({ properties }) => String(properties?.[tag]?.const));
      return fieldProblem([...path, tag], `one of ${tags.join(", ")}`, params["tagValue"]);
    }
    default:
      return fieldProblem(path, expectation(node), steps.length === 0 ? value : steps.at(-1)?.member);
  }
}

function unknownField(path: FieldPath, { properties = {}, patternProperties = {} }: SchemaNode): string {
  const titles = Object.entries(patternProperties).map(([pattern, { title }]) => title ?? pattern);
  const known = [...Object.keys(properties), ...titles];
  return `${fieldText(path)}: unknown field, expected one of ${known.join(", ")}`;
}

/** The field says what was expected; where it does not, the rule about which of several must be there. */
function missing(name: string, schema: SchemaNode, path: FieldPath): string {
  const field = schema.properties?.[name];
  if (field !== undefined) return fieldProblem([...path, name], expectation(field), undefined);
  return `${fieldText(path)}: expected ${expectation(schema)}, got neither`;
}

function expectation({ errorMessage, type, enum: values }: SchemaNode): string {
  if (errorMessage !== undefined) return errorMessage;
  if (values !== undefined) return `one of ${values.join(", ")}`;
  return { object: "a map", array: "a list", boolean: "true or false", string: "text" }[type ?? ""] ?? "something else";
}

/** Each step of a JSON pointer, and what it leads to; a digit is an index where a list stands. */
function follow(
  from: unknown,
  pointer: string,
): readonly { readonly step: string | number; readonly member: unknown }[] {
  let at: unknown = from;
  return pointer
    .split("/")
    .slice(1)
    .map((escaped) => {
      const name = escaped.replaceAll("~1", "/").replaceAll("~0", "~");
      const step = Array.isArray(at) ? Number(name) : name;
      at = (at as Record<string | number, unknown> | undefined)?.[step];
      return { step, member: at };
    });
}

/** Where bytes stand, as only a table can hold them: for a schema they would pass as a map. */
function binaryIn(value: unknown, path: FieldPath): FieldPath | undefined {
  if (value instanceof Uint8Array) return path;
  if (typeof value !== "object" || value === null) return undefined;
  const entries: readonly (readonly [string | number, unknown])[] = Array.isArray(value)
    ? value.map((element: unknown, index) => [index, element] as const)
    : Object.entries(value);
  for (const [step, member] of entries) {
    const found = binaryIn(member, [...path, step]);
    if (found !== undefined) return found;
  }
  return undefined;
}
