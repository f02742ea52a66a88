import { Type } from "typebox";
import { closed, type TypeOf, wholeNumber } from "./fields";
import { Behavior } from "./hpa-behavior";
import { CrossVersionObjectReference, MetricIdentifier, MetricSpec, ScaleTargetReference } from "./hpa-metrics";
import { Condition, ObjectMeta } from "./metadata";

const current = Type.Object(
  {
    value: Type.Optional(Type.String({ description: "The total." })),
    averageValue: Type.Optional(Type.String({ description: "The average per pod." })),
    averageUtilization: Type.Optional(
      Type.Integer({ description: "The average, in percent of what the pods request." }),
    ),
  },
  { title: "MetricValueStatus", description: "The value that was read." },
);
export type MetricValueStatus = TypeOf<typeof current>;

const forType = { description: "The value that was read, for a metric of this type." };

/** `type` is empty for an unreadable metric, so that indexes stay those of spec.metrics. */
export const MetricStatus = Type.Object(
  {
    type: Type.String({ description: "The type, as in spec.metrics; empty if the metric could not be read." }),
    object: Type.Optional(
      Type.Object({ metric: MetricIdentifier, current, describedObject: CrossVersionObjectReference }, forType),
    ),
    pods: Type.Optional(Type.Object({ metric: MetricIdentifier, current }, forType)),
    resource: Type.Optional(
      Type.Object({ name: Type.String({ description: "The resource: cpu or memory." }), current }, forType),
    ),
    containerResource: Type.Optional(
      Type.Object(
        {
          name: Type.String({ description: "The resource: cpu or memory." }),
          container: Type.String({ description: "The container's name." }),
          current,
        },
        forType,
      ),
    ),
    external: Type.Optional(Type.Object({ metric: MetricIdentifier, current }, forType)),
  },
  { title: "MetricStatus" },
);
export type MetricStatus = TypeOf<typeof MetricStatus>;

export const HpaStatus = Type.Object(
  {
    observedGeneration: Type.Optional(Type.Integer({ description: "The metadata.generation of the last sync." })),
    lastScaleTime: Type.Optional(Type.String({ description: "When the HPA last scaled (RFC 3339)." })),
    currentReplicas: Type.Optional(Type.Integer({ description: "The size that the last sync saw." })),
    desiredReplicas: Type.Optional(Type.Integer({ description: "The size that the last sync decided." })),
    currentMetrics: Type.Optional(
      Type.Union([Type.Array(MetricStatus), Type.Null()], {
        description: "The values that were read, in the order of spec.metrics.",
      }),
    ),
    conditions: Type.Optional(Type.Array(Condition, { description: "Whether the HPA can scale, and if not, why." })),
  },
  {
    title: "HorizontalPodAutoscalerStatus",
    description:
      "The status from another controller. With it, ebb may wake a workload that the HPA scaled to zero there. ebb's own status is in the STATE# item.",
  },
);
export type HpaStatus = TypeOf<typeof HpaStatus>;

const int32Max = 2 ** 31 - 1;

export const HpaSpec = Type.Object(
  {
    scaleTargetRef: ScaleTargetReference,
    minReplicas: Type.Optional(
      wholeNumber("The smallest size. 0 needs an Object or External metric. Default 1.", [0, int32Max], {
        default: 1,
        errorMessage: "a whole number, 0 or more",
      }),
    ),
    maxReplicas: wholeNumber("The largest size, at least minReplicas.", [1, int32Max], {
      errorMessage: "a whole number, 1 or more",
    }),
    metrics: Type.Optional(
      Type.Array(MetricSpec, {
        description:
          "The metrics to scale on. The largest size that any of them asks for wins. Default: cpu, 80 percent on average.",
      }),
    ),
    behavior: Type.Optional(Behavior),
    syncPeriodSeconds: Type.Optional(
      wholeNumber(
        "How often the HPA is synced, in seconds (KEP-6003). Default: the cluster's sync period. The annotation ebb.dev/sync-period says the same where an API server does not know the field.",
        [1, 3600],
      ),
    ),
  },
  {
    ...closed,
    title: "HorizontalPodAutoscalerSpec",
    description: "What to scale, between which sizes, and on which metrics.",
    if: { required: ["minReplicas"], properties: { minReplicas: { const: 0 } } },
    then: {
      required: ["metrics"],
      properties: {
        metrics: { contains: { required: ["type"], properties: { type: { enum: ["Object", "External"] } } } },
      },
    },
  },
);
export type HpaSpec = TypeOf<typeof HpaSpec>;

/** Source: https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/horizontal-pod-autoscaler-v2/ */
export const HorizontalPodAutoscaler = Type.Object(
  {
    apiVersion: Type.String({ description: "autoscaling/v2 or an older version." }),
    kind: Type.String({ description: "The kind of this document." }),
    metadata: ObjectMeta,
    spec: HpaSpec,
    status: Type.Optional(HpaStatus),
  },
  {
    ...closed,
    title: "HorizontalPodAutoscaler",
    description:
      "Scales one workload. Source: https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/horizontal-pod-autoscaler-v2/",
  },
);
export type HorizontalPodAutoscaler = TypeOf<typeof HorizontalPodAutoscaler>;
