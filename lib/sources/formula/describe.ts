import { isMap } from "../../k8s/map";
import { type Command, ebb, inBrackets, row } from "../../model/advice";
import { describeKind, type UnreadParameter } from "../description";
import type { GivenParameters } from "../parameters";
import { describedVariableFields } from "../fields/server-fields";
import { formulaFields } from "./operands";
import { checkFormula, parseFormulaQuery } from "./formula";
import { formula } from "./kind";

export const describedFormula = describeKind(formula, formulaFields, {
  summary: "A number that a formula makes of other sources' numbers.",
  parameters: {
    formula: "A formula of the operands: docs/sources/formula.md. Required.",
    operands: {
      description: "What the names in the formula are. Required.",
      element: {
        title: "Operand",
        description: "A name of the formula, and the source that it is read from.",
        of: {
          name: "As the formula has it. Required.",
          source: "The MetricSource, sqs or cloudwatch; no formula. Required.",
          labels: "Labels of the source. A placeholder ${name} becomes the label var.name.",
        },
      },
    },
    ...describedVariableFields,
  },
  parse: parseFormulaQuery,
  check: checkFormula,
  example: {
    formula: "max(orders, mail * 2)",
    operands: [
      { name: "orders", source: "sqs", labels: { queue: "orders" } },
      { name: "mail", source: "sqs", labels: { queue: "mail" } },
    ],
  },
  advice: row<UnreadParameter>`check that each operand can be read by itself${({ cluster, parameters }) =>
    inBrackets(...readOperands(cluster, parameters))}`,
  iam: [],
  keda: {},
});

function readOperands(cluster: string, { operands }: GivenParameters): readonly Command[] {
  return (Array.isArray(operands) ? operands : []).flatMap((operand: unknown) => {
    if (!isMap(operand) || typeof operand["source"] !== "string") return [];
    const labels = isMap(operand["labels"]) ? Object.entries(operand["labels"]) : [];
    return [
      ebb(
        "read",
        operand["source"],
        ...labels.map(([name, value]) => `${name}=${String(value)}`),
        "--cluster",
        cluster,
      ),
    ];
  });
}
