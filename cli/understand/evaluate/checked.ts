import { QuantityError, parseQuantity } from "../../../lib/k8s/quantity";
import { DurationError, InstantError, parseDuration, parseInstant } from "../../../lib/k8s/time";
import { problemsOf } from "../../../lib/model/check/check-schema";
import { type Test, compileSchema } from "../../../lib/model/check/compile-schema";
import { type FieldPath, type Problem, problemText, unexpected } from "../../../lib/model/check/problem";
import type { Formats, Schema } from "../../../lib/model/check/schema-data";

export class InputError extends Error {
  constructor(problem: Problem) {
    super(problemText(problem));
    this.name = "InputError";
  }
}

/** The usual form in metrics APIs and pods. */
const plainQuantity = /^[0-9]{1,15}(?:[numkMG]|[KMG]i)?$/;

const formats: Formats = {
  quantity: (value) =>
    typeof value === "string" && plainQuantity.test(value)
      ? undefined
      : unreadable(() => parseQuantity(value as string | number), QuantityError),
  instant: (value) => unreadable(() => parseInstant(value as string), InstantError),
  duration: (value) => unreadable(() => parseDuration(value as string), DurationError),
};

function unreadable(parse: () => unknown, failure: new (...args: never[]) => Error): string | undefined {
  try {
    parse();
    return undefined;
  } catch (error) {
    if (!(error instanceof failure)) throw error;
    return `a value that can be read (${error.message})`;
  }
}

const tests = new Map<Schema, Test>();

function testOf(schema: Schema): Test {
  const test = tests.get(schema) ?? compileSchema(schema, formats);
  tests.set(schema, test);
  return test;
}

/** `root`: the value's path in the document. @throws InputError */
export function checked<T>(schema: Schema, value: unknown, root: FieldPath = []): T {
  if (testOf(schema)(value)) return value as T;
  const [problem] = problemsOf(schema, value, { root, formats });
  throw new InputError(problem ?? unexpected(root, "a valid value", value));
}

/**
 * Kubernetes reads null as absent. Keys such as "__proto__" stay plain names. `depth` limits hostile nesting. @throws
 * InputError
 */
export function withoutNulls(value: unknown, depth = 100): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (depth === 0) throw new InputError({ path: "", message: "expected at most 100 levels of nesting" });
  if (Array.isArray(value)) return value.map((item) => withoutNulls(item, depth - 1));
  const present = Object.entries(value).filter(([, item]) => item !== null);
  return Object.fromEntries(present.map(([key, item]) => [key, withoutNulls(item, depth - 1)]));
}
