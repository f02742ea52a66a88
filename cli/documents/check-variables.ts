import type { MetricSpec } from "../../lib/k8s/hpa";
import { isMap } from "../../lib/k8s/map";
import type { FieldError } from "../../lib/k8s/validate/field-error";
import { isVariable } from "../../lib/secrets/variable";
import type { Session } from "../session";
import type { CheckedDocument } from "./check-document";

const why =
  "expected a secret in Secrets Manager or SSM such as ebb/prod/stats, got a variable of one machine's environment; " +
  "the table is in DynamoDB, and functions have no such variable";

/** A source's secret may be a variable only in the table that `ebb start` keeps on this machine. */
export function variableErrors(
  { kind, document }: Pick<CheckedDocument, "kind" | "document">,
  { table }: Pick<Session["settings"], "table">,
): readonly FieldError[] {
  if (table === undefined) return [];
  const spec = isMap(document["spec"]) ? document["spec"] : {};
  const given: readonly (readonly [string, unknown])[] =
    kind === "MetricSource"
      ? [["spec.parameters", spec["parameters"]]]
      : kind === "HorizontalPodAutoscaler"
        ? ((spec["metrics"] ?? []) as readonly MetricSpec[]).map(({ external }, index) => [
            `spec.metrics[${index}].external.metric.selector.matchLabels`,
            external?.metric.selector?.matchLabels,
          ])
        : [];
  return given.flatMap(([at, parameters]) => {
    const secret = isMap(parameters) ? parameters["secret"] : undefined;
    if (typeof secret !== "string" || !isVariable(secret)) return [];
    return [{ path: `${at}.secret`, text: `${at}.secret: ${why}` }];
  });
}
