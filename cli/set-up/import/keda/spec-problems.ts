import { subdomainErrors } from "../../../../lib/k8s/names";
import { isMap } from "../../../../lib/k8s/map";
import { shown } from "../../../../lib/model/check/problem";
import { kedaDefaults } from "./convert-zero";
import { type Fields, settingText } from "./left-over";

/** Why the API server or KEDA refuses the object, apart from what each trigger has of its own. */
export function specProblems({ metadata, spec: given }: Fields): readonly string[] {
  const spec = isMap(given) ? given : {};
  return [
    ...objectNameProblems(metadata),
    ...pauseProblems(metadata),
    ...targetProblems(spec["scaleTargetRef"]),
    ...countProblems(spec),
    ...fallbackProblems(spec),
    ...modifierProblems(spec["advanced"]),
    ...nameProblems(spec["triggers"]),
    ...cacheProblems(spec["triggers"]),
  ];
}

/** With generateName, each application makes another object. */
function objectNameProblems(metadata: unknown): readonly string[] {
  const { name, generateName } = isMap(metadata) ? metadata : {};
  if (settingText(name)) return [];
  const got = generateName === undefined ? "nothing" : `generateName ${shown(generateName)}`;
  return [`metadata.name: expected a name, got ${got}`];
}

/** Upstream, KEDA 2.21: GetPausedReplicaCount (apis/keda/v1alpha1/scaledobject_types.go). */
function pauseProblems(metadata: unknown): readonly string[] {
  const { annotations } = isMap(metadata) ? metadata : {};
  const name = "autoscaling.keda.sh/paused-replicas";
  const size = isMap(annotations) ? annotations[name] : undefined;
  if (size === undefined || /^\d{1,9}$/.test(settingText(size) ?? "")) return [];
  return [`metadata.annotations[${name}]: expected a whole number, got ${shown(size)}`];
}

/** The names of all workloads are subdomains; an HPA may name anything. */
function targetProblems(target: unknown): readonly string[] {
  const name = isMap(target) ? target["name"] : undefined;
  const isName = typeof name === "string" && name !== "" && subdomainErrors("", name).length === 0;
  return isName ? [] : [`spec.scaleTargetRef.name: expected the name of a workload such as web, got ${shown(name)}`];
}

interface Placed {
  readonly object: Fields;
  readonly place: string;
}

/** `targets`: by workload, where the ScaledObject is that scales it. Upstream, KEDA 2.21: its webhook. */
export function sharedTargetProblems(
  { object, place }: Placed,
  targets: Map<string, string>,
  { namespace }: { readonly namespace: string },
): readonly string[] {
  const { metadata, spec } = object;
  const { scaleTargetRef } = isMap(spec) ? spec : {};
  const { apiVersion, kind, name } = isMap(scaleTargetRef) ? scaleTargetRef : {};
  const workload = `${settingText(kind) || "Deployment"} ${settingText(name)}`;
  const own = isMap(metadata) ? metadata["namespace"] : undefined;
  const [group] = (settingText(apiVersion) || "apps/v1").split("/");
  const key = JSON.stringify([settingText(own) ?? namespace, group, workload]);
  const first = targets.get(key);
  if (first === undefined) targets.set(key, place);
  if (first === undefined || first === place) return [];
  return [
    `spec.scaleTargetRef: expected a workload that no other ScaledObject scales, got ${workload}, as ${first} has`,
  ];
}

const counts = [
  "minReplicaCount",
  "maxReplicaCount",
  "idleReplicaCount",
  "cooldownPeriod",
  "initialCooldownPeriod",
  "pollingInterval",
];

function countProblems(spec: Fields): readonly string[] {
  const wrong = counts.flatMap((name) => {
    const value = spec[name] ?? undefined;
    const isCount = value === undefined || (typeof value === "number" && Number.isInteger(value) && value >= 0);
    return isCount ? [] : [`spec.${name}: expected a whole number, got ${shown(value)}`];
  });
  if (wrong.length > 0) return wrong;
  const [least, most] = [numberOf(spec, "minReplicaCount"), numberOf(spec, "maxReplicaCount")];
  const idle = spec["idleReplicaCount"];
  if (most < 1) return [`spec.maxReplicaCount: expected a number above 0, got ${most}`];
  if (least > most) return [`spec.minReplicaCount: expected at most maxReplicaCount (${most}), got ${least}`];
  if (typeof idle === "number" && idle >= least)
    return [`spec.idleReplicaCount: expected less than minReplicaCount (${least}), got ${idle}`];
  return [];
}

