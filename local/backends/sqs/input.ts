import { invalidParameter, missingParameter } from "./errors";

export type ActionInput = Readonly<Record<string, unknown>>;

export function textOf(input: ActionInput, name: string): string {
  const value = input[name];
  if (typeof value !== "string" || value === "") throw missingParameter(name);
  return value;
}

export function numberOf(input: ActionInput, name: string, range: readonly [number, number]): number | undefined {
  const value = input[name];
  if (value === undefined || value === null) return undefined;
  const number = typeof value === "number" || typeof value === "string" ? Number(value) : NaN;
  if (Number.isInteger(number) && number >= range[0] && number <= range[1]) return number;
  throw invalidParameter(
    `Value ${JSON.stringify(value)} for parameter ${name} is invalid. Reason: Must be >= ${range[0]} and <= ${range[1]}, if provided.`,
  );
}
