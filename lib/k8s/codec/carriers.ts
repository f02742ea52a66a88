import type { HpaSpec, HpaStatus } from "../hpa";
import type { ObjectMeta } from "../objects";
import type { FieldError } from "../validate/field-error";
import { decodeV1Metric, decodeV1MetricStatus } from "./v1-metric";
import { decodeConditions } from "./decode-meta";
import { decodeBehavior } from "./decode-v2";
import { type Decoder, list, omitEmpty } from "./decoder";
import { scanJson } from "./scan-json";

const PREFIX = "autoscaling.alpha.kubernetes.io";

/** Holds what an older version has no field for. */
export function carrier(name: Carrier): string {
  return `${PREFIX}/${name}`;
}

export type Carrier = "metrics" | "current-metrics" | "conditions" | "behavior";

type Annotations = Readonly<Record<string, string>>;

const reserved = new Set(
  ["metrics", "current-metrics", "conditions", "behavior", "scale-down-tolerance", "scale-up-tolerance"].map(
    (name) => `${PREFIX}/${name}`,
  ),
);

/**
 * Removes the six that upstream keeps to itself: DropRoundTripHorizontalPodAutoscalerAnnotations,
 * pkg/apis/autoscaling/helpers.go.
 */
export function withoutCarriers(annotations: Annotations | undefined): Annotations | undefined {
  const kept = Object.entries(annotations ?? {}).filter(([key]) => !reserved.has(key));
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

const decodeMetrics = list(decodeV1Metric);
const decodeRules = omitEmpty(decodeBehavior);
const decodeCurrentMetrics = list(decodeV1MetricStatus);

interface Parts {
  readonly spec: HpaSpec;
  readonly status: HpaStatus | undefined;
}

/**
 * Annotated metrics come before those from fields; other annotations replace their fields. As upstream, ignores what it
 * cannot read.
 */
export function readCarriers(
  { spec, status }: Parts,
  { annotations = {} }: ObjectMeta,
  names: readonly Carrier[],
): Parts {
  const read = <T>(name: Carrier, decode: Decoder<T>) =>
    names.includes(name) ? readCarrier(annotations[carrier(name)], decode) : undefined;
  const metrics = read("metrics", decodeMetrics);
  const rules = read("behavior", decodeRules);
  const currentMetrics = read("current-metrics", decodeCurrentMetrics);
  const conditions = read("conditions", decodeConditions);
  const carried = { ...(currentMetrics && { currentMetrics }), ...(conditions?.length && { conditions }) };
  return {
    spec: {
      ...spec,
      ...(metrics && { metrics: [...metrics, ...(spec.metrics ?? [])] }),
      ...(rules && { behavior: rules }),
    },
    status: status === undefined && Object.keys(carried).length === 0 ? undefined : { ...status, ...carried },
  };
}

function readCarrier<T>(text: string | undefined, decode: Decoder<T>): T | undefined {
  if (text === undefined) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
  const problems: FieldError[] = [];
  const decoded = decode(value, { path: "", problems, names: "folded", numbers: scanJson(text).numbers });
  return problems.length > 0 ? undefined : decoded;
}
