import type { HorizontalPodAutoscaler } from "./hpa";

/**
 * What users write into the table besides HPAs. Secrets never stand in an entry: `secret` names one, as the ARN or name of a
 * Secrets Manager secret, or as `ssm:<parameter name>`.
 */
export interface ClusterEntry {
  readonly name: string;
  readonly spec: ClusterSpec;
}

export interface ClusterSpec {
  /** https://host[:port][/path]. May be left out with kubeconfig auth, where the context's cluster gives it. */
  readonly endpoint?: string;
  /** The private CA that signed the API server's certificate: base64 of PEM, as in a kubeconfig. Absent: the system's roots. */
  readonly certificateAuthorityData?: string;
  /** The name that the server's certificate is checked against, where it is not the endpoint's host. */
  readonly tlsServerName?: string;
  readonly auth: ClusterAuth;
  readonly options?: ControllerOptions;
}

export type ClusterAuth =
  | { readonly type: "eks"; readonly clusterName: string; readonly region: string; readonly roleArn?: string }
  | { readonly type: "token"; readonly secret: string }
  | { readonly type: "clientCertificate"; readonly secret: string }
  | { readonly type: "kubeconfig"; readonly secret: string; readonly context?: string }
  | { readonly type: "kubeconfig"; readonly file: string; readonly context?: string };

/** kube-controller-manager's --horizontal-pod-autoscaler-* flags, per cluster. Absent ones have upstream's defaults. */
export interface ControllerOptions {
  /** 3 to 3600; default 15. */
  readonly syncPeriodSeconds?: number;
  /** A fraction; default 0.1. */
  readonly tolerance?: number;
  /** Default 300. */
  readonly downscaleStabilizationSeconds?: number;
  /** Default 300. */
  readonly cpuInitializationPeriodSeconds?: number;
  /** Default 30. */
  readonly initialReadinessDelaySeconds?: number;
}

export interface HpaEntry {
  /** "namespace/name", the sort key without its prefix. */
  readonly key: string;
  readonly hpa: HorizontalPodAutoscaler;
}

/** A metric source that External metrics name. `parameters` are defaults; the metric's selector labels override them. */
export interface SourceEntry {
  readonly name: string;
  readonly spec: { readonly kind: string; readonly parameters?: Readonly<Record<string, unknown>> };
}
