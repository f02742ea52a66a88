import fc from "fast-check";

const policy = fc.record({
  type: fc.constantFrom("Pods", "Percent"),
  value: fc.oneof(fc.integer({ min: 1, max: 10 }), fc.integer({ min: 1, max: 300 })),
  periodSeconds: fc.constantFrom(10, 15, 30, 60, 120, 600, 1800),
});

/** Of one direction. Each field may be left to its default. */
export const scalingRules = fc.record(
  {
    stabilizationWindowSeconds: fc.constantFrom(0, 15, 60, 300, 600, 3600),
    selectPolicy: fc.constantFrom("Max", "Min", "Disabled"),
    policies: fc.array(policy, { minLength: 1, maxLength: 3 }),
    tolerance: fc.constantFrom("0", "0.01", "50m", "0.2", "1"),
  },
  { requiredKeys: [] },
);

export const behavior = fc.record({ scaleUp: scalingRules, scaleDown: scalingRules }, { requiredKeys: [] });

export const bounds = fc
  .record({
    minReplicas: fc.constantFrom(undefined, 0, 0, 1, 1, 2, 3, 5),
    span: fc.constantFrom(0, 1, 2, 5, 10, 20, 100),
  })
  .map(({ minReplicas, span }) => ({
    ...(minReplicas !== undefined && { minReplicas }),
    maxReplicas: Math.max(1, (minReplicas ?? 1) + span),
  }));

export const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "x" };

/** A minimum of 0 needs a metric that has a value without pods. */
export function withZeroAllowed<T extends { readonly minReplicas?: number; readonly metrics: readonly object[] }>(
  spec: T,
): T {
  const types = spec.metrics.map((metric) => (metric as { readonly type: string }).type);
  if (spec.minReplicas !== 0 || types.some((type) => type === "Object" || type === "External")) return spec;
  return { ...spec, minReplicas: 1 };
}
