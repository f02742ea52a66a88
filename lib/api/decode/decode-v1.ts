import type { HorizontalPodAutoscaler, HpaSpec, MetricSpec } from "../hpa";
import type { Condition, ObjectMeta } from "../meta";
import { decodeConditions } from "./decode-meta";
import { behavior, reference } from "./decode-spec";
import { type Decoder, int32, int64, isRecord, list, object, optional, optionalString } from "./decoder";
import { v1Metric } from "./decode-v1-metric";

const PREFIX = "autoscaling.alpha.kubernetes.io";

/** What v1 has no field for. Upstream keeps these six to itself: they are never served. */
const carriers = ["metrics", "current-metrics", "conditions", "behavior", "scale-down-tolerance", "scale-up-tolerance"];

interface V1Spec {
  readonly scaleTargetRef: HpaSpec["scaleTargetRef"];
  readonly minReplicas?: number;
  readonly maxReplicas: number;
  readonly targetCPUUtilizationPercentage?: number;
}

/** autoscaling/v1 HorizontalPodAutoscalerSpec. */
export const decodeV1Spec = object<V1Spec>({
  scaleTargetRef: reference,
  minReplicas: optional(int32),
  maxReplicas: int32,
  targetCPUUtilizationPercentage: optional(int32),
});

interface V1Status {
  readonly observedGeneration?: number;
  readonly lastScaleTime?: string;
  readonly currentReplicas?: number;
  readonly desiredReplicas?: number;
}

/** autoscaling/v1 HorizontalPodAutoscalerStatus; its current metrics are what the next sync reads anew. */
export const decodeV1Status = object<V1Status>(
  {
    observedGeneration: optional(int64),
    lastScaleTime: optionalString,
    currentReplicas: optional(int32),
    desiredReplicas: optional(int32),
  },
  "ignored",
);

/**
 * A v1 autoscaler as v2: metrics from the annotation first, the CPU target last.
 * Upstream: Convert_v1_HorizontalPodAutoscaler_To_autoscaling_HorizontalPodAutoscaler, pkg/apis/autoscaling/v1/conversion.go.
 */
export function convertV1(
  metadata: ObjectMeta,
  spec: V1Spec,
  status: V1Status | undefined,
): Pick<HorizontalPodAutoscaler, "metadata" | "spec" | "status"> {
  const annotations = metadata.annotations ?? {};
  const { targetCPUUtilizationPercentage, ...rest } = spec;
  const annotated = readAnnotation<readonly MetricSpec[]>(annotations, "metrics", list(v1Metric)) ?? [];
  const rules = readAnnotation(annotations, "behavior", behavior("ignored"));
  const conditions = readAnnotation<readonly Condition[]>(annotations, "conditions", decodeConditions);
  return {
    metadata: withoutCarriers(metadata),
    spec: {
      ...rest,
      metrics: [
        ...annotated,
        ...(targetCPUUtilizationPercentage === undefined ? [] : [cpuUtilization(targetCPUUtilizationPercentage)]),
      ],
      ...(rules === undefined || Object.keys(rules).length === 0 ? {} : { behavior: rules }),
    },
    ...(status === undefined ? {} : { status: { ...status, ...(conditions === undefined ? {} : { conditions }) } }),
  };
}

function cpuUtilization(averageUtilization: number): MetricSpec {
  return { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization } } };
}

/** undefined: absent, or not readable as what it should be, which upstream ignores too. */
function readAnnotation<T>(
  annotations: Readonly<Record<string, string>>,
  name: string,
  decode: Decoder<T>,
): T | undefined {
  const key = `${PREFIX}/${name}`;
  const text = Object.hasOwn(annotations, key) ? annotations[key] : undefined;
  if (text === undefined) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
  const problems: string[] = [];
  const decoded = decode(lowerFirst(value, 0), { path: "", problems });
  return problems.length > 0 ? undefined : decoded;
}

/** No v1 metric or behavior nests as deep; below, there is nothing to decode. */
const DEEPEST = 10;

/** The behavior annotation has Go's own field names ("ScaleUp"). */
function lowerFirst(value: unknown, depth: number): unknown {
  if (depth > DEEPEST) return null;
  if (Array.isArray(value)) return value.map((item) => lowerFirst(item, depth + 1));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key.charAt(0).toLowerCase() + key.slice(1),
      key === "matchLabels" ? item : lowerFirst(item, depth + 1),
    ]),
  );
}

function withoutCarriers({ annotations, ...metadata }: ObjectMeta): ObjectMeta {
  const names = new Set(carriers.map((carrier) => `${PREFIX}/${carrier}`));
  const kept = Object.entries(annotations ?? {}).filter(([key]) => !names.has(key));
  return kept.length === 0 ? metadata : { ...metadata, annotations: Object.fromEntries(kept) };
}
