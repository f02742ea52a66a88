import type { CrossVersionObjectReference, HpaSpec, MetricSpec } from "../hpa";
import { type FieldError, invalid } from "./field-error";

/** Also lone surrogates, line separators and bidi marks. */
const unprintable = /[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;

export function hasControlCharacters(name: string): boolean {
  return unprintable.test(name);
}

export const noControlCharacters = "must not contain control characters";

/** ebb's own rule: these names go into URLs, logs and terminals. No API server serves such names. */
export function controlCharacterErrors(field: string, { scaleTargetRef, metrics = [] }: HpaSpec): FieldError[] {
  const named = [
    ...referenceNames(`${field}.scaleTargetRef`, scaleTargetRef),
    ...metrics.flatMap((metric, index) => metricNames(`${field}.metrics[${index}]`, metric)),
  ];
  return named
    .filter(([, name]) => hasControlCharacters(name))
    .map(([path, name]) => invalid(path, name, noControlCharacters));
}

type Named = readonly [path: string, name: string];

function referenceNames(field: string, { apiVersion = "", kind, name }: CrossVersionObjectReference): readonly Named[] {
  return [
    [`${field}.kind`, kind],
    [`${field}.name`, name],
    [`${field}.apiVersion`, apiVersion],
  ];
}

function metricNames(field: string, { object, external, pods, resource }: MetricSpec): readonly Named[] {
  const names: Named[] = [];
  if (object) names.push(...referenceNames(`${field}.object.describedObject`, object.describedObject));
  if (object) names.push([`${field}.object.metric.name`, object.metric.name]);
  if (external) names.push([`${field}.external.metric.name`, external.metric.name]);
  if (pods) names.push([`${field}.pods.metric.name`, pods.metric.name]);
  if (resource) names.push([`${field}.resource.name`, resource.name]);
  return names;
}
