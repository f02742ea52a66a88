import { type Static, Type } from "typebox";
import { closed, dnsLabel, filledText, oneOf, quantity } from "./fields";
import { LabelSelector } from "./metadata";

/** A name that becomes one segment of a URL's path. */
const pathSegment = (description: string) =>
  filledText(description, { pattern: "^(?!\\.{1,2}$)[^/%]+$", errorMessage: 'a name without "/" and "%"' });

export const CrossVersionObjectReference = Type.Object(
  {
    kind: pathSegment("Its kind: Deployment, StatefulSet, or any other with a scale subresource."),
    name: pathSegment("Its name, in the HPA's namespace."),
    apiVersion: Type.Optional(
      Type.String({ description: "Its API group and version: apps/v1.", pattern: "^[^/]*(/[^/]*)?$" }),
    ),
  },
  { ...closed, title: "CrossVersionObjectReference", description: "Which object, in the HPA's namespace." },
);

/** ReplicationController is the one scalable kind without an API group. */
export const ScaleTargetReference = Type.Unsafe<Static<typeof CrossVersionObjectReference>>({
  ...CrossVersionObjectReference,
  properties: {
    ...CrossVersionObjectReference.properties,
    apiVersion: {
      ...CrossVersionObjectReference.properties.apiVersion,
      description: "Its API group and version: apps/v1. Needed, unless it is a ReplicationController.",
    },
  },
  description: "What is scaled.",
  if: { properties: { kind: { const: "ReplicationController" } } },
  else: {
    required: ["apiVersion"],
    properties: {
      apiVersion: { pattern: "^[^/]+/[^/]*$", errorMessage: "an API group and version such as apps/v1" },
    },
  },
});

export const MetricTarget = Type.Object(
  {
    type: oneOf("Which of the three is given: Utilization, Value or AverageValue.", [
      "Utilization",
      "Value",
      "AverageValue",
    ]),
    value: Type.Optional(quantity("The whole, whatever the number of pods.", "positive")),
    averageValue: Type.Optional(quantity("For each pod: the whole divided by the number of pods.", "positive")),
    averageUtilization: Type.Optional(
      Type.Integer({ minimum: 1, description: "Percent of what the pods request, on average." }),
    ),
  },
  { ...closed, title: "MetricTarget" },
);

/** The type above, of which the metric's type leaves only some combinations. */
const target = (description: string, rule: object) =>
  Type.Unsafe<Static<typeof MetricTarget>>({ ...MetricTarget, description, ...rule });

const exactlyOne = (...names: readonly string[]) => ({ oneOf: names.map((name) => ({ required: [name] })) });
const atLeastOne = (...names: readonly string[]) => ({ anyOf: names.map((name) => ({ required: [name] })) });

const resourceTarget = target("What to keep to: averageUtilization or averageValue.", {
  ...exactlyOne("averageUtilization", "averageValue"),
});

export const MetricIdentifier = Type.Object(
  {
    name: pathSegment(
      "The metric's name. External: sqs, cloudwatch, a MetricSource's name, or one that the cluster serves.",
    ),
    selector: Type.Optional(LabelSelector),
  },
  { ...closed, title: "MetricIdentifier", description: "Which metric." },
);

export const ObjectMetricSource = Type.Object(
  {
    describedObject: CrossVersionObjectReference,
    metric: MetricIdentifier,
    target: target("What to keep to: value or averageValue.", atLeastOne("value", "averageValue")),
  },
  { ...closed, title: "ObjectMetricSource", description: "A metric of one Kubernetes object (custom.metrics.k8s.io)." },
);

export const PodsMetricSource = Type.Object(
  {
    metric: MetricIdentifier,
    target: target("What to keep to: averageValue.", { required: ["type", "averageValue"] }),
  },
  { ...closed, title: "PodsMetricSource", description: "A metric of each pod (custom.metrics.k8s.io)." },
);

export const ResourceMetricSource = Type.Object(
  { name: filledText("cpu or memory."), target: resourceTarget },
  { ...closed, title: "ResourceMetricSource", description: "What the pods use of a resource (metrics.k8s.io)." },
);

export const ContainerResourceMetricSource = Type.Object(
  {
    name: filledText("cpu or memory."),
    container: dnsLabel("The container's name."),
    target: resourceTarget,
  },
  {
    ...closed,
    title: "ContainerResourceMetricSource",
    description: "What one container of the pods uses of a resource (metrics.k8s.io).",
  },
);

export const ExternalMetricSource = Type.Object(
  {
    metric: MetricIdentifier,
    target: target("What to keep to: value or averageValue.", exactlyOne("value", "averageValue")),
  },
  {
    ...closed,
    title: "ExternalMetricSource",
    description: "A metric from outside the cluster: a queue, CloudWatch, a MetricSource, or external.metrics.k8s.io.",
  },
);

const sourceOfType: Readonly<Record<string, string>> = {
  ContainerResource: "containerResource",
  External: "external",
  Object: "object",
  Pods: "pods",
  Resource: "resource",
};

/** The one member that belongs to the type, and none of the others. */
const membersByType = Object.entries(sourceOfType).map(([type, member]) => ({
  if: { required: ["type"], properties: { type: { const: type } } },
  then: {
    required: [member],
    properties: Object.fromEntries(
      Object.values(sourceOfType)
        .filter((other) => other !== member)
        .map((other) => [other, false]),
    ),
  },
}));

export const MetricSpec = Type.Object(
  {
    type: oneOf("What kind of metric; the member of that name holds the rest.", Object.keys(sourceOfType)),
    object: Type.Optional(ObjectMetricSource),
    pods: Type.Optional(PodsMetricSource),
    resource: Type.Optional(ResourceMetricSource),
    containerResource: Type.Optional(ContainerResourceMetricSource),
    external: Type.Optional(ExternalMetricSource),
  },
  { ...closed, title: "MetricSpec", description: "One metric, and the size that it asks for.", allOf: membersByType },
);
