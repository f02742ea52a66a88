import type { StandardUnit } from "@aws-sdk/client-cloudwatch";
import {
  account,
  region,
  type ChoiceField,
  type ListField,
  type MapField,
  type NamedField,
  type NumberField,
  type NumberOrField,
  type ParameterFields,
  type TextForm,
  countField,
  textField,
} from "../fields/field";

/** https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_PutMetricData.html and API_Dimension.html */
const namespace = textField({ expected: "an ASCII namespace such as AWS/SQS", pattern: /^[!-9;-~][ -~]{0,254}$/ });
const metricName = textField({ expected: "a metric's name of 1 to 255 characters", pattern: /^.{1,255}$/ });
const expression = textField({ expected: "an expression of 1 to 2048 characters", pattern: /^[\s\S]{1,2048}$/ });
const id = textField({
  expected: "an id of letters, digits and _ that starts with a lowercase letter",
  pattern: /^[a-z][A-Za-z0-9_]{0,200}$/,
});

const number = String.raw`\d{1,15}(?:\.\d{1,10})?`;
const percent = String.raw`(?:100|\d{1,2}(?:\.\d{1,10})?)`;
const statistics = [
  "Average|Sum|Minimum|Maximum|SampleCount|IQM",
  `(?:p|tm|wm|tc|ts)${percent}`,
  `(?:TM|WM|TC|TS)\\((?:${percent}%)?:(?:${percent}%)?\\)`,
  `(?:TM|WM|TC|TS|PR)\\((?:${number})?:(?:${number})?\\)`,
];

const statistic = textField({
  expected:
    "Average, Sum, Minimum, Maximum, SampleCount, IQM, or a percentile or trimmed statistic such as p99 or tm95",
  pattern: new RegExp(`^(?:${statistics.join("|")})$`),
});

const period: NumberField = {
  type: "number",
  minimum: 60,
  maximum: 86_400,
  step: 60,
  exceptions: [1, 5, 10, 20, 30], // high-resolution metrics
  expected: "a period in seconds: 1, 5, 10, 20, 30 or a multiple of 60 up to 86400",
};

const sizes = ["Bits", "Bytes", "Kilobits", "Kilobytes", "Megabits", "Megabytes"] as const;
const largeSizes = ["Gigabits", "Gigabytes", "Terabits", "Terabytes"] as const;
const plain = ["Count", "Microseconds", "Milliseconds", "None", "Percent", "Seconds"] as const;

/** A copy, so that functions need not load the SDK. */
const unit: ChoiceField<StandardUnit> = {
  type: "choice",
  values: [
    ...[...sizes, ...largeSizes, "Count" as const].map((of) => `${of}/Second` as const),
    ...[...sizes, ...largeSizes, ...plain],
  ].sort(),
  expected: "a CloudWatch unit such as Count or Bytes",
};

const name: TextForm = {
  expected: "a dimension's name of 1 to 255 ASCII characters",
  pattern: /^[!-9;-~][ -~]{0,254}$/,
};
const value: TextForm = { expected: "a string of 1 to 1024 ASCII characters", pattern: /^(?! *$)[ -~]{1,1024}$/ };
const dimensions: MapField = {
  ...{ type: "map", name, value },
  expected: 'an object of names and values such as {"QueueName": "orders"}',
};
const dimension: NamedField = { type: "named", prefix: "dimension.", name, value };

const ofQuery = { id, expression, namespace, metricName, statistic, period, dimensions, unit, account };

const queries: ListField<typeof ofQuery> = {
  type: "list",
  of: ofQuery,
  required: ["id"],
  maxItems: 499, // a call takes 500, one of them the expression
  expected: "a list of at most 499 objects, which only a SOURCE entry can hold",
};

const absent: NumberOrField<"error"> = { type: "numberOr", word: "error", expected: '"error" or a number' };

export const mostPeriods = 100;

/** CloudWatch's limits: a bad value would fail a shared call. */
export const cloudwatchFields = {
  ...{ namespace, metricName, metric: metricName, statistic, period, dimensions, unit, expression, queries },
  ...{ region, account },
  periods: countField(1, mostPeriods),
  delay: countField(0, 86_400),
  absent,
  "dimension.<Name>": dimension,
} satisfies ParameterFields;
