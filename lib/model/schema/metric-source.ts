import { Type } from "typebox";
import { closed, filledText, type TypeOf } from "../../k8s/schema/fields";
import { EntryMeta } from "../../k8s/schema/metadata";
import { metricRuleFields } from "./metric-rules";

export const MetricSourceSpec = Type.Object(
  {
    kind: filledText("The kind of source that the metric is read from."),
    parameters: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: "Defaults of the kind's parameters, which a metric's labels override one by one.",
      }),
    ),
    ...metricRuleFields,
  },
  {
    ...closed,
    title: "MetricSourceSpec",
    description: "Where ebb reads the metric, and its rules.",
  },
);
export type MetricSourceSpec = TypeOf<typeof MetricSourceSpec>;

export interface KindSchema {
  readonly name: string;
  readonly parameters: object;
}

/** Unknown kinds are allowed: another version of ebb may read them. */
export function metricSourceSchema(kinds: readonly KindSchema[]) {
  const { kind } = MetricSourceSpec.properties;
  const names = kinds.map(({ name }) => name);
  return Type.Object(
    {
      apiVersion: Type.Literal("ebb.dev/v1", { description: "The version of ebb's own kinds." }),
      kind: Type.Literal("MetricSource", { description: "The kind of this document." }),
      metadata: EntryMeta("The metric's name: the cluster's HPAs read External metrics of this name from this source."),
      spec: {
        ...MetricSourceSpec,
        properties: { ...MetricSourceSpec.properties, kind: { ...kind, examples: names } },
        allOf: kinds.map(({ name, parameters }) => ({
          if: { required: ["kind"], properties: { kind: { const: name } } },
          then: { properties: { parameters } },
        })),
      },
    },
    { ...closed, title: "MetricSource", description: "A source of External metrics, which HPAs name by metric name." },
  );
}
