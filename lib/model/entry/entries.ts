import type { EpochMs } from "../../k8s/time";
import type { ClusterSpec } from "../schema/cluster";
import type { MetricSourceSpec } from "../schema/metric-source";

export type { ClusterAuth, ClusterSpec, ControllerOptions } from "../schema/cluster";

/**
 * An entry never contains a secret: `secret` is the ARN or name of a Secrets Manager secret, or `ssm:<parameter name>`.
 */
export interface ClusterEntry {
  readonly name: string;
  readonly spec: ClusterSpec;
  readonly registeredAt?: EpochMs;
}

/** `parameters` are defaults; the metric's selector labels override them. */
export interface SourceEntry {
  readonly name: string;
  readonly spec: MetricSourceSpec;
}
