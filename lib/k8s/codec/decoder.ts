import { goQuote } from "../go-text";
import type { Quantity } from "../hpa";
import { isAbsent, isMap } from "../map";
import { QuantityError, canonicalQuantity, parseQuantity } from "../quantity";
import { InstantError, formatSeconds, parseInstant } from "../time";
import { type FieldError, invalid, unknownField } from "../validate/field-error";

/**
 * How field names are read:
 * - exact: an unknown name is a problem, since a misspelt setting would silently do nothing.
 * - known: a newer version's field is left out.
 * - folded: as encoding/json reads annotations: ignores case and unknown names.
 */
export type Names = "exact" | "known" | "folded";

/** `path` "" is the document. */
export interface DecodeContext {
  readonly path: string;
  readonly problems: FieldError[];
  readonly names: Names;
  /** By path, numbers as they were written, where JavaScript spells them differently. */
  readonly numbers?: ReadonlyMap<string, string>;
}

/**
 * As the API server, reads null as absent. A value of a wrong type is noted and becomes zero: such a document is never
 * used.
 */
export type Decoder<T> = (value: unknown, context: DecodeContext) => T;

type FieldDecoders<T> = { readonly [Name in keyof T]-?: Decoder<T[Name]> };

export function note(context: Pick<DecodeContext, "path" | "problems">, value: unknown, expected: string): void {
  const text = `${context.path || "document"}: Invalid value: ${show(value)}: expected ${expected}`;
  context.problems.push({ path: context.path, text });
}

export function child(context: DecodeContext, name: string): DecodeContext {
  return { ...context, path: context.path === "" ? name : `${context.path}.${name}` };
}

function show(value: unknown): string {
  if (typeof value === "string") return goQuote(value);
  if (typeof value === "number" || typeof value === "boolean" || typeof value === "bigint") return String(value);
  if (isAbsent(value)) return "null";
  if (value instanceof Uint8Array) return "binary";
  return Array.isArray(value) ? "a list" : "an object";
}

export const string: Decoder<string> = (value, context) => {
  if (isAbsent(value)) return "";
  if (typeof value === "string") return value;
  note(context, value, "a string");
  return "";
};

export const int32: Decoder<number> = integer(2 ** 31, "an integer of 32 bits");
export const int64: Decoder<number> = integer(2 ** 53, "an integer");

function integer(bound: number, expected: string): Decoder<number> {
  return (value, context) => {
    if (isAbsent(value)) return 0;
    if (typeof value === "number" && Number.isInteger(value) && value >= -bound && value < bound) return value;
    note(context, value, expected);
    return 0;
  };
}

/** As Go's pointers: absent is not the zero value. */
export function optional<T>(decoder: Decoder<T>): Decoder<T | undefined> {
  return (value, context) => (isAbsent(value) ? undefined : decoder(value, context));
}

/** Go omits it when empty. */
export const optionalString: Decoder<string | undefined> = (value, context) => string(value, context) || undefined;

export function list<T>(decoder: Decoder<T>): Decoder<readonly T[]> {
  return (value, context) => {
    if (isAbsent(value)) return [];
    if (Array.isArray(value)) {
      return value.map((item, index) => decoder(item, { ...context, path: `${context.path}[${index}]` }));
    }
    note(context, value, "a list");
    return [];
  };
}

/** A key may be called `__proto__`. */
export const stringMap: Decoder<Readonly<Record<string, string>>> = (value, context) => {
  if (isAbsent(value)) return {};
  if (isMap(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, string(item, { ...context, path: `${context.path}[${key}]` })]),
    );
  }
  note(context, value, "a map of strings");
  return {};
};

/** Go omits it when empty. */
export function omitEmpty<T extends object>(decoder: Decoder<T>): Decoder<T | undefined> {
  return (value, context) => {
    const decoded = decoder(value, context);
    return Object.keys(decoded).length === 0 ? undefined : decoded;
  };
}

export function object<T extends object>(fields: FieldDecoders<T>): Decoder<T> {
  const decoders = Object.entries<Decoder<unknown>>(fields);
  const names = new Map(decoders.map(([name]) => [folded(name), name]));
  return (value, context) => {
    if (!isAbsent(value) && !isMap(value)) note(context, value, "an object");
    const given = isMap(value) ? value : {};
    if (context.names === "exact") noteUnknown(given, fields, context);
    const record = context.names === "folded" ? unfolded(given, names) : given;
    const decoded: Record<string, unknown> = {};
    for (const [name, decode] of decoders) {
      // Most fields are absent, and nothing is noted about those: no path names them.
      const field = Object.hasOwn(record, name)
        ? decode(record[name], child(context, name))
        : decode(undefined, context);
      if (field !== undefined) decoded[name] = field;
    }
    return decoded as T;
  };
}

function noteUnknown(record: Readonly<Record<string, unknown>>, fields: object, context: DecodeContext): void {
  for (const name of Object.keys(record)) {
    if (!Object.hasOwn(fields, name)) context.problems.push(unknownField(child(context, name).path));
  }
}

/** The last of two spellings counts. */
function unfolded(
  record: Readonly<Record<string, unknown>>,
  names: ReadonlyMap<string, string>,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(record).flatMap(([name, value]) => {
      const field = names.get(folded(name));
      return field === undefined ? [] : [[field, value]];
    }),
  );
}

/** Beyond ASCII, only a long s and the Kelvin sign fold to a letter. Upstream: foldName in encoding/json. */
function folded(name: string): string {
  return name.replaceAll("\u017f", "s").toLowerCase();
}

/** metav1.Time: whole seconds of UTC. Go serves its zero time as null. */
export const time: Decoder<string | undefined> = (value, context) => {
  if (isAbsent(value)) return undefined;
  try {
    if (typeof value === "string") return withoutZero(formatSeconds(parseInstant(value)));
  } catch (error) {
    if (!(error instanceof InstantError)) throw error;
  }
  note(context, value, "a time such as 2026-03-01T12:00:00Z");
  return undefined;
};

function withoutZero(instant: string): string | undefined {
  return instant === "0001-01-01T00:00:00Z" ? undefined : instant;
}

/** As the API server serves it. */
export const quantity: Decoder<Quantity> = (given, context) => {
  const value = typeof given === "number" ? (context.numbers?.get(context.path) ?? given) : given;
  if (typeof value !== "string" && typeof value !== "number") {
    note(context, value, 'a quantity, like "100m", "1Gi" or 5');
    return "0";
  }
  try {
    return canonicalQuantity(parseQuantity(value));
  } catch (error) {
    if (!(error instanceof QuantityError)) throw error;
    context.problems.push(invalid(context.path, String(value), error.message));
    return "0";
  }
};
