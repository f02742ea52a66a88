import { Fault, isFault } from "../../model/fault";
import { badParameter } from "../parameters";

export type Type = "number" | "condition" | "list of numbers" | "list of conditions" | "nil";

export type Value = number | boolean | readonly (number | boolean)[];

export interface FormulaScope {
  /** @throws Missing. */
  readonly operand: (name: string) => number;
  /** `#`, within a function's condition. */
  readonly element?: number | boolean;
}

/** Only `??` and a comparison with nil catch it. */
export class Missing extends Fault {
  constructor(readonly reason: string) {
    super("badAnswer", reason);
  }
}

/** instanceof takes any Fault for any other. */
export function isMissing(error: unknown): error is Missing {
  return isFault(error) && "reason" in error;
}

export interface FormulaPart<Of extends Value = Value> {
  readonly type: Type;
  readonly run: (scope: FormulaScope) => Of;
}

export interface CompileContext {
  readonly formula: string;
  readonly operands: ReadonlySet<string>;
  readonly used: Set<string>;
  readonly depth: number;
  readonly element?: Type;
}

/** @throws Fault "badEntry" for another type. */
export function typedPart<Of extends Value>(
  part: FormulaPart,
  type: Type,
  { formula }: Pick<CompileContext, "formula">,
): FormulaPart<Of> {
  if (part.type !== type) throw badParameter("formula", `a ${type} where there is a ${part.type}`, formula);
  return part as FormulaPart<Of>;
}

export function notUnderstood(what: string, { formula }: Pick<CompileContext, "formula">): Fault {
  return badParameter("formula", `a formula without ${what}`, formula);
}

/** @throws Fault if the value is NaN or infinite. */
export function finite(value: number, operator: string): number {
  if (!Number.isFinite(value)) throw new Fault("badAnswer", `the result of ${operator} is not a finite number`);
  return value;
}
