import { Fault } from "../model/fault";
import type { TextForm } from "../model/schema/parameter-forms";

export type Parameters = Readonly<Record<string, unknown>>;

/** The fault of a parameter that cannot be used. `path` is where it stands: "period", "queries[1].statistic". */
export function badParameter(path: string, expected: string, got: unknown): Fault {
  return new Fault("badEntry", `parameter ${path}: expected ${expected}, got ${shown(got)}`);
}

/** A misspelt parameter must not be ignored: what it was meant to say would silently not hold. */
export function rejectUnknown(parameters: Parameters, known: readonly string[], path = ""): void {
  for (const name of Object.keys(parameters)) {
    if (known.includes(name)) continue;
    throw badParameter(`${path}${name}`, `one of ${known.join(", ")}`, parameters[name]);
  }
}

export function has(parameters: Parameters, name: string): boolean {
  return Object.hasOwn(parameters, name) && parameters[name] !== undefined && parameters[name] !== null;
}

/** An object with one field, or with none where there is no value: for spreading into an object with optional fields. */
export function present<Name extends string, Value>(name: Name, value: Value | undefined): { [N in Name]?: Value } {
  return (value === undefined ? {} : { [name]: value }) as { [N in Name]?: Value };
}

/** `path`: before a field's name in messages: "queries[1].". */
type PlacedForm = TextForm & { readonly path?: string };

/** A non-empty string of the given form; undefined when it is not given. */
export function optionalText(parameters: Parameters, name: string, form: PlacedForm): string | undefined {
  if (!has(parameters, name)) return undefined;
  const value = parameters[name];
  if (typeof value !== "string" || !form.pattern.test(value)) {
    throw badParameter(`${form.path ?? ""}${name}`, form.expected, value);
  }
  return value;
}

export function requiredText(parameters: Parameters, name: string, form: PlacedForm): string {
  const value = optionalText(parameters, name, form);
  if (value === undefined) throw badParameter(`${form.path ?? ""}${name}`, form.expected, undefined);
  return value;
}

/** true, false, or the same as a label spells it. */
export function flag(parameters: Parameters, name: string, absent: boolean): boolean {
  if (!has(parameters, name)) return absent;
  const value = parameters[name];
  if (value === true || value === "true") return true;
  if (value === false || value === "false") return false;
  throw badParameter(name, "true or false", value);
}

export interface WholeNumberForm {
  readonly expected: string;
  readonly valid: (value: number) => boolean;
  readonly absent: number;
  readonly path?: string;
}

/** A whole number, as a number or as a label spells it ("60"). */
export function wholeNumber(parameters: Parameters, name: string, form: WholeNumberForm): number {
  if (!has(parameters, name)) return form.absent;
  const value = parameters[name];
  const number = typeof value === "string" && /^\d{1,9}$/.test(value) ? Number(value) : value;
  if (typeof number !== "number" || !Number.isSafeInteger(number) || !form.valid(number)) {
    throw badParameter(`${form.path ?? ""}${name}`, form.expected, value);
  }
  return number;
}

export function isRecord(value: unknown): value is Parameters {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A value as a message shows it: JSON, cut to a length that fits a condition. */
export function shown(value: unknown): string {
  if (value === undefined || value === null) return "nothing";
  if (typeof value === "bigint" || typeof value === "number") return String(value);
  const text = JSON.stringify(value) ?? typeof value;
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
