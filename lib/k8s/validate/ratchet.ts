import type { HpaSpec } from "../hpa";
import { type VersionRule, apiVersionError } from "./validate-reference";

/** An update accepts these because the stored HPA has them already. */
export interface Ratchet {
  readonly scaleTarget: VersionRule;
  readonly describedObjects: VersionRule;
  /** Their errors stay in their old place, with their old text. */
  readonly isUnchanged: Readonly<Record<"minReplicas" | "maxReplicas", boolean>>;
}

/** Upstream: validationOptionsForHorizontalPodAutoscaler (strategy.go of its registry). */
export function ratchetOf(spec: HpaSpec, stored: HpaSpec | undefined): Ratchet {
  const { scaleTargetRef: target, minReplicas, maxReplicas } = spec;
  const before = stored?.scaleTargetRef;
  const keepsTarget = before?.kind === target.kind && (before.apiVersion ?? "") === (target.apiVersion ?? "");
  return {
    // A ReplicationController is the one scalable kind without a group.
    scaleTarget: keepsTarget ? "unchecked" : target.kind === "ReplicationController" ? "parsed" : "grouped",
    describedObjects: stored !== undefined && hasUnparsedVersion(stored) ? "unchecked" : "parsed",
    isUnchanged: {
      minReplicas: stored !== undefined && stored.minReplicas === minReplicas,
      maxReplicas: stored !== undefined && stored.maxReplicas === maxReplicas,
    },
  };
}

function hasUnparsedVersion({ metrics = [] }: HpaSpec): boolean {
  return metrics.some(
    ({ type, object }) =>
      type === "Object" && object !== undefined && apiVersionError(object.describedObject, "parsed") !== undefined,
  );
}
