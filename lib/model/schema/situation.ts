import { type Static, type TSchema, Type } from "typebox";
import type { HorizontalPodAutoscaler } from "../../k8s/hpa";
import type * as objects from "../../k8s/objects";
import * as situation from "../situation";
import { mapOf, onlyTrue, text } from "./item-fields";
import { MetricRules } from "./metric-rules";

/** Only the shape: the decision accepts what the API server sends. */

const int32 = Type.Integer({ minimum: -(2 ** 31), maximum: 2 ** 31 - 1, errorMessage: "a 32-bit integer" });
const name = Type.String({ minLength: 1, errorMessage: "a name" });
const notNegative = Type.Number({ minimum: 0, errorMessage: "a number, 0 or more" });
const instant = Type.String({ format: "instant", errorMessage: "an RFC 3339 time" });
const duration = Type.String({ format: "duration", errorMessage: "a duration" });
const quantity = Type.Unsafe<string | number>({
  type: ["string", "number"],
  format: "quantity",
  errorMessage: "a quantity",
});

const optional = <S extends TSchema>(schema: S) => Type.Optional(schema);

const Reference = Type.Object({ kind: text, name: text, apiVersion: optional(text) });

const target = Type.Object({
  type: optional(text),
  value: optional(quantity),
  averageValue: optional(quantity),
  averageUtilization: optional(int32),
});

const metric = Type.Object({
  name: text,
  selector: optional(
    Type.Object({
      matchLabels: optional(mapOf(text)),
      matchExpressions: optional(
        Type.Array(Type.Object({ key: text, operator: text, values: optional(Type.Array(text)) })),
      ),
    }),
  ),
});

/** With any other type, the metric is invalid. */
const membersByType = Object.entries({
  Resource: { resource: Type.Object({ name, target }) },
  ContainerResource: { containerResource: Type.Object({ name, container: name, target }) },
  Pods: { pods: Type.Object({ metric, target }) },
  Object: { object: Type.Object({ metric, target, describedObject: Reference }) },
  External: { external: Type.Object({ metric, target }) },
}).map(([type, member]) => ({
  if: { required: ["type"], properties: { type: { const: type } } },
  then: { required: Object.keys(member), properties: member },
}));

const ScalingRules = Type.Object({
  stabilizationWindowSeconds: optional(int32),
  selectPolicy: optional(text),
  tolerance: optional(quantity),
  policies: optional(Type.Array(Type.Object({ type: text, value: int32, periodSeconds: int32 }))),
});

const Condition = Type.Object({ type: text, status: text });

const hpa = Type.Unsafe<HorizontalPodAutoscaler>(
  Type.Object({
    metadata: Type.Object({ name, namespace: optional(text), generation: optional(Type.Integer()) }),
    spec: Type.Object({
      scaleTargetRef: Reference,
      minReplicas: optional(int32),
      maxReplicas: int32,
      metrics: optional(Type.Array(Type.Object({ type: text }, { allOf: membersByType }))),
      behavior: optional(Type.Object({ scaleUp: optional(ScalingRules), scaleDown: optional(ScalingRules) })),
    }),
    status: optional(
      Type.Object({
        lastScaleTime: optional(instant),
        currentReplicas: optional(int32),
        desiredReplicas: optional(int32),
        currentMetrics: optional(Type.Array(Type.Object({}))),
        conditions: optional(Type.Array(Condition)),
      }),
    ),
  }),
);

const scale = Type.Unsafe<situation.Situation["scale"]>(
  Type.Object(
    {
      error: optional(text),
      spec: optional(Type.Object({ replicas: optional(int32) })),
      status: optional(Type.Object({ replicas: int32, selector: optional(text) })),
    },
    { anyOf: [{ required: ["status"] }, { required: ["error"] }], errorMessage: "a scale with a status, or an error" },
  ),
);

const Resources = Type.Object({ requests: optional(mapOf(quantity)) });
const Container = Type.Object({ name, restartPolicy: optional(text), resources: optional(Resources) });

