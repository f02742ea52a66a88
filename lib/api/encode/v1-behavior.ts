import type { Behavior, ScalingRules } from "../hpa";
import { quantityText } from "./v1-parts";

/** The behavior annotation: upstream marshals a type there that has no JSON names, so it has Go's own, and null for what is not set. */
export function v1Behavior({ scaleUp, scaleDown }: Behavior): object {
  return { ScaleUp: rules(scaleUp), ScaleDown: rules(scaleDown) };
}

function rules(given: ScalingRules | undefined): object | null {
  if (given === undefined) return null;
  const { stabilizationWindowSeconds, selectPolicy, policies, tolerance } = given;
  return {
    StabilizationWindowSeconds: stabilizationWindowSeconds ?? null,
    SelectPolicy: selectPolicy ?? null,
    Policies:
      policies?.map(({ type, value, periodSeconds }) => ({ Type: type, Value: value, PeriodSeconds: periodSeconds })) ??
      null,
    Tolerance: quantityText(tolerance) ?? null,
  };
}
