import { type ChoiceField, countField, flagField, type ParameterFields, textField } from "../fields/field";
import { tcpFields } from "../fields/tcp-fields";

const offsetResetPolicy: ChoiceField<"earliest" | "latest" | "none"> = {
  type: "choice",
  values: ["earliest", "latest", "none"],
  expected: "one of earliest, latest and none",
};

export const kafkaFields = {
  group: textField({ expected: "a consumer group's name", pattern: /^[^\0]{1,500}$/ }),
  topics: textField({
    expected: "a topic's name, or several with commas",
    pattern: /^[\w.-]{1,249}(,\s*[\w.-]{1,249}){0,99}$/,
  }),
  topicPrefix: textField({ expected: "the beginning of topics' names", pattern: /^[\w.-]{1,249}$/ }),
  partitions: textField({
    expected: "partitions such as 0,2,4-7",
    pattern: /^\d{1,6}(-\d{1,6})?(,\s*\d{1,6}(-\d{1,6})?){0,99}$/,
  }),
  offsetResetPolicy,
  lagThreshold: countField(1, 999_999_999),
  allowIdleConsumers: flagField,
  limitToPartitionsWithLag: flagField,
  excludePersistentLagAfterSeconds: countField(1, 86_400),
  awsIam: flagField,
  ...tcpFields,
} satisfies ParameterFields;

export type OffsetResetPolicy = (typeof offsetResetPolicy.values)[number];
