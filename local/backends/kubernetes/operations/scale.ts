import { fieldAt, type KubernetesObject, textAt, withField } from "../resources/object";
import { int64At } from "../resources/accessors";
import type { ResourceKind, ScaleRule } from "../resources/kinds";
import { internalError } from "../resources/status";
import { validateScale } from "./validation";
import { checkPlace, requireUid } from "./writing";

/** The Scale has the object's uid and resourceVersion. */
export function scaleOf(resource: ResourceKind, rule: ScaleRule, object: KubernetesObject): KubernetesObject {
  const replicas = int32Of(int64At(object, rule.specReplicasPath));
  if (replicas === undefined && resource.custom) {
    throw internalError(`the spec replicas field "${rule.specReplicasPath}" does not exist`);
  }
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const selector = rule.selector(object);
  return {
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata: { name, ...(namespace !== undefined && { namespace }), uid, resourceVersion, creationTimestamp },
    // omitempty, as on the real server.
    spec: replicas === undefined || replicas === 0 ? {} : { replicas },
    status: { replicas: int32Of(int64At(object, rule.statusReplicasPath)) ?? 0, ...(selector !== "" && { selector }) },
  };
}

/** As Go: the lower 32 bits. */
const int32Of = (value: number | undefined): number | undefined => (value === undefined ? undefined : value | 0);

/** Conditional on the Scale's resourceVersion, if any (ScaleREST.Update). A missing spec.replicas is zero. */
export function withScale(target: ScaleTarget, scale: unknown): KubernetesObject {
  const { resource, rule, object } = target;
  const { name } = object.metadata;
  checkPlace(scale, object.metadata);
  const uid = textAt(scale, "metadata.uid");
  if (uid !== undefined) requireUid(resource, object, uid);
  const replicas = fieldAt(scale, "spec.replicas");
  validateScale(resource, rule, { name, replicas });
  const resourceVersion = textAt(scale, "metadata.resourceVersion") ?? "";
  return withField(
    withField(object, rule.specReplicasPath, replicas ?? 0),
    "metadata.resourceVersion",
    resourceVersion,
  );
}

interface ScaleTarget {
  readonly resource: ResourceKind;
  readonly rule: ScaleRule;
  readonly object: KubernetesObject;
}
