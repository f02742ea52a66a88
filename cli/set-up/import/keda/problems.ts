import { isMap } from "../../../../lib/k8s/map";
import { isQuantity } from "../../../../lib/k8s/quantity";
import { type FieldPath, fieldText } from "../../../../lib/model/check/problem";
import { converters } from "./convert-trigger";
import { kedaDefaults } from "./convert-zero";
import { type Fields, settingText } from "./left-over";

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
  const template = templateIn(object);
  if (template !== undefined) return [`${template} is part of a template: render it first, such as by helm template`];
  const spec = isMap(object["spec"]) ? object["spec"] : {};
  const triggers: readonly unknown[] = Array.isArray(spec["triggers"]) ? spec["triggers"] : [];
  if (triggers.length === 0) return ["spec.triggers: expected at least one trigger, got none"];
  return [
    ...countProblems(spec),
    ...triggers.flatMap((trigger, index) => triggerProblems(trigger, `spec.triggers[${index}]`)),
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
    return isCount ? [] : [`spec.${name}: expected a whole number, got ${JSON.stringify(value)}`];
  });
  if (wrong.length > 0) return wrong;
  const [least, most] = [numberOf(spec, "minReplicaCount"), numberOf(spec, "maxReplicaCount")];
  const idle = spec["idleReplicaCount"];
  if (least > most) return [`spec.minReplicaCount: expected at most maxReplicaCount (${most}), got ${least}`];
  if (typeof idle === "number" && idle >= least)
    return [`spec.idleReplicaCount: expected less than minReplicaCount (${least}), got ${idle}`];
  return [];
}

function numberOf(spec: Fields, name: keyof typeof kedaDefaults): number {
  return Number(spec[name] ?? kedaDefaults[name]);
}

function triggerProblems(trigger: unknown, path: string): readonly string[] {
  const { type: given, metadata, metricType } = isMap(trigger) ? trigger : {};
  const type = settingText(given) ?? "";
  if (!converters.has(type) && !otherTypes.has(type))
    return [`${path}.type: expected a trigger of KEDA, such as prometheus, got ${JSON.stringify(type)}`];
  const settings = isMap(metadata) ? metadata : {};
  const kind = settingText(metricType) ?? "";
  if (kind !== "" && !["Utilization", "AverageValue", "Value"].includes(kind))
    return [`${path}.metricType: expected AverageValue, Value or Utilization, got ${JSON.stringify(kind)}`];
  if (type !== "cpu" && type !== "memory") return targetProblems(settings, path);
  const shownKind = kind || settingText(settings["type"]);
  if (shownKind !== "Utilization" && shownKind !== "AverageValue")
    return [
      `${path}.metricType: expected Utilization or AverageValue, got ${shownKind === undefined ? "nothing" : JSON.stringify(shownKind)}`,
    ];
  const value = settingText(settings["value"]) ?? "";
  const isRight = shownKind === "Utilization" ? /^\d{1,9}$/.test(value) : isQuantity(value);
  const expected = shownKind === "Utilization" ? "a whole number of percent" : "a quantity such as 500m";
  return isRight ? [] : [`${path}.metadata.value: expected ${expected}, got ${JSON.stringify(value)}`];
}

/** Targets of the triggers that ebb reads. KEDA takes them as numbers. */
const targets = [
  "threshold",
  "value",
  "targetValue",
  "targetMetricValue",
  "queueLength",
  "listLength",
  "lagThreshold",
  "lagCount",
  "pendingEntriesCount",
  "streamLength",
  "desiredReplicas",
  "targetQueryValue",
];

function targetProblems(settings: Fields, path: string): readonly string[] {
  return targets.flatMap((name) => {
    const value = settingText(settings[name]);
    if (value === undefined || value === "" || isQuantity(value)) return [];
    return [`${path}.metadata.${name}: expected a number, got ${JSON.stringify(value)}`];
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
