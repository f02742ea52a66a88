import { type Carrier, withoutCarriers } from "../carriers";
import type { HorizontalPodAutoscaler, HpaSpec, HpaStatus } from "../hpa";
import type { ObjectMeta } from "../meta";
import { type ApiVersion, KIND } from "./api-version";
import { decodeMeta } from "./decode-meta";
import { decodeSpec, decodeV2beta2Spec } from "./decode-spec";
import { decodeStatus } from "./decode-status";
import { decodeV1Spec, decodeV1Status } from "./decode-v1";
import { decodeV2beta1Spec, decodeV2beta1Status } from "./decode-v2beta1";
import { child, type Decoder, optional, type Place } from "./decoder";
import { readCarriers } from "./read-carriers";

/** How a version is read as v2: its two halves, and what it has no fields for. */
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

/** The document as autoscaling/v2, neither defaulted nor validated. What has the wrong type is in the place's problems. */
export function decodeHpa(
  document: Readonly<Record<string, unknown>>,
  version: ApiVersion,
  place: Place,
): HorizontalPodAutoscaler {
  const form = forms[version];
  const metadata = decodeMeta(document["metadata"], child(place, "metadata"));
  const fields = {
    spec: form.spec(document["spec"], child(place, "spec")),
    status: optional(form.status)(document["status"], child(place, "status")),
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

/** Whether a version's behavior stands in an annotation, which its defaults do not reach. */
export function carriesBehavior(version: ApiVersion): boolean {
  return forms[version].carried.includes("behavior");
}

function stripped({ annotations, ...metadata }: ObjectMeta): ObjectMeta {
  const kept = withoutCarriers(annotations);
  return kept === undefined ? metadata : { ...metadata, annotations: kept };
}
