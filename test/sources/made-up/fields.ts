import { countField, flagField, type ParameterFields, textField } from "../../../lib/sources/fields/field";

export const madeUpFields = {
  topic: textField({ expected: "a topic's name", pattern: /^\w+$/ }),
  partitions: countField(1, 100),
  isStrict: flagField,
} satisfies ParameterFields;
