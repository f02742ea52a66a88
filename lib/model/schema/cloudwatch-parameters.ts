import { Type } from "typebox";
import { numberParameter, textParameter } from "./parameter-fields";
import {
  accountForm,
  dimensionNameForm,
  dimensionValueForm,
  expressionForm,
  idForm,
  metricNameForm,
  namespaceForm,
  periodExpected,
  periods,
  regionForm,
  statisticForm,
} from "./parameter-forms";
import { closed } from "../../k8s/schema/fields";

const dimensionValue = {
  type: "string",
  pattern: dimensionValueForm.pattern.source,
  errorMessage: dimensionValueForm.expected,
};

const dimensions = (description: string) =>
  Type.Optional(
    Type.Unsafe<Record<string, string>>({
      type: "object",
      description,
      patternProperties: { [dimensionNameForm.pattern.source]: dimensionValue },
      additionalProperties: false,
      errorMessage: 'an object of names and values such as {"QueueName": "orders"}',
    }),
  );

const period = (description: string) =>
  numberParameter(description, periodExpected, {
    anyOf: [
      { enum: periods.short },
      { type: "integer", multipleOf: periods.step, minimum: periods.step, maximum: periods.longest },
    ],
  });

const wholeNumber = (description: string, minimum: number, maximum: number) =>
  numberParameter(description, `a whole number from ${minimum} to ${maximum}`, { type: "integer", minimum, maximum });

const unit = Type.Optional(
  Type.String({
    description: "Only datapoints of this unit. Default: any.",
    errorMessage: "a CloudWatch unit such as Count or Bytes",
  }),
);

const Query = Type.Object(
  {
    id: Type.String({
      description: "What the expression calls it.",
      pattern: idForm.pattern.source,
      errorMessage: idForm.expected,
    }),
    expression: textParameter("Metric math over other queries, instead of a metric.", expressionForm),
    namespace: textParameter("The metric's namespace. Default: the whole's.", namespaceForm),
    metricName: textParameter("The metric.", metricNameForm),
    statistic: textParameter("Of this query. Default: the whole's.", statisticForm),
    period: period("Must divide the whole's. Default: the whole's."),
    dimensions: dimensions("Of this query, over those of the whole."),
    unit,
    account: textParameter("The source account of the metric. Default: the whole's.", accountForm),
  },
  {
    ...closed,
    title: "Query",
    errorMessage: "an object",
    description: "One of the metrics or expressions that the expression names.",
  },
);

/** Parameters of the source kind `cloudwatch`, as an entry's defaults: what is absent here a metric's labels say. */
export const CloudWatchParameters = Type.Object(
  {
    namespace: textParameter(
      "AWS/SQS, or your own. Needed, here or as a label, unless each of queries says its own.",
      namespaceForm,
    ),
    metricName: textParameter("The metric. Needed, here or as a label, unless there is an expression.", metricNameForm),
    metric: textParameter("The same as metricName.", metricNameForm),
    statistic: textParameter(
      "What is made of a period's samples; TM(10%:90%) and others of CloudWatch's will do, too. Default Average.",
      statisticForm,
    ),
    period: period("What a datapoint is over; less than 60 is for high-resolution metrics. Default 60."),
    dimensions: dimensions("Names and values; a label dimension.<Name> goes over them."),
    unit,
    expression: textParameter("Metric math, instead of metricName; its ids are those of queries.", expressionForm),
    queries: Type.Optional(
      Type.Array(Query, {
        maxItems: 499,
        description: "What the expression is over.",
        errorMessage: "a list of at most 499 objects",
      }),
    ),
    region: textParameter("Where the metric is. Default: the function's.", regionForm),
    account: textParameter("In a monitoring account: the source account of the metric.", accountForm),
    periods: wholeNumber("How many complete periods are looked at. Default 5.", 1, 100),
    delay: wholeNumber("Seconds by which a period is left to fill up after its end. Default 0.", 0, 86_400),
    absent: Type.Optional(
      Type.Unsafe<string | number>({
        description: 'What no datapoint means: "error", or a number such as 0. Default error.',
        anyOf: [{ type: "number" }, { const: "error" }, { type: "string", pattern: "^-?\\d{1,15}(\\.\\d{1,15})?$" }],
        errorMessage: '"error" or a number',
      }),
    ),
  },
  {
    ...closed,
    title: "cloudwatch",
    description: "A CloudWatch metric, or metric math over several. docs/metrics.md",
    patternProperties: {
      "^dimension\\.[^:\\s].{0,254}$": {
        ...dimensionValue,
        title: "dimension.<Name>",
        description: "A dimension's value.",
      },
    },
  },
);
