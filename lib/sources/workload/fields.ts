import { type ParameterFields, textField } from "../fields/field";

export const workloadFields = {
  namespace: textField({
    expected: "a namespace such as shop",
    pattern: /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/,
  }),
  podSelector: textField({
    expected: "a label selector such as app=producer,tier in (web)",
    pattern: /^[^\0]{1,1000}$/,
  }),
} satisfies ParameterFields;
