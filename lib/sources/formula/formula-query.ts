import type { Operand, SourceQuery } from "../../model/ports/sources";
import { readParameters, requiredText } from "../fields/read-fields";
import { compileFormula } from "./compile";
import { formulaFields } from "./fields";
import { namesOf, operandsOf } from "./operands";

export interface FormulaQuery {
  readonly formula: string;
  readonly operands: readonly Operand[];
  readonly calculate: ReturnType<typeof compileFormula>;
}

/**
 * Checks what labels cannot change.
 * @throws Fault "badEntry".
 */
export function checkFormula(parameters: SourceQuery["parameters"]): void {
  const { formula, operands } = readParameters(formulaFields, parameters);
  if (formula !== undefined && operands !== undefined) compileFormula(formula, namesOf(operands));
}

/** @throws Fault "badEntry" that names the parameter. */
export function parseFormulaQuery(query: SourceQuery): FormulaQuery {
  const values = readParameters(formulaFields, query.parameters);
  const formula = requiredText(formulaFields, values, "formula");
  const operands = operandsOf(query);
  const names = operands.map(({ name }) => name);
  return { formula, operands, calculate: compileFormula(formula, names) };
}
