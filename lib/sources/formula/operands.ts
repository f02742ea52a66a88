import type { Operand, SourceQuery } from "../../model/ports/sources";
import { readParameters } from "../fields/read-fields";
import { fillInAll } from "../network/template";
import { badParameter } from "../parameters";
import { type ListField, type MapField, type ParameterFields, textField } from "../fields/field";
import { variableFields } from "../fields/server-fields";

const labels: MapField = {
  type: "map",
  name: { expected: "a parameter's name", pattern: /^[^\0]{1,300}$/ },
  value: { expected: "a text of at most 1,000 characters", pattern: /^[^\0]{0,1000}$/ },
  expected: "an object of labels, as a metric's selector.matchLabels has them",
};

const ofOperand = {
  name: textField({ expected: "a name of letters, digits and _", pattern: /^[A-Za-z_]\w{0,62}$/ }),
  source: textField({ expected: "the name of a source", pattern: /^[^\0\s]{1,253}$/ }),
  labels,
};

const operands: ListField<typeof ofOperand> = {
  type: "list",
  of: ofOperand,
  required: ["name", "source"],
  maxItems: 20,
  expected: "a list of at most 20 operands, which only a SOURCE entry can hold",
};

export const formulaFields = {
  formula: textField({
    expected: "a formula of at most 1000 characters such as max(orders, mail * 2)",
    pattern: /^[^\0]{1,1000}$/,
  }),
  operands,
  ...variableFields,
} satisfies ParameterFields;

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
