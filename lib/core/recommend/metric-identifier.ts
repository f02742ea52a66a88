import type { CrossVersionObjectReference, MetricIdentifier } from "../../api/hpa";
import type { LabelSelector } from "../../api/meta";
import { selectorFrom } from "../../api/selector";

/** As status shows it: what is empty in the spec is left out, as the API leaves it out. */
export function metricIdentifier({ name, selector }: MetricIdentifier): MetricIdentifier {
  return selector === undefined ? { name } : { name, selector: withoutEmpty(selector) };
}

function withoutEmpty({ matchLabels, matchExpressions }: LabelSelector): LabelSelector {
  return {
    ...(matchLabels !== undefined && Object.keys(matchLabels).length > 0 ? { matchLabels } : {}),
    ...(matchExpressions !== undefined && matchExpressions.length > 0
      ? {
          matchExpressions: matchExpressions.map(({ key, operator, values }) =>
            values !== undefined && values.length > 0 ? { key, operator, values } : { key, operator },
          ),
        }
      : {}),
  };
}

export function objectReference({ kind, name, apiVersion }: CrossVersionObjectReference): CrossVersionObjectReference {
  return apiVersion === undefined || apiVersion === "" ? { kind, name } : { kind, name, apiVersion };
}

/** undefined: it can be used. Upstream converts the selector first of all. */
export function selectorProblem(selector: LabelSelector | undefined): string | undefined {
  if (selector === undefined) return undefined;
  try {
    selectorFrom(selector);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
