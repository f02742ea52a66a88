import { Type } from "typebox";
import { CloudWatchParameters } from "./cloudwatch-parameters";
import { closed, filledText } from "../../k8s/schema/fields";
import { EntryMeta } from "../../k8s/schema/metadata";
import { SqsParameters } from "./sqs-parameters";

/** The kinds whose parameters are known. Others are let through: whether a kind can be read is for the version that reads it to say. */
export const parametersOfKind = { sqs: SqsParameters, cloudwatch: CloudWatchParameters };

export const MetricSourceSpec = Type.Object(
  {
    kind: filledText("What the metric is read from: sqs or cloudwatch.", { examples: Object.keys(parametersOfKind) }),
    parameters: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: "Defaults of the kind's parameters; the labels of a metric's selector go over them one by one.",
      }),
    ),
  },
  { ...closed, title: "MetricSourceSpec", description: "Where the metric is read, and how." },
);

/** What holds beside MetricSourceSpec: the parameters of a known kind. */
export const SourceParameters = {
  allOf: Object.entries(parametersOfKind).map(([kind, parameters]) => ({
    if: { required: ["kind"], properties: { kind: { const: kind } } },
    then: { properties: { parameters } },
  })),
};

export const MetricSource = Type.Object(
  {
    apiVersion: Type.Literal("ebb.dev/v1", { description: "The version of ebb's own kinds." }),
    kind: Type.Literal("MetricSource", { description: "What this document is." }),
    metadata: EntryMeta("The metric's name: an External metric of this name in the cluster's HPAs is read from here."),
    spec: { ...MetricSourceSpec, ...SourceParameters },
  },
  { ...closed, title: "MetricSource", description: "A source of External metrics, which HPAs name by metric name." },
);
