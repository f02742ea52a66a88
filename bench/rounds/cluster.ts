import type { ApiServer } from "../../test/e2e/servers/api-server";
import { grantDocumentedRoles } from "../../test/e2e/servers/grant";
import { deployment } from "../../test/e2e/servers/workloads";
import { type Fleet, type Load, nameOf, namespace, namespaceOf, podName, replicasOf, specOf } from "../harness/fleet";
import { metric } from "./metrics-api";

const hpasOf = (namespace: string) => `/apis/autoscaling/v2/namespaces/${namespace}/horizontalpodautoscalers`;
const deploymentsOf = (namespace: string) => `/apis/apps/v1/namespaces/${namespace}/deployments`;
const podsOf = (namespace: string) => `/api/v1/namespaces/${namespace}/pods`;
const atATime = 32;

/** What `ebb rbac` grants, with the optional list of the targets. */
export async function grantEbb(apiServer: ApiServer): Promise<void> {
  await grantDocumentedRoles(apiServer);
  const rbac = "/apis/rbac.authorization.k8s.io/v1";
  const metadata = { name: "list-targets" };
  const rules = [{ apiGroups: ["apps"], resources: ["deployments"], verbs: ["list"] }];
  await apiServer.admin.create(`${rbac}/clusterroles`, { metadata, rules });
  await apiServer.admin.create(`${rbac}/clusterrolebindings`, {
    metadata,
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: metadata.name },
    subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "Group", name: "ebb" }],
  });
}

/** Deployments with upstream's HPAs, all their replicas there, as no controller and no kubelet says here. */
export async function createFleet(apiServer: ApiServer, fleet: Fleet): Promise<void> {
  const { admin } = apiServer;
  await createNamespaces(apiServer, fleet);
  await forEach(fleet.count, async (index) => {
    const [namespace, name] = [namespaceOf(fleet, index), nameOf(index)];
    await admin.create(deploymentsOf(namespace), deployment(name, replicasOf(fleet)));
    for (let pod = 0; pod < (fleet.pods ?? 0); pod++)
      await createPod(apiServer, { namespace, app: name, name: podName(name, pod) });
  });
  await startReplicas(apiServer, fleet, { moves: 0, grown: 0 });
  await forEach(fleet.count, async (index) => {
    const name = nameOf(index);
    await admin.create(hpasOf(namespaceOf(fleet, index)), { metadata: { name }, spec: specOf(fleet, name, metric) });
  });
}

async function createNamespaces({ admin }: ApiServer, fleet: Fleet): Promise<void> {
  const names = new Set(Array.from({ length: fleet.count }, (_, index) => namespaceOf(fleet, index)));
  names.delete(namespace); // every cluster has it
  for (const name of names) await admin.create("/api/v1/namespaces", { metadata: { name } });
}

/** Every Deployment has the replicas that the load asks for. */
export async function startReplicas({ admin }: ApiServer, fleet: Fleet, load: Load): Promise<void> {
  const status = { replicas: replicasOf(fleet, load) };
  await forEach(fleet.count, (index) =>
    admin.patch(`${deploymentsOf(namespaceOf(fleet, index))}/${nameOf(index)}/status`, { status }),
  );
}

/** Writes the size of each Deployment as a controller has to, and does nothing else. */
export async function writeScales({ admin }: ApiServer, fleet: Fleet, load: Load): Promise<void> {
  const spec = { replicas: replicasOf(fleet, load) };
  await forEach(fleet.count, (index) => {
    const [namespace, name] = [namespaceOf(fleet, index), nameOf(index)];
    const scale = { apiVersion: "autoscaling/v1", kind: "Scale", metadata: { name, namespace }, spec };
    return admin.put(`${deploymentsOf(namespace)}/${name}/scale`, scale);
  });
}

/** Running for an hour, so that its CPU counts. */
async function createPod(
  { admin }: ApiServer,
  { namespace, app, name }: { readonly namespace: string; readonly app: string; readonly name: string },
): Promise<void> {
  const containers = [{ name: "main", image: "consumer", resources: { requests: { cpu: "100m" } } }];
  const pods = podsOf(namespace);
  await admin.create(pods, { metadata: { name, labels: { app } }, spec: { containers } });
  const startTime = new Date(Date.now() - 3_600_000).toISOString();
  const conditions = [{ type: "Ready", status: "True", lastTransitionTime: startTime }];
  await admin.patch(`${pods}/${name}/status`, { status: { phase: "Running", startTime, conditions } });
}

async function forEach(count: number, act: (index: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const work = async () => {
    while (next < count) await act(next++);
  };
  await Promise.all(Array.from({ length: atATime }, work));
}
