import { Type } from "typebox";
import { closed, wholeNumber } from "./fields";
import { Behavior } from "./hpa-behavior";
import { CrossVersionObjectReference, MetricIdentifier, MetricSpec, ScaleTargetReference } from "./hpa-metrics";
import { Condition, ObjectMeta } from "./metadata";

const current = Type.Object(
  {
    value: Type.Optional(Type.String({ description: "The whole." })),
    averageValue: Type.Optional(Type.String({ description: "For each pod, on average." })),
    averageUtilization: Type.Optional(Type.Integer({ description: "Percent of what the pods request." })),
  },
  { title: "MetricValueStatus", description: "What was read." },
);
export const MetricValueStatus = current;

const forType = { description: "What was read, for a metric of this type." };

/** `type` is empty in the slot of a metric that could not be read, so that indexes stay those of spec.metrics. */
export const MetricStatus = Type.Object(
  {
    type: Type.String({ description: "As in spec.metrics; empty where the metric could not be read." }),
    object: Type.Optional(
      Type.Object({ metric: MetricIdentifier, current, describedObject: CrossVersionObjectReference }, forType),
    ),
    pods: Type.Optional(Type.Object({ metric: MetricIdentifier, current }, forType)),
    resource: Type.Optional(Type.Object({ name: Type.String({ description: "cpu or memory." }), current }, forType)),
    containerResource: Type.Optional(
      Type.Object(
        {
          name: Type.String({ description: "cpu or memory." }),
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

export const HpaStatus = Type.Object(
  {
    observedGeneration: Type.Optional(Type.Integer({ description: "The metadata.generation that was last synced." })),
    lastScaleTime: Type.Optional(Type.String({ description: "RFC 3339: when it last scaled." })),
    currentReplicas: Type.Optional(Type.Integer({ description: "As last seen." })),
    desiredReplicas: Type.Optional(Type.Integer({ description: "The last decision." })),
    currentMetrics: Type.Optional(
      Type.Union([Type.Array(MetricStatus), Type.Null()], {
        description: "What was read, in the order of spec.metrics.",
      }),
    ),
    conditions: Type.Optional(Type.Array(Condition, { description: "Whether it can scale, and if not, why." })),
  },
  {
    title: "HorizontalPodAutoscalerStatus",
    description:
      "What a controller left. A document may bring it along: a zero that was scaled to stays owned. ebb's own status is in the STATE# item.",
  },
);

const int32Max = 2 ** 31 - 1;

export const HpaSpec = Type.Object(
  {
    scaleTargetRef: ScaleTargetReference,
    minReplicas: Type.Optional(
      wholeNumber("Never fewer. 0 needs an Object or External metric. Default 1.", [0, int32Max], {
        default: 1,
        errorMessage: "a whole number, 0 or more",
      }),
    ),
    maxReplicas: wholeNumber("Never more; at least minReplicas.", [1, int32Max], {
      errorMessage: "a whole number, 1 or more",
    }),
    metrics: Type.Optional(
      Type.Array(MetricSpec, {
        description: "The largest size that any of them asks for wins. Default: cpu, 80 percent on average.",
      }),
    ),
    behavior: Type.Optional(Behavior),
  },
  {
    ...closed,
    title: "HorizontalPodAutoscalerSpec",
    description: "What is scaled, between which sizes, on what.",
    if: { required: ["minReplicas"], properties: { minReplicas: { const: 0 } } },
    then: {
      required: ["metrics"],
      properties: {
        metrics: { contains: { required: ["type"], properties: { type: { enum: ["Object", "External"] } } } },
      },
    },
  },
);

/**
 * autoscaling/v2 HorizontalPodAutoscaler, exactly as `kubectl get hpa -o json` prints it.
 * Source: https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/horizontal-pod-autoscaler-v2/
 */
export const HorizontalPodAutoscaler = Type.Object(
  {
    apiVersion: Type.String({ description: "autoscaling/v2, or one of the older versions." }),
    kind: Type.String({ description: "What this document is." }),
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
