import { Type } from "typebox";
import { closed, wholeNumber } from "./fields";
import { Behavior } from "./hpa-behavior";
import { MetricSpec, ScaleTargetReference } from "./hpa-metrics";
import { HpaStatus } from "./hpa-status";
import { ObjectMeta } from "./metadata";

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
