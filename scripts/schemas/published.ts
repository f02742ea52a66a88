import { HorizontalPodAutoscaler, HpaSpec } from "../../lib/k8s/schema/hpa";
import { ClusterDocument } from "../../lib/model/schema/cluster";
import { type KindSchema, metricSourceSchema } from "../../lib/model/schema/metric-source";
import { notificationSchemas } from "../../lib/model/schema/notification";
import { descriptions } from "../../lib/sources/descriptions";

/** JSON Schemas as editors read them, by file name in docs/schema. Draft 07, which every editor's YAML server knows. */
export function publishedSchemas(
  sourceKinds: readonly KindSchema[] = Object.values(descriptions),
): Readonly<Record<string, object>> {
  return {
    "cluster.json": published(ClusterDocument),
    "hpa.json": published(hpaDocument()),
    "metric-source.json": published(metricSourceSchema(sourceKinds)),
    ...Object.fromEntries(
      Object.entries(notificationSchemas).map(([type, schema]) => [`notifications/${type}.json`, published(schema)]),
    ),
  };
}

const versions = [
  "autoscaling/v2",
  "autoscaling/v1",
  "autoscaling/v2beta2",
  "autoscaling/v2beta1",
  "autoscaling/v2alpha1",
];

/** The descriptions are autoscaling/v2's. For older versions, editors check only the fields that all versions share. */
function hpaDocument(): object {
  const { spec: _spec, status, metadata, ...properties } = HorizontalPodAutoscaler.properties;
  const { scaleTargetRef, minReplicas, maxReplicas } = HpaSpec.properties;
  const shared = {
    type: "object",
    description,
    required: ["scaleTargetRef", "maxReplicas"],
    properties: { scaleTargetRef, minReplicas, maxReplicas },
  };
  return {
    ...HorizontalPodAutoscaler,
    properties: {
      ...properties,
      apiVersion: { ...properties.apiVersion, enum: versions },
      kind: { ...properties.kind, const: "HorizontalPodAutoscaler" },
      metadata: {
        ...metadata,
        properties: { ...metadata.properties, ...apiServersOwn },
        additionalProperties: false,
      },
      spec: { type: "object", description },
      status,
    },
    if: { properties: { apiVersion: { const: "autoscaling/v2" } } },
    then: { properties: { spec: HpaSpec } },
    else: { properties: { spec: shared } },
  };
}

const description = "What to scale, between which sizes, and on which metrics.";

/** An API server writes these, so a document may have them. ebb does not read them. */
const apiServersOwn = Object.fromEntries(
  ["selfLink", "deletionGracePeriodSeconds", "ownerReferences", "finalizers", "managedFields"].map((name) => [
    name,
    { description: "The API server's own; not read." },
  ]),
);

function published(schema: object): object {
  return { $schema: "http://json-schema.org/draft-07/schema#", ...(worded(schema) as object) };
}

/** Editors show an errorMessage alone, so it is a full sentence. Leaves out `discriminator`, which only ajv knows. */
function worded(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(worded);
  if (typeof schema !== "object" || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([name]) => name !== "discriminator")
      .map(([name, value]: [string, unknown]) =>
        name === "errorMessage" && typeof value === "string" ? [name, `Expected ${value}.`] : [name, worded(value)],
      ),
  );
}
