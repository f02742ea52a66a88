import { QuantityError, parseQuantity } from "../../lib/k8s/quantity";
import { DurationError, parseDuration, InstantError, parseInstant } from "../../lib/k8s/time";

/** A value of a document and its path: "metrics[0].items". The path of the document itself is "". */
export interface At {
  readonly value: unknown;
  readonly path: string;
}

/** A document has the wrong shape. The message says what was expected, what came, and where. */
export class ShapeError extends Error {
  constructor({ value, path }: At, expected: string) {
    super(`${path === "" ? "the document" : path}: expected ${expected}, got ${describe(value)}`);
    this.name = "ShapeError";
  }
}

const SHOWN = 60;

function describe(value: unknown): string {
  if (value === undefined) return "nothing";
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === "object" && value !== null) return "an object";
  const text = JSON.stringify(value);
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}

/**
 * A copy without nulls, which Kubernetes reads as absent. Keys such as "__proto__" stay plain names.
 * `depth` limits the nesting of a hostile document.
 */
export function withoutNulls(value: unknown, depth = 100): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (depth === 0) throw new ShapeError({ value, path: "" }, "at most 100 levels of nesting");
  if (Array.isArray(value)) return value.map((item) => withoutNulls(item, depth - 1));
  const present = Object.entries(value).filter(([, item]) => item !== null);
  return Object.fromEntries(present.map(([key, item]) => [key, withoutNulls(item, depth - 1)]));
}

export function field({ value, path }: At, name: string): At {
  const inside = typeof value === "object" && value !== null && Object.hasOwn(value, name);
  const found: unknown = inside ? (value as Record<string, unknown>)[name] : undefined;
  return { value: found, path: path === "" ? name : `${path}.${name}` };
}

/** Runs `check` if the value is present. */
export function optional(at: At, check: (at: At) => void): void {
  if (at.value !== undefined) check(at);
}

export function checkObject(at: At): void {
  if (typeof at.value !== "object" || at.value === null || Array.isArray(at.value)) {
    throw new ShapeError(at, "an object");
  }
}

/** The list's items; an absent list has none. */
export function itemsOf(at: At): readonly At[] {
  if (at.value === undefined) return [];
  if (!Array.isArray(at.value)) throw new ShapeError(at, "a list");
  return at.value.map((value: unknown, index) => ({ value, path: `${at.path}[${index}]` }));
}

/** The entries of a map from names to values; an absent map has none. */
export function entriesOf(at: At): readonly At[] {
  if (at.value === undefined) return [];
  checkObject(at);
  return Object.keys(at.value as object).map((key) => field(at, key));
}

export function checkText(at: At): void {
  if (typeof at.value !== "string") throw new ShapeError(at, "a string");
}

/** A name must not be empty. */
export function checkName(at: At): void {
  if (typeof at.value !== "string" || at.value === "") throw new ShapeError(at, "a name");
}

export function checkInt32(at: At): void {
  if (typeof at.value !== "number" || (at.value | 0) !== at.value) throw new ShapeError(at, "a 32-bit integer");
}

export function checkNotNegative(at: At): void {
  if (typeof at.value !== "number" || at.value < 0) throw new ShapeError(at, "a number that is not negative");
}

export function checkQuantity(at: At): void {
  if (typeof at.value !== "string" && typeof at.value !== "number") throw new ShapeError(at, "a quantity");
  checkParses(at, at.value, parseQuantity, QuantityError);
}

export function checkInstant(at: At): void {
  checkText(at);
  checkParses(at, at.value as string, parseInstant, InstantError);
}

export function checkDuration(at: At): void {
  checkText(at);
  checkParses(at, at.value as string, parseDuration, DurationError);
}

function checkParses<T>(
  at: At,
  value: T,
  parse: (value: T) => unknown,
  failure: new (...args: never[]) => Error,
): void {
  try {
    parse(value);
  } catch (error) {
    if (!(error instanceof failure)) throw error;
    throw new ShapeError(at, `a value that can be read (${error.message})`);
  }
}
