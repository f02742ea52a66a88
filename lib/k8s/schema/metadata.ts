import { Type } from "typebox";
import { dnsLabel, dnsSubdomain, filledText, textMap } from "./fields";

/** The parts of the Kubernetes object model that every kind shares (meta/v1), in the form in which the API serves them. */

const source = "https://kubernetes.io/docs/reference/kubernetes-api/common-definitions";

export const ObjectMeta = Type.Object(
  {
    name: dnsSubdomain("Its name, unique in the namespace."),
    generateName: Type.Optional(Type.String({ description: "A prefix of names that an API server would generate." })),
    namespace: Type.Optional(dnsLabel('Where the HPA and its target are. Default "default".', { orEmpty: true })),
    uid: Type.Optional(Type.String({ description: "Of this object and no namesake; set on creation." })),
    resourceVersion: Type.Optional(Type.String({ description: "The API server's own; not read." })),
    generation: Type.Optional(Type.Integer({ description: "Grows by one when the spec changes; set by ebb." })),
    creationTimestamp: Type.Optional(Type.String({ description: "RFC 3339; set on creation." })),
    deletionTimestamp: Type.Optional(Type.String({ description: "The API server's own." })),
    labels: Type.Optional(textMap("What selectors (ebb get -l) find it by.")),
    annotations: Type.Optional(
      textMap(
        "Free, but for ebb.dev/…: ebb.dev/cluster (the cluster it belongs to), ebb.dev/paused, ebb.dev/paused-until, ebb.dev/dry-run.",
      ),
    ),
  },
  { title: "ObjectMeta", description: `Name and labels. Source: ${source}/object-meta/` },
);

export const LabelSelectorRequirement = Type.Object(
  {
    key: Type.String({ description: "The label." }),
    operator: Type.String({
      description: "How the label's value relates to values. Any other is taken on creation and fails when it is read.",
      examples: ["In", "NotIn", "Exists", "DoesNotExist"],
    }),
    values: Type.Optional(
      Type.Array(Type.String(), { description: "For In and NotIn: at least one; for Exists and DoesNotExist: none." }),
    ),
  },
  { title: "LabelSelectorRequirement", additionalProperties: false },
);

/** A structured selector. Absent selects everything, as upstream's metrics clients read it. */
export const LabelSelector = Type.Object(
  {
    matchLabels: Type.Optional(
      textMap("Labels and the values that they must have. For sqs, cloudwatch and metric sources: parameters."),
    ),
    matchExpressions: Type.Optional(
      Type.Array(LabelSelectorRequirement, { description: "All of these must hold, too." }),
    ),
  },
  {
    title: "LabelSelector",
    additionalProperties: false,
    description: `Which series of the metric. Source: ${source}/label-selector/`,
  },
);

/** autoscaling/v2 HorizontalPodAutoscalerCondition. */
export const Condition = Type.Object({
  type: Type.String({ description: "ScalingActive, AbleToScale or ScalingLimited." }),
  status: Type.Enum(["True", "False", "Unknown"], { description: "Whether it holds." }),
  reason: Type.Optional(Type.String({ description: "One word of why." })),
  message: Type.Optional(Type.String({ description: "Why, for people." })),
  lastTransitionTime: Type.Optional(Type.String({ description: "RFC 3339: when status last changed." })),
});

/** Metadata of the kinds that are ebb's own: without a namespace. */
export const EntryMeta = (name: string) =>
  Type.Object(
    {
      name: filledText(name, { pattern: "^[^#]*[^#\\s][^#]*$", errorMessage: 'a name without "#"' }),
      uid: ObjectMeta.properties.uid,
      generation: ObjectMeta.properties.generation,
      creationTimestamp: ObjectMeta.properties.creationTimestamp,
      labels: ObjectMeta.properties.labels,
      annotations: ObjectMeta.properties.annotations,
    },
    { title: "ObjectMeta", description: "Name and labels.", additionalProperties: false },
  );
