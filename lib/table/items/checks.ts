import { shown } from "../../model/problem";

/**
 * A small declarative checker for what stands in the table. A check answers undefined, or the first problem in one
 * line: where, what was expected, and what came ("spec.auth.type: expected one of eks, token, got \"foo\"").
 */
export type Check = (value: unknown, at: string) => string | undefined;

export type Fields = Readonly<Record<string, Check>>;

export function problem(at: string, expected: string, got: unknown): string {
  return `${at}: expected ${expected}, got ${shown(got)}`;
}

/** `accepts` decides; `expected` names what it accepts. */
export function that(expected: string, accepts: (value: unknown) => boolean): Check {
  return (value, at) => (accepts(value) ? undefined : problem(at, expected, value));
}

export const anything: Check = () => undefined;
export const text = that("text", (value) => typeof value === "string");
export const filledText = that("text that is not empty", (value) => typeof value === "string" && value.trim() !== "");
export const flag = that("true or false", (value) => typeof value === "boolean");
export const wholeNumber = that("a whole number", (value) => Number.isSafeInteger(value));
export const count = that(
  "a whole number, 0 or more",
  (value) => Number.isSafeInteger(value) && (value as number) >= 0,
);

export function orNull(check: Check): Check {
  return (value, at) => (value === null ? undefined : check(value, at));
}

export function listOf(check: Check): Check {
  return (value, at) =>
    Array.isArray(value)
      ? firstProblem(value.map((element: unknown, index) => () => check(element, `${at}[${index}]`)))
      : problem(at, "a list", value);
}

/** A map whose keys are free. */
export function mapOf(check: Check): Check {
  return (value, at) =>
    isMap(value)
      ? firstProblem(
          Object.entries(value).map(
            ([key, member]) =>
              () =>
                check(member, `${at}[${JSON.stringify(key)}]`),
          ),
        )
      : problem(at, "a map", value);
}

/** A map with known fields; others are left alone, so that a newer version's items can be read. */
export function fields(required: Fields, optional: Fields = {}): Check {
  return (value, at) => {
    if (!isMap(value)) return problem(at, "a map", value);
    return firstProblem([
      ...Object.entries(required).map(
        ([name, check]) =>
          () =>
            checkRequired(value, name, { check, at }),
      ),
      ...Object.entries(optional).map(
        ([name, check]) =>
          () =>
            checkOptional(value, name, { check, at }),
      ),
    ]);
  };
}

type OptionalKeys<T> = { [K in keyof T]-?: object extends Pick<T, K> ? K : never }[keyof T];
type RequiredKeys<T> = Exclude<keyof T, OptionalKeys<T>>;

/**
 * As `fields`, with a check for each member of a type of ours: one that is added to the type does not compile until it
 * has one.
 */
export function membersOf<T>(
  required: Readonly<Record<RequiredKeys<T>, Check>>,
  optional: Readonly<Record<OptionalKeys<T>, Check>>,
): Check {
  return fields(required, optional);
}

export function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array);
}

interface Member {
  readonly check: Check;
  readonly at: string;
}

function checkRequired(map: Record<string, unknown>, name: string, { check, at }: Member): string | undefined {
  return check(Object.hasOwn(map, name) ? map[name] : undefined, join(at, name));
}

function checkOptional(map: Record<string, unknown>, name: string, { check, at }: Member): string | undefined {
  return Object.hasOwn(map, name) ? check(map[name], join(at, name)) : undefined;
}

function join(at: string, name: string): string {
  return at === "" ? name : `${at}.${name}`;
}

function firstProblem(steps: readonly (() => string | undefined)[]): string | undefined {
  for (const step of steps) {
    const found = step();
    if (found !== undefined) return found;
  }
  return undefined;
}
