import { goQuote } from "../go-text";
import type { Quantity } from "../hpa";
import { isMap } from "../map";
import type { Condition, ConditionStatus, ObjectMeta } from "../objects";
import { QuantityError, canonicalQuantity, parseQuantity } from "../quantity";
import { type FieldError, invalid, unknownField } from "../validate/field-error";

/** The path of a value in its document ("": the document itself), and the list that collects problems. */
export interface DocumentPlace {
  readonly path: string;
  readonly problems: FieldError[];
}

/**
 * Reads one JSON value. Like the API server, it reads null as absent. It notes a value of a wrong type and continues
 * with the zero value of the type, because a document with problems is never used.
 */
export type Decoder<T> = (value: unknown, place: DocumentPlace) => T;

/** A decoder for every field of T. */
type FieldDecoders<T> = { readonly [Name in keyof T]-?: Decoder<T[Name]> };

export function note(place: DocumentPlace, value: unknown, expected: string): void {
  const text = `${place.path || "document"}: Invalid value: ${show(value)}: expected ${expected}`;
  place.problems.push({ path: place.path, text });
}

export function child(place: DocumentPlace, name: string): DocumentPlace {
  return { path: place.path === "" ? name : `${place.path}.${name}`, problems: place.problems };
}

export function isAbsent(value: unknown): value is undefined | null {
  return value === undefined || value === null;
}

/** A scalar as it is, anything else by its kind. */
function show(value: unknown): string {
  if (typeof value === "string") return goQuote(value);
  if (typeof value === "number" || typeof value === "boolean" || typeof value === "bigint") return String(value);
  if (isAbsent(value)) return "null";
  if (value instanceof Uint8Array) return "binary";
  return Array.isArray(value) ? "a list" : "an object";
}

export const string: Decoder<string> = (value, place) => {
  if (isAbsent(value)) return "";
  if (typeof value === "string") return value;
  note(place, value, "a string");
  return "";
};

export const int32: Decoder<number> = integer(2 ** 31, "an integer of 32 bits");
export const int64: Decoder<number> = integer(2 ** 53, "an integer");

function integer(bound: number, expected: string): Decoder<number> {
  return (value, place) => {
    if (isAbsent(value)) return 0;
    if (typeof value === "number" && Number.isInteger(value) && value >= -bound && value < bound) return value;
    note(place, value, expected);
    return 0;
  };
}

/** A field that Go holds by pointer: absent is not its zero value. */
export function optional<T>(decoder: Decoder<T>): Decoder<T | undefined> {
  return (value, place) => (isAbsent(value) ? undefined : decoder(value, place));
}

/** A string that Go leaves out when it is empty. */
export const optionalString: Decoder<string | undefined> = (value, place) => string(value, place) || undefined;

export function list<T>(decoder: Decoder<T>): Decoder<readonly T[]> {
  return (value, place) => {
    if (isAbsent(value)) return [];
    if (Array.isArray(value)) {
      return value.map((item, index) => decoder(item, { path: `${place.path}[${index}]`, problems: place.problems }));
    }
    note(place, value, "a list");
    return [];
  };
}

/**
 * A map with string values. Keys are set as own properties: a key may be the name of an inherited one (`__proto__`).
 */
export const stringMap: Decoder<Readonly<Record<string, string>>> = (value, place) => {
  if (isAbsent(value)) return {};
  if (isMap(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, string(item, { ...place, path: `${place.path}[${key}]` })]),
    );
  }
  note(place, value, "a map of strings");
  return {};
};

/** A list or map that Go leaves out when it is empty. */
export function omitEmpty<T extends object>(decoder: Decoder<T>): Decoder<T | undefined> {
  return (value, place) => {
    const decoded = decoder(value, place);
    return Object.keys(decoded).length === 0 ? undefined : decoded;
  };
}

/**
 * An object with these fields. Undefined fields are left out. `unknown: "problem"` notes any other field in the API
 * server's words, because a misspelt setting would do nothing, silently. "ignored" leaves it out.
 */
export function object<T extends object>(
  fields: FieldDecoders<T>,
  unknown: "problem" | "ignored" = "problem",
): Decoder<T> {
  const decoders = Object.entries<Decoder<unknown>>(fields);
  const names = new Set(decoders.map(([name]) => name));
  return (value, place) => {
    if (!isAbsent(value) && !isMap(value)) note(place, value, "an object");
    const record = isMap(value) ? value : {};
    if (unknown === "problem") noteUnknown(record, names, place);
    const decoded = decoders.map(([name, decode]) => {
      const field = Object.hasOwn(record, name) ? record[name] : undefined;
      return [name, decode(field, child(place, name))] as const;
    });
    return Object.fromEntries(decoded.filter(([, field]) => field !== undefined)) as T;
  };
}

function noteUnknown(
  record: Readonly<Record<string, unknown>>,
  names: ReadonlySet<string>,
  place: DocumentPlace,
): void {
  for (const name of Object.keys(record)) {
    if (!names.has(name)) place.problems.push(unknownField(child(place, name).path));
  }
}

/** A quantity in the text in which the API server serves it. */
export const quantity: Decoder<Quantity> = (value, place) => {
  if (typeof value !== "string" && typeof value !== "number") {
    note(place, value, 'a quantity, like "100m", "1Gi" or 5');
    return "0";
  }
  try {
    return canonicalQuantity(parseQuantity(value));
  } catch (error) {
    if (!(error instanceof QuantityError)) throw error;
    place.problems.push(invalid(place.path, String(value), error.message));
    return "0";
  }
};

/** Only the API server uses these: they are allowed, and left out. */
const notRead: Decoder<undefined> = () => undefined;

type ApiServersOwn = "selfLink" | "deletionGracePeriodSeconds" | "ownerReferences" | "finalizers" | "managedFields";

/** meta/v1 ObjectMeta. */
export const decodeMeta = object<ObjectMeta & Partial<Record<ApiServersOwn, undefined>>>({
  name: string,
  generateName: optionalString,
  namespace: optionalString,
  uid: optionalString,
  resourceVersion: optionalString,
  generation: optional(int64),
  creationTimestamp: optionalString,
  deletionTimestamp: optionalString,
  labels: omitEmpty(stringMap),
  annotations: omitEmpty(stringMap),
  selfLink: notRead,
  deletionGracePeriodSeconds: notRead,
  ownerReferences: notRead,
  finalizers: notRead,
  managedFields: notRead,
});

const conditionStatus: Decoder<ConditionStatus> = (value, place) => {
  const status = string(value, place);
  return status === "True" || status === "False" ? status : "Unknown";
};

export const decodeConditions = list(
  object<Condition>(
    {
      type: string,
      status: conditionStatus,
      reason: optionalString,
      message: optionalString,
      lastTransitionTime: optionalString,
    },
    "ignored",
  ),
);
