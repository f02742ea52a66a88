import { account, region } from "../fields/aws-fields";
import { type ChoiceField, type ParameterFields, flagField, textField } from "../fields/field";

const measure: ChoiceField<"messages" | "age"> = {
  type: "choice",
  values: ["messages", "age"],
  expected: "messages or age",
};

export const sqsFields = {
  queue: textField({ expected: "a queue's name, URL or ARN", pattern: /[\s\S]/ }),
  queues: textField({
    expected: "1 to 100 names, URLs or ARNs of queues, with commas",
    pattern: /^[^\s,]{1,500}(,\s*[^\s,]{1,500}){0,99}$/,
  }),
  queuePrefix: textField({
    expected: "the beginning of queues' names: 1 to 80 letters, digits, - and _",
    pattern: /^[A-Za-z0-9_-]{1,80}$/,
  }),
  region,
  account,
  queueOwner: account,
  measure,
  includeInFlight: flagField,
  includeDelayed: flagField,
} satisfies ParameterFields;
