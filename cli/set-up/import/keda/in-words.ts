import type { MetricSpec } from "../../../../lib/k8s/hpa";
import { isMap } from "../../../../lib/k8s/map";
import type { Fields } from "./left-over";
import { isResourceTrigger } from "./spec-problems";

const config = "spec.advanced.horizontalPodAutoscalerConfig";

/** By a field of the HPA, the one of the ScaledObject. */
const fields: readonly (readonly [RegExp, string])[] = [
  [/^spec\.behavior\b/, `${config}.behavior`],
  [/^spec\.minReplicas\b/, "spec.minReplicaCount"],
  [/^spec\.maxReplicas\b/, "spec.maxReplicaCount"],
];

/** A problem of a document that a ScaledObject became, in the words of the object. */
export function inWordsOf(object: Fields, metrics: readonly MetricSpec[], problem: string): string {
  const text = problem.replace(/^The \w+ "[^"]*" is invalid: /, "");
  const spec = isMap(object["spec"]) ? object["spec"] : {};
  const [, metric] = /^spec\.metrics\[(\d+)\]/.exec(text) ?? [];
  if (metric !== undefined)
    return text.replace(/^spec\.metrics\[\d+\][\w.]*/, triggerOf(spec, metrics, Number(metric)));
  if (text.startsWith("metadata.name:") && hasOwnName(spec)) return text.replace("metadata.name", `${config}.name`);
  const [pattern, name] = fields.find(([one]) => one.test(text)) ?? [];
  return pattern === undefined || name === undefined ? text : text.replace(pattern, name);
}

function hasOwnName({ advanced }: Fields): boolean {
  const { horizontalPodAutoscalerConfig: own } = isMap(advanced) ? advanced : {};
  return isMap(own) && own["name"] !== undefined;
}

/** With a formula, its metric is the first, and those of pods follow. */
function triggerOf({ triggers, advanced }: Fields, metrics: readonly MetricSpec[], index: number): string {
  const all = Array.isArray(triggers) ? triggers : [];
  const { external, containerResource } = metrics[index] ?? {};
  const hasFormula = all.length !== metrics.length || (isMap(advanced) && isMap(advanced["scalingModifiers"]));
  if (hasFormula && external !== undefined) return "spec.advanced.scalingModifiers";
  const at = hasFormula ? all.indexOf(all.filter(isResourceTrigger)[index - 1]) : index;
  return `spec.triggers[${at}]${containerResource === undefined ? "" : ".metadata.containerName"}`;
}
