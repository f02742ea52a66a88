const PREFIX = "autoscaling.alpha.kubernetes.io";

/** The annotation in which the API server serves what an older version has no field for. */
export function carrier(name: Carrier): string {
  return `${PREFIX}/${name}`;
}

export type Carrier = "metrics" | "current-metrics" | "conditions" | "behavior";

type Annotations = Readonly<Record<string, string>>;

const reserved = new Set(
  ["metrics", "current-metrics", "conditions", "behavior", "scale-down-tolerance", "scale-up-tolerance"].map(
    (name) => `${PREFIX}/${name}`,
  ),
);

/**
 * Annotations less the six that upstream keeps to itself; undefined when none is left. No version takes them from a user for what they
 * say, and none serves one that it did not make. Upstream: DropRoundTripHorizontalPodAutoscalerAnnotations, pkg/apis/autoscaling/helpers.go.
 */
export function withoutCarriers(annotations: Annotations | undefined): Annotations | undefined {
  const kept = Object.entries(annotations ?? {}).filter(([key]) => !reserved.has(key));
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}
