import type { HorizontalPodAutoscaler } from "../hpa";
import { type ApiVersion, KIND } from "./api-version";
import { decodeMeta } from "./decode-meta";
import { decodeSpec } from "./decode-spec";
import { decodeStatus } from "./decode-status";
import { convertV1, decodeV1Spec, decodeV1Status } from "./decode-v1";
import { child, optional, type Place } from "./decoder";

/** The document as autoscaling/v2, neither defaulted nor validated. What has the wrong type is in the place's problems. */
export function decodeHpa(
  { metadata, spec, status }: Readonly<Record<string, unknown>>,
  version: ApiVersion,
  place: Place,
): HorizontalPodAutoscaler {
  const meta = decodeMeta(metadata, child(place, "metadata"));
  const served = { apiVersion: "autoscaling/v2", kind: KIND };
  const [specPlace, statusPlace] = [child(place, "spec"), child(place, "status")];
  if (version === "autoscaling/v1") {
    const v1Status = optional(decodeV1Status)(status, statusPlace);
    return { ...served, ...convertV1(meta, decodeV1Spec(spec, specPlace), v1Status) };
  }
  const decoded = optional(decodeStatus)(status, statusPlace);
  return {
    ...served,
    metadata: meta,
    spec: decodeSpec(spec, specPlace),
    ...(decoded === undefined ? {} : { status: decoded }),
  };
}
