import { Type } from "typebox";

const decimal = "([0-9]+(\\.[0-9]*)?|\\.[0-9]+)";
const suffix = "([KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]+)?";

const forms = {
  positive: {
    pattern: `^ *\\+?(?=[0-9.]*[1-9])${decimal}${suffix} *$`,
    number: { type: "number", exclusiveMinimum: 0 },
    errorMessage: "a quantity greater than 0 such as 5, 500m or 1.5Gi",
  },
  zeroOrMore: {
    pattern: `^ *\\+?${decimal}${suffix} *$`,
    number: { type: "number", minimum: 0 },
    errorMessage: "a quantity, 0 or more, such as 0.1 or 100m",
  },
};

/**
 * A quantity in any of Kubernetes' spellings; a number is accepted where the API accepts one.
 * Source: https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/
 */
export const quantity = (description: string, form: keyof typeof forms) =>
  Type.Unsafe<string | number>({
    title: "Quantity",
    description,
    anyOf: [{ type: "string", pattern: forms[form].pattern }, forms[form].number],
    errorMessage: forms[form].errorMessage,
  });
