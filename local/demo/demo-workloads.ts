import { present } from "../../lib/k8s/map";
import type { Api } from "../backends/kubernetes/operations/api";
import { type ResourceKind, customResourceDefinitions, deployments } from "../backends/kubernetes/resources/kinds";
import type { JsonObject } from "../backends/kubernetes/resources/object";
import type { Registry } from "../backends/kubernetes/resources/registry";
import type { ObjectStore } from "../backends/kubernetes/resources/store";

export const demoNamespace = "default";

export type DemoWorkload = "orders" | "invoices" | "digest" | "web";

export const workersKind = "workers.demo.ebb.dev";

/** A pod with QUEUE_NAME drains that queue, a message in SERVICE_MILLISECONDS. */
const consumerTemplate = (labels: Record<string, string>, queue: string, serviceMs: number): JsonObject => ({
  metadata: { labels },
  spec: {
    terminationGracePeriodSeconds: 30,
    containers: [
      {
        name: "consumer",
        image: `example.com/${queue}-consumer:1.0`,
        resources: { requests: { cpu: "50m", memory: "64Mi" } },
        env: [
          { name: "QUEUE_NAME", value: queue },
          { name: "SERVICE_MILLISECONDS", value: String(serviceMs) },
        ],
      },
    ],
  },
});

const plainTemplate = (name: string, cpu: string): JsonObject => ({
  metadata: { labels: { app: name } },
  spec: {
    containers: [{ name, image: `example.com/${name}:1.0`, resources: { requests: { cpu, memory: "128Mi" } } }],
  },
});

const workerDefinition = customKind({
  group: "demo.ebb.dev",
  kind: "Worker",
  names: { shortNames: ["wk"], categories: ["all"] },
  columns: [
    { name: "Desired", type: "integer", jsonPath: ".spec.replicas" },
    { name: "Current", type: "integer", jsonPath: ".status.replicas" },
    { name: "Ready", type: "integer", jsonPath: ".status.readyReplicas" },
    { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
  ],
});

export function createDemoWorkloads(
  { api, store, registry }: { readonly api: Api; readonly store: ObjectStore; readonly registry: Registry },
  replicas: Readonly<Record<DemoWorkload, number>>,
): void {
  const create = (
    resource: ResourceKind,
    namespace: string,
    document: JsonObject & { metadata: { name: string } },
  ): void => {
    if (store.get(resource, namespace, document.metadata.name) !== undefined) return;
    api.create({ resource, namespace }, document);
  };
  const deployment = (name: "orders" | "digest" | "web", template: JsonObject) => ({
    metadata: { name, labels: { app: name } },
    spec: { replicas: replicas[name], selector: { matchLabels: { app: name } }, template },
  });

  create(deployments, demoNamespace, deployment("orders", consumerTemplate({ app: "orders" }, "orders", 1_200)));
  create(deployments, demoNamespace, deployment("digest", plainTemplate("digest", "50m")));
  create(deployments, demoNamespace, deployment("web", plainTemplate("web", "500m")));
  create(customResourceDefinitions, "", workerDefinition);
  const workers = registry.find("demo.ebb.dev", "v1", "workers");
  if (workers === undefined) throw new Error(`${workersKind} is defined but not served`);
  create(workers, demoNamespace, {
    metadata: { name: "invoices" },
    spec: { replicas: replicas.invoices, template: consumerTemplate({ worker: "invoices" }, "invoices", 900) },
  });
}

interface CustomKind {
  readonly group: string;
  readonly kind: string;
  /** Besides the kind in lower case, with and without an s. */
  readonly names?: JsonObject;
  readonly columns?: readonly JsonObject[];
  readonly scalable?: boolean;
}

/** Objects may have any fields. `scalable`: with /scale. */
export function customKind({ group, kind, names = {}, columns, scalable = true }: CustomKind) {
  const singular = kind.toLowerCase();
  const scale = {
    specReplicasPath: ".spec.replicas",
    statusReplicasPath: ".status.replicas",
    labelSelectorPath: ".status.selector",
  };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${singular}s.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { kind, plural: `${singular}s`, singular, ...names },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
          subresources: { status: {}, ...(scalable && { scale }) },
          ...present({ additionalPrinterColumns: columns }),
        },
      ],
    },
  };
}
