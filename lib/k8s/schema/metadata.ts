import { Type } from "typebox";
import { dnsLabel, dnsSubdomain, filledText, textMap, type TypeOf } from "./fields";

/** meta/v1. */

const source = "https://kubernetes.io/docs/reference/kubernetes-api/common-definitions";

export const ObjectMeta = Type.Object(
  {
    name: dnsSubdomain("The HPA's name, unique in its namespace."),
    generateName: Type.Optional(Type.String({ description: "The prefix of a name that an API server generates." })),
    namespace: Type.Optional(
      dnsLabel('The namespace of the HPA and its target. Default "default".', { orEmpty: true }),
    ),
    uid: Type.Optional(
      Type.String({ description: "Identifies this object among all that ever had its name; set on creation." }),
    ),
    resourceVersion: Type.Optional(Type.String({ description: "The API server's own; ebb does not read it." })),
    generation: Type.Optional(Type.Integer({ description: "Grows by one with each change of the spec; set by ebb." })),
    creationTimestamp: Type.Optional(
      Type.String({ description: "When the object was created (RFC 3339); set on creation." }),
    ),
    deletionTimestamp: Type.Optional(Type.String({ description: "The API server's own." })),
    labels: Type.Optional(textMap("The labels that selectors (ebb get -l) match.")),
    annotations: Type.Optional(
      textMap(
        "Your own, and ebb's: ebb.dev/cluster (the cluster it belongs to), ebb.dev/paused, ebb.dev/paused-until, ebb.dev/dry-run.",
      ),
    ),
  },
  { title: "ObjectMeta", description: `Name, labels and annotations. Source: ${source}/object-meta/` },
);
export type ObjectMeta = TypeOf<typeof ObjectMeta>;

export const LabelSelectorRequirement = Type.Object(
  {
    key: Type.String({ description: "The label's name." }),
    operator: Type.String({
      description:
        "How the label's value relates to values. Creating an HPA with any other operator works; reading its metric fails.",
      examples: ["In", "NotIn", "Exists", "DoesNotExist"],
    }),
    values: Type.Optional(
      Type.Array(Type.String(), { description: "At least one for In and NotIn; none for Exists and DoesNotExist." }),
    ),
  },
  { title: "LabelSelectorRequirement", additionalProperties: false },
);
export type LabelSelectorRequirement = TypeOf<typeof LabelSelectorRequirement>;

export const LabelSelector = Type.Object(
  {
    matchLabels: Type.Optional(
      textMap(
        "Labels and the values that they must have. For sqs, cloudwatch and metric sources, these are parameters.",
      ),
    ),
    matchExpressions: Type.Optional(
      Type.Array(LabelSelectorRequirement, { description: "Further requirements, which must all hold, too." }),
    ),
  },
  {
    title: "LabelSelector",
    additionalProperties: false,
    description: `Which series of the metric to read. Source: ${source}/label-selector/`,
  },
);
/** Absent selects everything, as in upstream's metrics clients. */
export type LabelSelector = TypeOf<typeof LabelSelector>;

export const Condition = Type.Object({
  type: Type.String({ description: "ScalingActive, AbleToScale or ScalingLimited." }),
  status: Type.Enum(["True", "False", "Unknown"], { description: "Whether the condition holds." }),
  reason: Type.Optional(Type.String({ description: "Why, in one word." })),
  message: Type.Optional(Type.String({ description: "Why, for people." })),
  lastTransitionTime: Type.Optional(Type.String({ description: "When status last changed (RFC 3339)." })),
  observedGeneration: Type.Optional(
    Type.Integer({ description: "The metadata.generation that the condition is about. No controller sets it." }),
  ),
});
/** `lastTransitionTime` is RFC 3339. */
export type Condition = TypeOf<typeof Condition>;

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
    { title: "ObjectMeta", description: "Name, labels and annotations.", additionalProperties: false },
  );