function numberOf(spec: Fields, name: keyof typeof kedaDefaults): number {
  return Number(spec[name] ?? kedaDefaults[name]);
}

const behaviors = [
  "static",
  "currentReplicas",
  "currentReplicasIfHigher",
  "currentReplicasIfLower",
  "scalingModifiers",
];

/** Upstream, KEDA 2.21: CheckFallbackValid (apis/keda/v1alpha1/scaledobject_types.go), and the CRD. */
function fallbackProblems({ fallback: given, triggers, advanced }: Fields): readonly string[] {
  if (!isMap(given)) return [];
  const { behavior = "static" } = given;
  const isCount = (value: unknown) => Number.isInteger(value) && Number(value) >= 0;
  const wrong = ["failureThreshold", "replicas"].filter((name) => !isCount(given[name]));
  const { scalingModifiers } = isMap(advanced) ? advanced : {};
  const hasFormula = isMap(scalingModifiers) && (scalingModifiers["formula"] ?? "") !== "";
  const others = Array.isArray(triggers) ? triggers.filter((one) => !isResourceTrigger(one)) : [];
  return [
    ...wrong.map((name) => `spec.fallback.${name}: expected a whole number, got ${shown(given[name])}`),
    ...(behaviors.includes(String(behavior))
      ? []
      : [`spec.fallback.behavior: expected one of ${behaviors.join(", ")}, got ${shown(behavior)}`]),
    ...(behavior === "scalingModifiers" && !hasFormula
      ? ["spec.fallback.behavior: expected a formula in spec.advanced.scalingModifiers for scalingModifiers, got none"]
      : []),
    ...(others.length > 0 || hasFormula ? [] : ["spec.fallback: expected a trigger besides cpu and memory, got none"]),
  ];
}

export function isResourceTrigger(trigger: unknown): boolean {
  return isMap(trigger) && (trigger["type"] === "cpu" || trigger["type"] === "memory");
}

/** Upstream, KEDA 2.21: ValidateAndCompileScalingModifiers (apis/keda/v1alpha1/scaledobject_webhook.go). */
function modifierProblems(advanced: unknown): readonly string[] {
  const given = isMap(advanced) ? advanced["scalingModifiers"] : undefined;
  if (!isMap(given) || Object.keys(given).length === 0) return [];
  const isNumber = (value: unknown) => /^\d+(\.\d*)?([eE][+-]?\d+)?$/.test(settingText(value) ?? "");
  const { formula, target, activationTarget, metricType = "AverageValue" } = given;
  const checks: readonly (readonly [name: string, isRight: boolean, expected: string])[] = [
    ["formula", typeof formula === "string" && formula !== "", "a formula"],
    ["target", isNumber(target) && Number(target) >= 0.001, "0.001 or more"],
    ["activationTarget", (activationTarget ?? "") === "" || isNumber(activationTarget), "a number"],
    ["metricType", ["", "AverageValue", "Value"].includes(String(metricType)), "AverageValue or Value"],
  ];
  return checks.flatMap(([name, isRight, expected]) =>
    isRight ? [] : [`spec.advanced.scalingModifiers.${name}: expected ${expected}, got ${shown(given[name])}`],
  );
}

/** Upstream, KEDA 2.21: ValidateTriggers (apis/keda/v1alpha1/scaletriggers_types.go). */
function nameProblems(triggers: unknown): readonly string[] {
  const names = (Array.isArray(triggers) ? triggers : []).map((one: unknown) => (isMap(one) ? one["name"] : undefined));
  return names.flatMap((name, index) => {
    const first = names.indexOf(name);
    if (typeof name !== "string" || name === "" || first === index) return [];
    return [
      `spec.triggers[${index}].name: expected a name that spec.triggers[${first}] does not have, got ${shown(name)}`,
    ];
  });
}

/** Upstream: as above. */
function cacheProblems(triggers: unknown): readonly string[] {
  return (Array.isArray(triggers) ? triggers : []).flatMap((trigger: unknown, index) => {
    const { type, useCachedMetrics } = isMap(trigger) ? trigger : {};
    if (useCachedMetrics !== true || !["cpu", "memory", "cron"].includes(String(type))) return [];
    return [`spec.triggers[${index}].useCachedMetrics: expected false for ${String(type)}, got true`];
  });
}
