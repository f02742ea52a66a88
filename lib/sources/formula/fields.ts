import { type ListField, type MapField, type ParameterFields, textField } from "../fields/field";
import { variableFields } from "../fields/web-fields";

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
