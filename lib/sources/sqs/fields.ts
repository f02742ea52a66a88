import { account, region } from "../fields/aws-fields";
import { type Fields, flag, text } from "../fields/field";

export const sqsFields = {
  queue: text({ expected: "a queue's name, URL or ARN", pattern: /[\s\S]/ }),
  region,
  account,
  queueOwner: account,
  includeInFlight: flag,
  includeDelayed: flag,
} satisfies Fields;
