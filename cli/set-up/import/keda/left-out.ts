const reasons: Readonly<Record<string, string>> = {
  ScaledJob: "is left out: it starts Jobs, and ebb scales only workloads with replicas",
  TriggerAuthentication: "is left out: in ebb, each source names its own secret",
  ClusterTriggerAuthentication: "is left out: in ebb, each source names its own secret",
};

/** Undefined: not a KEDA object. */
export function whyLeftOut(kind: string): string | undefined {
  return Object.hasOwn(reasons, kind) ? reasons[kind] : undefined;
}
