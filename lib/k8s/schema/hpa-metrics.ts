import { type Static, Type } from "typebox";
import { closed, dnsLabel, filledText, oneOf, quantityField, type TypeOf } from "./fields";
import { LabelSelector } from "./metadata";

const pathSegment = (description: string) =>
  filledText(description, { pattern: "^(?!\\.{1,2}$)[^/%]+$", errorMessage: 'a name without "/" and "%"' });

export const CrossVersionObjectReference = Type.Object(
  {
    kind: pathSegment("The object's kind."),
    name: pathSegment("The object's name."),
    apiVersion: Type.Optional(
      Type.String({ description: "The API group and version, such as apps/v1.", pattern: "^[^/]*(/[^/]*)?$" }),
    ),
  },
  { ...closed, title: "CrossVersionObjectReference", description: "An object in the HPA's namespace." },
);
export type CrossVersionObjectReference = TypeOf<typeof CrossVersionObjectReference>;

/** ReplicationController is the one scalable kind without an API group. */
export const ScaleTargetReference = Type.Unsafe<Static<typeof CrossVersionObjectReference>>({
  ...CrossVersionObjectReference,
  properties: {
    ...CrossVersionObjectReference.properties,
    kind: {
      ...CrossVersionObjectReference.properties.kind,
      description: "The workload's kind: Deployment, StatefulSet, or any other with a scale subresource.",
    },
    name: { ...CrossVersionObjectReference.properties.name, description: "The workload's name." },
    apiVersion: {
      ...CrossVersionObjectReference.properties.apiVersion,
      description: "The API group and version, such as apps/v1. Required, unless kind is ReplicationController.",
    },
  },
  description: "The workload to scale, in the HPA's namespace.",
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
    type: oneOf("Which target is set: Utilization, Value or AverageValue.", ["Utilization", "Value", "AverageValue"]),
    value: Type.Optional(quantityField("The target for the total, whatever the number of pods.", "positive")),
    averageValue: Type.Optional(
      quantityField("The target per pod: the total divided by the number of pods.", "positive"),
    ),
    averageUtilization: Type.Optional(
      Type.Integer({ minimum: 1, description: "The average target, in percent of what the pods request." }),
    ),
  },
  { ...closed, title: "MetricTarget" },
);
export type MetricTarget = TypeOf<typeof MetricTarget>;

const target = (description: string, rule: object) =>
  Type.Unsafe<Static<typeof MetricTarget>>({ ...MetricTarget, description, ...rule });

const exactlyOne = (...names: readonly string[]) => ({ oneOf: names.map((name) => ({ required: [name] })) });
const atLeastOne = (...names: readonly string[]) => ({ anyOf: names.map((name) => ({ required: [name] })) });

const resourceTarget = target("The target: averageUtilization or averageValue.", {
  ...exactlyOne("averageUtilization", "averageValue"),
});

export const MetricIdentifier = Type.Object(
  {
    name: pathSegment(
      "The metric's name. For an External metric: sqs, cloudwatch, a MetricSource's name, or a name that the cluster serves.",
    ),
    selector: Type.Optional(LabelSelector),
  },
  { ...closed, title: "MetricIdentifier", description: "The metric to read." },
);
export type MetricIdentifier = TypeOf<typeof MetricIdentifier>;

export const ObjectMetricSource = Type.Object(
  {
    describedObject: CrossVersionObjectReference,
    metric: MetricIdentifier,
    target: target("The target: value or averageValue.", atLeastOne("value", "averageValue")),
  },
  { ...closed, title: "ObjectMetricSource", description: "A metric of one Kubernetes object (custom.metrics.k8s.io)." },
);
export type ObjectMetricSource = TypeOf<typeof ObjectMetricSource>;

export const PodsMetricSource = Type.Object(
  {
    metric: MetricIdentifier,
    target: target("The target: averageValue.", { required: ["type", "averageValue"] }),
  },
  { ...closed, title: "PodsMetricSource", description: "A metric of each pod (custom.metrics.k8s.io)." },
);
export type PodsMetricSource = TypeOf<typeof PodsMetricSource>;

export const ResourceMetricSource = Type.Object(
  { name: filledText("The resource: cpu or memory."), target: resourceTarget },
  { ...closed, title: "ResourceMetricSource", description: "How much of a resource the pods use (metrics.k8s.io)." },
);
export type ResourceMetricSource = TypeOf<typeof ResourceMetricSource>;

export const ContainerResourceMetricSource = Type.Object(
  {
    name: filledText("The resource: cpu or memory."),
    container: dnsLabel("The container's name."),
    target: resourceTarget,
  },
  {
    ...closed,
    title: "ContainerResourceMetricSource",
    description: "How much of a resource one container of the pods uses (metrics.k8s.io).",
  },
);
export type ContainerResourceMetricSource = TypeOf<typeof ContainerResourceMetricSource>;

export const ExternalMetricSource = Type.Object(
  {
    metric: MetricIdentifier,
    target: target("The target: value or averageValue.", exactlyOne("value", "averageValue")),
  },
  {
    ...closed,
    title: "ExternalMetricSource",
    description: "A metric from outside the cluster: a queue, CloudWatch, a MetricSource, or external.metrics.k8s.io.",
  },
);
export type ExternalMetricSource = TypeOf<typeof ExternalMetricSource>;

const sourceOfType: Readonly<Record<string, string>> = {
  ContainerResource: "containerResource",
  External: "external",
  Object: "object",
  Pods: "pods",
  Resource: "resource",
};

/** Forbids the members of other types. */
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

/** `type` is a string: the table holds what a user wrote. */
export const MetricSpec = Type.Object(
  {
    type: oneOf("The kind of metric. The field of that name holds the rest.", Object.keys(sourceOfType)),
    object: Type.Optional(ObjectMetricSource),
    pods: Type.Optional(PodsMetricSource),
    resource: Type.Optional(ResourceMetricSource),
    containerResource: Type.Optional(ContainerResourceMetricSource),
    external: Type.Optional(ExternalMetricSource),
  },
  { ...closed, title: "MetricSpec", description: "One metric and its target.", allOf: membersByType },
);
export type MetricSpec = TypeOf<typeof MetricSpec>;
