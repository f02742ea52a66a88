import { Type } from "typebox";
import { CrossVersionObjectReference, MetricIdentifier } from "./hpa-metrics";
import { Condition } from "./metadata";

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
