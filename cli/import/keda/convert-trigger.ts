import type { MetricSpec, MetricTarget } from "../../../lib/k8s/hpa";
import { type Fields, isFields, type Note, takeFrom, textOf } from "./left-over";
import { type Converted, readTrigger, type SourceTrigger, type TriggerReader } from "./trigger";
import { cloudwatch } from "./triggers/cloudwatch";
import { cron } from "./triggers/cron";
import { kafka } from "./triggers/kafka";
import { other } from "./triggers/other";
import { postgresql } from "./triggers/postgresql";
import { prometheus } from "./triggers/prometheus";
import { rabbitmq } from "./triggers/rabbitmq";
import { redis } from "./triggers/redis";
import { resource } from "./triggers/resource";
import { sqs } from "./triggers/sqs";

/** A trigger as a metric of the HPA and, where the metric is read from one, the MetricSource's name and spec. */
export interface ConvertedTrigger {
  readonly metric: MetricSpec;
  readonly source?: { readonly name: string; readonly kind: string; readonly parameters: Fields };
  readonly notes: readonly Note[];
}

const converters: Readonly<Record<string, (trigger: TriggerReader) => Converted>> = {
  "aws-sqs-queue": sqs,
  "aws-cloudwatch": cloudwatch,
  prometheus,
  rabbitmq,
  redis: redis(undefined),
  "redis-cluster": redis("cluster"),
  "redis-sentinel": redis("sentinel"),
  kafka,
  postgresql,
  cron,
  cpu: resource("cpu"),
  memory: resource("memory"),
};

/** The kinds that this version reads. */
const readable = new Set(["sqs", "cloudwatch"]);

/** `name` is what a source of the trigger is called; `path` where the trigger stands. */
export function convertTrigger(given: unknown, name: string, path: string): ConvertedTrigger {
  const fields = takeFrom(given, path);
  const type = textOf(fields.take("type")) ?? "";
  const metadata = fields.take("metadata");
  const trigger = readTrigger(takeFrom(metadata, `${path}.metadata`), `${path}.metadata`);
  const known = Object.hasOwn(converters, type) ? converters[type] : undefined;
  const converted = (known ?? other(type, metadata))(trigger);
  const metricType = fields.take("metricType") ?? trigger.text("type");
  fields.take("name");
  const notes = [...authentication(fields.take("authenticationRef"), path, known), ...caching(fields, path)];
  const said = [...trigger.notes, ...notes, ...trigger.metadata.left(), ...fields.left()];
  if ("resource" in converted) return { metric: ofPods(converted, metricType), notes: said };
  const { kind, parameters } = converted;
  const target = sourceTarget(converted, metricType);
  // An HPA can name its queue itself; what else there is to say needs an entry.
  if (kind === "sqs" && Object.hasOwn(parameters, "queue")) {
    const matchLabels = parameters as Readonly<Record<string, string>>;
    return {
      metric: { type: "External", external: { metric: { name: "sqs", selector: { matchLabels } }, target } },
      notes: said,
    };
  }
  if (known === undefined) said.push({ field: path, text: "has a placeholder of 1 for its target" });
  if (!readable.has(kind)) {
    said.push({
      field: path,
      text: `needs a source of kind "${kind}", which this version of ebb cannot read: until one can, the HPA never scales down`,
    });
  }
  return {
    metric: { type: "External", external: { metric: { name }, target } },
    source: { name, kind, parameters },
    notes: said,
  };
}

function ofPods(
  { resource: name, container, target: value }: Extract<Converted, { resource: string }>,
  metricType: unknown,
): MetricSpec {
  const target: MetricTarget =
    metricType === "AverageValue"
      ? { type: "AverageValue", averageValue: value }
      : { type: "Utilization", averageUtilization: Number(value) };
  if (container === undefined) return { type: "Resource", resource: { name, target } };
  return { type: "ContainerResource", containerResource: { name, container, target } };
}

function sourceTarget({ target }: SourceTrigger, metricType: unknown): MetricTarget {
  return metricType === "Value" ? { type: "Value", value: target } : { type: "AverageValue", averageValue: target };
}

function authentication(reference: unknown, path: string, known: unknown): Note[] {
  if (reference === undefined) return [];
  const { name, kind = "TriggerAuthentication" } = isFields(reference) ? reference : {};
  const aws = known === sqs || known === cloudwatch;
  const instead = aws
    ? "grant the functions' role the right to read the metric"
    : "put its credentials into a secret that the source names";
  return [
    { field: `${path}.authenticationRef`, text: `${String(kind)} ${String(name)} is not carried over: ${instead}` },
  ];
}

function caching(fields: ReturnType<typeof takeFrom>, path: string): Note[] {
  if (fields.take("useCachedMetrics") !== true) return [];
  return [{ field: `${path}.useCachedMetrics`, text: "is not needed: each metric is read once a sync, whoever asks" }];
}
