import { Fault, isFault } from "../../model/fault";
import { badParameter } from "../parameters";

/** What an expression results in. */
export type Type = "number" | "condition" | "list of numbers" | "list of conditions" | "nil";

export type Value = number | boolean | readonly (number | boolean)[];

export interface FormulaScope {
  /** The operand's value. Throws Missing. */
  readonly operand: (name: string) => number;
  /** `#`: the element that a function looks at. */
  readonly element?: number | boolean;
}

/** An operand without a value. `??` and a comparison with nil catch it, and nothing else does. */
export class Missing extends Fault {
  constructor(readonly reason: string) {
    super("badAnswer", reason);
  }
}

/** By its member: instanceof takes any Fault for any other. */
export function isMissing(error: unknown): error is Missing {
  return isFault(error) && "reason" in error;
}

/** A part of a formula: its type, and how to calculate it. */
export interface FormulaPart<Of extends Value = Value> {
  readonly type: Type;
  readonly run: (scope: FormulaScope) => Of;
}

export interface CompileContext {
  readonly formula: string;
  readonly operands: ReadonlySet<string>;
  readonly used: Set<string>;
  readonly depth: number;
  /** The type of `#`, within the condition of a function. */
  readonly element?: Type;
}

/** The part, if it has this type. Throws a Fault "badEntry" otherwise. */
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

/** The value. Throws a Fault if it is NaN or infinite. */
export function finite(value: number, operator: string): number {
  if (!Number.isFinite(value)) throw new Fault("badAnswer", `the result of ${operator} is not a finite number`);
  return value;
}
