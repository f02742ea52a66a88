import { isMap } from "../../../../lib/k8s/map";
import { isQuantity } from "../../../../lib/k8s/quantity";
import { type FieldPath, fieldText, shown } from "../../../../lib/model/check/problem";
import { isCredentialName, withoutCredentials } from "../../../../lib/sources/credentials";
import { converters } from "./convert-trigger";
import { type Fields, settingText, trimmedSetting } from "./left-over";
import { scalerProblems } from "./scaler-rules";
import { specProblems } from "./spec-problems";

/** Upstream, KEDA 2.21: buildScaler in pkg/scaling/scalers_builder.go. */
const otherTypes = new Set(
  [
    "activemq arangodb artemis-queue aws-dynamodb aws-dynamodb-streams aws-kinesis-stream azure-app-insights azure-blob",
    "azure-cosmosdb azure-data-explorer azure-eventhub azure-log-analytics azure-monitor azure-pipelines azure-queue",
    "azure-servicebus beanstalkd cassandra clickhouse couchdb datadog dynatrace elastic-forecast elasticsearch etcd",
    "external external-mock external-push forgejo-runner gcp-cloudtasks gcp-pubsub gcp-spanner gcp-stackdriver",
    "gcp-storage github-runner graphite huawei-cloudeye ibmmq influxdb kubernetes-resource liiklus loki mongodb mssql",
    "mysql nats-jetstream new-relic nsq opensearch openstack-metric openstack-swift predictkube pulsar selenium-grid",
    "solace-direct-messaging solace-event-queue solarwinds solr splunk splunk-observability stan sumologic temporal",
  ].flatMap((line) => line.split(" ")),
);

/**
 * Why KEDA refuses the object, in the words of what was written; none: it can be converted. Upstream, KEDA 2.21:
 * CheckReplicaCountBoundsAreValid in apis/keda/v1alpha1/scaledobject_types.go, and the parsing of each trigger.
 */
export function scaledObjectProblems(object: Fields): readonly string[] {
  if (String(object["apiVersion"]).startsWith("keda.k8s.io/"))
    return [
      "is of KEDA 1 (keda.k8s.io), which ebb does not read: write it as keda.sh/v1alpha1 first (https://keda.sh/docs/2.21/migration/)",
    ];
  if (object["apiVersion"] !== "keda.sh/v1alpha1")
    return [`apiVersion: expected keda.sh/v1alpha1, got ${shown(object["apiVersion"])}`];
  const template = templateIn(object);
  if (template !== undefined) return [`${template} is part of a template: render it first, such as by helm template`];
  const spec = isMap(object["spec"]) ? object["spec"] : {};
  const triggers: readonly unknown[] = Array.isArray(spec["triggers"]) ? spec["triggers"] : [];
  if (triggers.length === 0) return ["spec.triggers: expected at least one trigger, got none"];
  const { scalingModifiers } = isMap(spec["advanced"]) ? spec["advanced"] : {};
  const isOperand = isMap(scalingModifiers) && (scalingModifiers["formula"] ?? "") !== "";
  return [
    ...specProblems(object),
    ...triggers.flatMap((trigger, index) => triggerProblems(trigger, { path: `spec.triggers[${index}]`, isOperand })),
  ];
}

interface Place {
  readonly path: string;
  /** True in a formula, which has its own target. */
  readonly isOperand: boolean;
}

function triggerProblems(trigger: unknown, place: Place): readonly string[] {
  const { path } = place;
  const { type: given, metadata, metricType } = isMap(trigger) ? trigger : {};
  const type = settingText(given) ?? "";
  if (!converters.has(type) && !otherTypes.has(type))
    return [`${path}.type: expected a trigger of KEDA, such as prometheus, got ${shown(type)}`];
  const settings = isMap(metadata) ? metadata : {};
  const kind = settingText(metricType) ?? "";
  if (kind !== "" && !["Utilization", "AverageValue", "Value"].includes(kind))
    return [`${path}.metricType: expected AverageValue, Value or Utilization, got ${shown(kind)}`];
  // Upstream, KEDA 2.21: GetMetricTargetType (pkg/scalers/scaler.go).
  if (type !== "cpu" && type !== "memory" && kind === "Utilization")
    return [`${path}.metricType: expected AverageValue or Value, got ${shown(kind)}`];
  if (type !== "cpu" && type !== "memory")
    return converters.has(type) && isMap(trigger) ? settingProblems(type, trigger, place) : [];
  const shownKind = kind || settingText(settings["type"]);
  if (shownKind !== "Utilization" && shownKind !== "AverageValue")
    return [
      `${path}.${kind === "" && shownKind ? "metadata.type" : "metricType"}: expected Utilization or AverageValue, got ${shown(shownKind || undefined)}`,
    ];
  const value = trimmedSetting(settings["value"]);
  const isRight = shownKind === "Utilization" ? /^\+?\d{1,9}$/.test(value ?? "") : isQuantity(value ?? "");
  const expected = shownKind === "Utilization" ? "a whole number of percent" : "a quantity such as 500m";
  return isRight ? [] : [`${path}.metadata.value: expected ${expected}, got ${shown(value)}`];
}

function settingProblems(type: string, trigger: Fields, { path, isOperand }: Place): readonly string[] {
  const settings = isMap(trigger["metadata"]) ? trigger["metadata"] : {};
  const text = (name: string) => trimmedSetting(settings[name]);
  const isElsewhere = (name: string) => isMap(trigger["authenticationRef"]) || text(`${name}FromEnv`) !== undefined;
  const problems = scalerProblems(type, { text, isElsewhere, isOperand });
  return problems.map(([name, expected]) => {
    const isSecret = isCredentialName(name) || name === "queryParameters";
    const given = text(name);
    const got = given === undefined ? given : withoutCredentials(given, name).text;
    return `${path}.metadata.${name}: expected ${expected}, got ${isSecret ? "another text" : shown(got)}`;
  });
}

/** The path of the first text with `{{…}}`. Without quotes, YAML reads a map whose key is a map. */
function templateIn(value: unknown, path: FieldPath = []): string | undefined {
  if (typeof value === "string") return /\{\{.*\}\}/s.test(value) ? fieldText(path) : undefined;
  if (typeof value !== "object" || value === null) return undefined;
  for (const [name, member] of Object.entries(value)) {
    if (/^\{.*\}$/s.test(name) && member === null) return fieldText(path);
    const found = templateIn(member, [...path, Array.isArray(value) ? Number(name) : name]);
    if (found !== undefined) return found;
  }
  return undefined;
}
