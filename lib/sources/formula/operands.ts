import type { Operand, SourceQuery } from "../../model/ports/sources";
import { readParameters } from "../fields/read-fields";
import { fillInAll } from "../network/template";
import { badParameter } from "../parameters";
import { formulaFields } from "./fields";

const aList = "a list of operands, each with a name and a source";

/**
 * `${name}` in a label becomes the metric's label `var.name`.
 * @throws Fault "badEntry".
 */
export function operandsOf({ parameters }: SourceQuery): readonly Operand[] {
  const { operands, vars, "var.<name>": ownVars } = readParameters(formulaFields, parameters);
  if (operands === undefined) throw badParameter("operands", aList, operands);
  const templates: Record<string, string> = {};
  const pathOf = (index: number, label: string) => `operands[${index}].labels[${JSON.stringify(label)}]`;
  namesOf(operands);
  operands.forEach(({ labels = {} }, index) => {
    for (const [label, value] of Object.entries(labels)) templates[pathOf(index, label)] = value;
  });
  const filled = fillInAll(templates, { ...vars, ...ownVars });
  return operands.map(({ name = "", source = "", labels = {} }, index) => {
    const own = Object.keys(labels).map((label) => [label, filled[pathOf(index, label)] ?? ""] as const);
    return { name, metric: { name: source, selector: { matchLabels: Object.fromEntries(own) } } };
  });
}

/** @throws Fault "badEntry" without names, or for a name used twice. */
export function namesOf(operands: readonly { readonly name?: string }[]): readonly string[] {
  const names = operands.map(({ name = "" }) => name);
  if (names.length === 0) throw badParameter("operands", aList, operands);
  const again = names.findIndex((name, index) => names.indexOf(name) < index);
  if (again >= 0)
    throw badParameter(`operands[${again}].name`, "another name than the operands before it have", names[again]);
  return names;
}
