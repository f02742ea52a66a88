import { StandardUnit } from "@aws-sdk/client-cloudwatch";
import { badParameter, has, type Parameters, type TextForm, type WholeNumberForm } from "./parameters";

/** What CloudWatch takes, by form, so that a bad value is told where it was written and cannot fail a call that others share. */

export const namespaceForm: TextForm = { expected: "a namespace such as AWS/SQS", pattern: /^[^:\s].{0,254}$/ };
export const metricNameForm: TextForm = { expected: "a metric's name of 1 to 255 characters", pattern: /^.{1,255}$/ };
export const expressionForm: TextForm = { expected: "an expression of 1 to 2048 characters", pattern: /^.{1,2048}$/s };
export const idForm: TextForm = {
  expected: "an id of letters, digits and _ that starts with a lowercase letter",
  pattern: /^[a-z][A-Za-z0-9_]{0,200}$/,
};

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
export function periodForm(absent: number): WholeNumberForm {
  return {
    expected: "a period in seconds: 1, 5, 10, 20, 30 or a multiple of 60 up to 86400",
    valid: (value) => [1, 5, 10, 20, 30].includes(value) || (value >= 60 && value % 60 === 0 && value <= 86_400),
    absent,
  };
}

export function unitOf(parameters: Parameters, path = ""): StandardUnit | undefined {
  if (!has(parameters, "unit")) return undefined;
  const unit = Object.values(StandardUnit).find((known) => known === parameters["unit"]);
  if (unit === undefined)
    throw badParameter(`${path}unit`, "a CloudWatch unit such as Count or Bytes", parameters["unit"]);
  return unit;
}
