/** The text forms of metric sources' parameters, once: entries are checked by them, and so is what labels say. */
export interface TextForm {
  readonly expected: string;
  readonly pattern: RegExp;
}

/** AWS regions as endpoints spell them. The form keeps a region from being any other part of a host name. */
export const regionForm: TextForm = {
  expected: "an AWS region such as eu-west-1",
  pattern: /^[a-z]{2,4}(-[a-z]{2,12}){1,3}-\d{1,2}$/,
};

export const accountForm: TextForm = { expected: "an account of 12 digits", pattern: /^\d{12}$/ };

export const queueForm: TextForm = { expected: "a queue's name, URL or ARN", pattern: /[\s\S]/ };

export const namespaceForm: TextForm = { expected: "a namespace such as AWS/SQS", pattern: /^[^:\s].{0,254}$/ };
export const metricNameForm: TextForm = { expected: "a metric's name of 1 to 255 characters", pattern: /^.{1,255}$/ };
export const expressionForm: TextForm = {
  expected: "an expression of 1 to 2048 characters",
  pattern: /^[\s\S]{1,2048}$/,
};
export const idForm: TextForm = {
  expected: "an id of letters, digits and _ that starts with a lowercase letter",
  pattern: /^[a-z][A-Za-z0-9_]{0,200}$/,
};
export const dimensionNameForm: TextForm = {
  expected: "a dimension's name of 1 to 255 characters",
  pattern: /^[^:\s].{0,254}$/,
};
export const dimensionValueForm: TextForm = { expected: "a string of 1 to 1024 characters", pattern: /^.{1,1024}$/ };

const number = String.raw`\d{1,15}(?:\.\d{1,10})?`;
const percent = String.raw`(?:100|\d{1,2}(?:\.\d{1,10})?)`;
const statistics = [
  "Average|Sum|Minimum|Maximum|SampleCount|IQM",
  `(?:p|tm|wm|tc|ts)${percent}`,
  `(?:TM|WM|TC|TS)\\((?:${percent}%)?:(?:${percent}%)?\\)`,
  `(?:TM|WM|TC|TS|PR)\\((?:${number})?:(?:${number})?\\)`,
];

/** The statistics of CloudWatch: five plain ones, percentiles, trimmed and winsorized means, trimmed counts and sums, percentile ranks. */
export const statisticForm: TextForm = {
  expected:
    "Average, Sum, Minimum, Maximum, SampleCount, IQM, or a percentile or trimmed statistic such as p99 or tm95",
  pattern: new RegExp(`^(?:${statistics.join("|")})$`),
};

/** Seconds: 1, 5, 10, 20, 30 (high-resolution metrics) or a multiple of 60 up to a day. */
export const periods = { short: [1, 5, 10, 20, 30], step: 60, longest: 86_400 };
export const periodExpected = "a period in seconds: 1, 5, 10, 20, 30 or a multiple of 60 up to 86400";
