import type { Static } from "typebox";
import type * as cluster from "../schema/cluster";
import type { Frozen } from "../../k8s/schema/fields";
import type { EpochMs } from "../../k8s/time";
import type * as source from "../schema/metric-source";

/**
 * An entry never contains a secret: `secret` is the ARN or name of a Secrets Manager secret, or `ssm:<parameter name>`.
 */
export interface ClusterEntry {
  readonly name: string;
  readonly spec: ClusterSpec;
  readonly registeredAt?: EpochMs;
}

export type ClusterSpec = Frozen<Static<typeof cluster.ClusterSpec>>;
export type ClusterAuth = Frozen<Static<typeof cluster.ClusterAuth>>;

export type ControllerOptions = Frozen<Static<typeof cluster.ControllerOptions>>;

/** `parameters` are defaults; the metric's selector labels override them. */
export interface SourceEntry {
  readonly name: string;
  readonly spec: Frozen<Static<typeof source.MetricSourceSpec>>;
}