const pod = Type.Unsafe<objects.Pod>(
  Type.Object({
    metadata: Type.Object({ name, labels: optional(mapOf(text)), deletionTimestamp: optional(instant) }),
    spec: optional(
      Type.Object({
        containers: optional(Type.Array(Container)),
        initContainers: optional(Type.Array(Container)),
        resources: optional(Resources),
        overhead: optional(mapOf(quantity)),
      }),
    ),
    status: optional(
      Type.Object({
        phase: optional(text),
        startTime: optional(instant),
        conditions: optional(
          Type.Array(Type.Object({ type: text, status: text, lastTransitionTime: optional(instant) })),
        ),
      }),
    ),
  }),
);

const responseOf = (item: TSchema) =>
  Type.Unsafe<objects.MetricResponse>(
    Type.Object(
      {
        ...{ error: optional(text), from: optional(text), items: optional(Type.Array(item)) },
        ...{ certain: optional(quantity), atLeast: optional(quantity) },
      },
      { anyOf: [{ required: ["items"] }, { required: ["error"] }], errorMessage: "items or an error" },
    ),
  );

export const PodMetricsResponse = responseOf(
  Type.Object({
    metadata: Type.Object({ name }),
    timestamp: instant,
    window: duration,
    containers: optional(Type.Array(Type.Object({ name, usage: optional(mapOf(quantity)) }))),
  }),
);

export const MetricValueResponse = responseOf(
  Type.Object({
    describedObject: Type.Object({ name: text }),
    timestamp: instant,
    windowSeconds: optional(notNegative),
    value: quantity,
  }),
);

export const ExternalValueResponse = responseOf(Type.Object({ value: quantity }));

export const AnyResponse = responseOf(Type.Object({}));

const ScaleEvent = Type.Object({ change: int32, at: instant, foundAt: optional(instant) });

const History = Type.Object({
  recommendations: optional(Type.Array(Type.Object({ replicas: int32, at: instant, since: optional(instant) }))),
  scaleUpEvents: optional(Type.Array(ScaleEvent)),
  scaleDownEvents: optional(Type.Array(ScaleEvent)),
});

/** MetricMemory, with times as text. */
const Memory = Type.Array(
  Type.Object({
    readings: optional(Type.Object({ empty: Type.Boolean(), slots: int32, slot: instant })),
    failing: optional(Type.Object({ since: instant, fallback: optional(onlyTrue) })),
  }),
);

/** Activity, with times as text. */
const Activity = Type.Object({
  lastWork: optional(instant),
  working: optional(onlyTrue),
  unobserved: optional(onlyTrue),
});

const Busy = Type.Unsafe<situation.BusyPods>(
  Type.Object(
    {
      error: optional(text),
      busy: optional(notNegative),
      unknown: optional(notNegative),
      idle: optional(notNegative),
      notReady: optional(notNegative),
      replicaSets: optional(notNegative),
      problem: optional(text),
    },
    {
      anyOf: [{ required: ["busy", "unknown", "idle", "notReady", "replicaSets"] }, { required: ["error"] }],
      errorMessage: "counts busy, unknown, idle, notReady and replicaSets, or an error",
    },
  ),
);

const constant = {
  hpa,
  options: optional(Type.Partial(situation.Options)),
  rules: optional(Type.Array(MetricRules)),
  otherHpas: optional(Type.Array(Type.Object({ namespace: name, name, selector: text }))),
};

/** The type of each of `metrics` depends on the defaulted spec, so the reader checks it. */
const observed = {
  now: instant,
  scale,
  pods: optional(Type.Array(pod)),
  metrics: optional(Type.Array(Type.Unsafe<objects.MetricResponse>(Type.Unknown()))),
  slot: optional(Type.Object({ start: instant, periodSeconds: int32 })),
  busy: optional(Busy),
  costsSeenAt: optional(instant),
};
const Observed = Type.Object(observed);

export const SituationInput = Type.Object({
  ...constant,
  history: optional(History),
  memory: optional(Memory),
  activity: optional(Activity),
  sparedSince: optional(instant),
  ...observed,
});
export const StoryInput = Type.Object({ ...constant, steps: Type.Array(Observed) });

export type ObservedInput = Static<typeof Observed>;
export type HistoryInput = Static<typeof History>;
export type MemoryInput = Static<typeof Memory>;
export type ActivityInput = Static<typeof Activity>;
export type SituationInput = Static<typeof SituationInput>;
export type StoryInput = Static<typeof StoryInput>;
