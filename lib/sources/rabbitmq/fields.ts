import { absentField, type ChoiceField, type ParameterFields, textField } from "../fields/field";
import { serverFields } from "../fields/web-fields";

const measure: ChoiceField<"messages" | "ready" | "publishRate" | "deliverRate"> = {
  type: "choice",
  values: ["messages", "ready", "publishRate", "deliverRate"],
  expected: "one of messages, ready, publishRate and deliverRate",
};

const operation: ChoiceField<"sum" | "avg" | "max"> = {
  type: "choice",
  values: ["sum", "avg", "max"],
  expected: "one of sum, avg and max",
};

export const rabbitmqFields = {
  url: textField({
    expected: "the address of the management API, such as https://mq.example.com:15671",
    pattern: /^https?:\/\/[^\s?#]+$/,
  }),
  vhost: textField({ expected: "a virtual host's name, such as /", pattern: /^[^\0]{1,255}$/ }),
  queue: textField({ expected: "a queue's name", pattern: /^[^\0]{1,255}$/ }),
  queues: textField({ expected: "a regular expression such as ^orders\\.", pattern: /^[^\0]{1,500}$/ }),
  operation,
  measure,
  absent: absentField,
  ...serverFields,
} satisfies ParameterFields;

export type Measure = (typeof measure.values)[number];
export type Operation = (typeof operation.values)[number];
