import { customKind } from "../../../local/demo/demo-workloads";
import { eventually } from "./eventually";
import type { ApiServer } from "./api-server";

/** Paths and bodies of the workloads that the suites scale. Their pods stay Pending: there are no nodes. */

const template = (name: string) => ({
  metadata: { labels: { app: name } },
  spec: { containers: [{ name: "main", image: "consumer" }] },
});

export const deployments = "/apis/apps/v1/namespaces/default/deployments";
export const statefulSets = "/apis/apps/v1/namespaces/default/statefulsets";
export const consumers = "/apis/example.com/v1/namespaces/default/consumers";

export function deployment(name: string, replicas: number) {
  const selector = { matchLabels: { app: name } };
  return { metadata: { name }, spec: { replicas, selector, template: template(name) } };
}

export function statefulSet(name: string, replicas: number) {
  const spec = deployment(name, replicas).spec;
  // In parallel, or the second pod would wait for the first to become ready, which it never does without a node.
  return { metadata: { name }, spec: { ...spec, serviceName: name, podManagementPolicy: "Parallel" } };
}

/** A kind of one's own with a scale subresource, as an operator brings it. */
const consumerDefinition = customKind({ group: "example.com", kind: "Consumer" });

export function consumer(name: string, replicas: number) {
  return { apiVersion: "example.com/v1", kind: "Consumer", metadata: { name }, spec: { replicas } };
}

export async function defineConsumers({ admin }: ApiServer): Promise<void> {
  await admin.create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", consumerDefinition);
  await eventually("the new kind is served", () => admin.get(consumers));
}

interface Replicas {
  readonly spec: { readonly replicas?: number };
  readonly status?: { readonly replicas?: number };
}

export async function specReplicas({ admin }: ApiServer, path: string): Promise<number | undefined> {
  return (await admin.get<Replicas>(path)).spec.replicas;
}

/** Acts once as the custom resource's operator: sets the status to what the spec asks for. */
export async function actOnConsumer({ admin }: ApiServer, name: string): Promise<void> {
  const path = `${consumers}/${name}`;
  const { spec, status } = await admin.get<Replicas>(path);
  if (status?.replicas === spec.replicas) return;
  await admin.patch(`${path}/status`, { status: { replicas: spec.replicas, selector: `app=${name}` } });
}
