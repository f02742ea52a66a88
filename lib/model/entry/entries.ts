import type { Static } from "typebox";
import type { HorizontalPodAutoscaler } from "../../k8s/hpa";
import type * as cluster from "../schema/cluster";
import type { Frozen } from "../../k8s/schema/fields";
import type { EpochMs } from "../../k8s/time";
import type * as source from "../schema/metric-source";

/**
 * What users write into the table besides HPAs. The schemas in lib/model/schema describe each field. An entry never
 * contains a secret: `secret` names one, as the ARN or name of a Secrets Manager secret, or as `ssm:<parameter name>`.
 */
export interface ClusterEntry {
  readonly name: string;
  readonly spec: ClusterSpec;
  /** metadata.creationTimestamp; absent: somebody wrote the item without one. */
  readonly registeredAt?: EpochMs;
}

export type ClusterSpec = Frozen<Static<typeof cluster.ClusterSpec>>;
export type ClusterAuth = Frozen<Static<typeof cluster.ClusterAuth>>;

/** kube-controller-manager's --horizontal-pod-autoscaler-* flags, per cluster. The defaults are upstream's. */
export type ControllerOptions = Frozen<Static<typeof cluster.ControllerOptions>>;

export interface HpaEntry {
  /** "namespace/name", the sort key without its prefix. */
  readonly key: string;
  readonly hpa: HorizontalPodAutoscaler;
}

/**
 * A metric source that External metrics name. `parameters` are defaults; the metric's selector labels override them.
 */
export interface SourceEntry {
  readonly name: string;
  readonly spec: Frozen<Static<typeof source.MetricSourceSpec>>;
}
