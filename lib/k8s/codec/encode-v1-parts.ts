import type { Behavior, CrossVersionObjectReference, ScalingRules } from "../hpa";
import type { LabelSelector } from "../objects";

/** In the order of Go's structs. */

export function v1Reference({ kind, name, apiVersion }: CrossVersionObjectReference): CrossVersionObjectReference {
  return { kind, name, ...(apiVersion === undefined || apiVersion === "" ? {} : { apiVersion }) };
}

/** JSON.stringify leaves out undefined fields, as Go leaves out nil. */
export function v1Selector(given: LabelSelector | undefined): object | undefined {
  if (given === undefined) return undefined;
  const { matchLabels = {}, matchExpressions = [] } = given;
  return {
    matchLabels: Object.keys(matchLabels).length === 0 ? undefined : sorted(matchLabels),
    matchExpressions:
      matchExpressions.length === 0
        ? undefined
        : matchExpressions.map(({ key, operator, values = [] }) => ({
            key,
            operator,
            values: values.length === 0 ? undefined : values,
          })),
  };
}

export function sorted(map: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1)));
}

export function withoutUndefined<T extends object>(fields: { readonly [Name in keyof T]-?: T[Name] | undefined }): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}

/** Upstream's type has no JSON names here: Go's field names, and null for unset fields. */
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
    Tolerance: tolerance === undefined ? null : String(tolerance),
  };
}
