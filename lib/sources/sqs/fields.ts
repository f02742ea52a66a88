import { account, region } from "../fields/aws-fields";
import { type ParameterFields, flagField, textField } from "../fields/field";

export const sqsFields = {
  queue: textField({ expected: "a queue's name, URL or ARN", pattern: /[\s\S]/ }),
  region,
  account,
  queueOwner: account,
  includeInFlight: flagField,
  includeDelayed: flagField,
} satisfies ParameterFields;
