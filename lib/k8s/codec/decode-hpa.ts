import { goQuote } from "../go-text";
import type { HorizontalPodAutoscaler, HpaSpec, HpaStatus, MetricSpec, MetricStatus } from "../hpa";
import type { ObjectMeta } from "../objects";
import { type FieldError, required, unsupported } from "../validate/field-error";
import { type Carrier, readCarriers, withoutCarriers } from "./carriers";
import { decodeSpec, decodeStatus, decodeV2beta2Spec, bounds, reference, statusFields, syncPeriod } from "./decode-v2";
import { decodeMeta } from "./decode-meta";
import {
  type Decoder,
  type DecodeContext,
  type Names,
  child,
  optional,
  int32,
  int64,
  list,
  object,
  time,
} from "./decoder";
import { decodeV1Metric, decodeV1MetricStatus } from "./v1-metric";

const decodeV1Spec: Decoder<HpaSpec> = (value, context) => {
  const { targetCPUUtilizationPercentage: averageUtilization, ...rest } = v1SpecFields(value, context);
  const cpu: readonly MetricSpec[] =
    averageUtilization === undefined
      ? []
      : [{ type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization } } }];
  return { ...rest, metrics: cpu };
};

const decodeV1Status: Decoder<HpaStatus> = (value, context) => {
  const { currentCPUUtilizationPercentage: averageUtilization, ...rest } = v1StatusFields(value, context);
  if (averageUtilization === undefined) return rest;
  const cpu: MetricStatus = { type: "Resource", resource: { name: "cpu", current: { averageUtilization } } };
  return { ...rest, currentMetrics: [cpu] };
};

/** Also v2alpha1. Upstream: pkg/apis/autoscaling/v2beta1/conversion.go, until Kubernetes 1.25. */

const decodeV2beta1Spec = object<Omit<HpaSpec, "behavior" | "syncPeriodSeconds">>({
  ...bounds,
  metrics: list(decodeV1Metric),
});

const decodeV2beta1Status = object<HpaStatus>({ ...statusFields, currentMetrics: list(decodeV1MetricStatus) });

export const KIND = "HorizontalPodAutoscaler";

/** All that Kubernetes releases have served; alpha and beta until 1.25. */
const apiVersions = [
  "autoscaling/v1",
  "autoscaling/v2",
  "autoscaling/v2alpha1",
  "autoscaling/v2beta1",
  "autoscaling/v2beta2",
] as const;

type ApiVersion = (typeof apiVersions)[number];

/** With `assumeKind`, apiVersion and kind may be absent, but not wrong. */
export function readApiVersion(
  { apiVersion, kind }: { readonly apiVersion?: unknown; readonly kind?: unknown },
  assumeKind: boolean,
): { readonly version: ApiVersion } | { readonly error: FieldError } {
  if (!(assumeKind && kind === undefined) && kind !== KIND) {
    return { error: typeof kind === "string" ? unsupported("kind", kind, [KIND]) : missing("kind", KIND, kind) };
  }
  if (assumeKind && apiVersion === undefined) return { version: "autoscaling/v2" };
  if (typeof apiVersion !== "string") return { error: missing("apiVersion", "autoscaling/v2", apiVersion) };
  const version = apiVersions.find((known) => known === apiVersion);
  return version === undefined ? { error: unsupported("apiVersion", apiVersion, apiVersions) } : { version };
}

function missing(field: string, expected: string, came: unknown): FieldError {
  if (came === undefined || came === null) return required(field, `must be ${expected}`);
  return { path: field, text: `${field}: Invalid value: expected ${goQuote(expected)}, a string` };
}

/** `carried`: the annotations for what the version has no fields for. */
interface Form {
  readonly spec: Decoder<HpaSpec>;
  readonly status: Decoder<HpaStatus>;
  readonly carried: readonly Carrier[];
}

const v2beta1: Form = { spec: decodeV2beta1Spec, status: decodeV2beta1Status, carried: ["behavior"] };

const forms: Readonly<Record<ApiVersion, Form>> = {
  "autoscaling/v1": {
    spec: decodeV1Spec,
    status: decodeV1Status,
    carried: ["metrics", "behavior", "current-metrics", "conditions"],
  },
  "autoscaling/v2": { spec: decodeSpec, status: decodeStatus, carried: [] },
  "autoscaling/v2alpha1": v2beta1,
  "autoscaling/v2beta1": v2beta1,
  "autoscaling/v2beta2": { spec: decodeV2beta2Spec, status: decodeStatus, carried: [] },
};

interface Reading extends Pick<DecodeContext, "numbers"> {
  readonly problems: FieldError[];
  readonly statusNames: Names;
  /** For all other fields; default: exact. */
  readonly names?: Names;
}

/** Neither defaulted nor validated. */
export function decodeHpa(
  document: Readonly<Record<string, unknown>>,
  version: ApiVersion,
  { statusNames, names = "exact", ...reading }: Reading,
): HorizontalPodAutoscaler {
  const form = forms[version];
  const context: DecodeContext = { path: "", names, ...reading };
  const metadata = decodeMeta(document["metadata"], child(context, "metadata"));
  const fields = {
    spec: form.spec(document["spec"], child(context, "spec")),
    status: optional(form.status)(document["status"], { ...child(context, "status"), names: statusNames }),
  };
  const { spec, status } = readCarriers(fields, metadata, form.carried);
  return {
    apiVersion: "autoscaling/v2",
    kind: KIND,
    metadata: stripped(metadata),
    spec,
    ...(status === undefined ? {} : { status }),
  };
}

/** Defaults do not reach a behavior in an annotation. */
export function carriesBehavior(version: ApiVersion): boolean {
  return forms[version].carried.includes("behavior");
}

function stripped({ annotations, ...metadata }: ObjectMeta): ObjectMeta {
  const kept = withoutCarriers(annotations);
  return kept === undefined ? metadata : { ...metadata, annotations: kept };
}

/** A CPU target is v1's only field for metrics. Upstream: pkg/apis/autoscaling/v1/conversion.go. */

interface V1Spec {
  readonly scaleTargetRef: HpaSpec["scaleTargetRef"];
  readonly minReplicas?: number;
  readonly maxReplicas: number;
  readonly targetCPUUtilizationPercentage?: number;
  readonly syncPeriodSeconds?: number;
}

const v1SpecFields = object<V1Spec>({
  scaleTargetRef: reference,
  minReplicas: optional(int32),
  maxReplicas: int32,
  targetCPUUtilizationPercentage: optional(int32),
  ...syncPeriod,
});

interface V1Status {
  readonly observedGeneration?: number;
  readonly lastScaleTime?: string;
  readonly currentReplicas?: number;
  readonly desiredReplicas?: number;
  readonly currentCPUUtilizationPercentage?: number;
}

const v1StatusFields = object<V1Status>({
  observedGeneration: optional(int64),
  lastScaleTime: time,
  currentReplicas: optional(int32),
  desiredReplicas: optional(int32),
  currentCPUUtilizationPercentage: optional(int32),
});
