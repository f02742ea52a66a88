import type { HorizontalPodAutoscaler } from "../../lib/k8s/hpa";
import type { ApiServer } from "../../test/e2e/servers/api-server";
import { grantDocumentedRoles } from "../../test/e2e/servers/grant";
import { deployment, deployments } from "../../test/e2e/servers/workloads";
import { nameOf, namespace, replicas, specOf } from "./fleet";

const hpas = `/apis/autoscaling/v2/namespaces/${namespace}/horizontalpodautoscalers`;
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

/** Deployments whose replicas are all there, as no controller and no kubelet says here. */
export async function createWorkloads({ admin }: ApiServer, count: number): Promise<void> {
  await forEach(count, async (index) => {
    const name = nameOf(index);
    await admin.create(deployments, deployment(name, replicas));
    await admin.patch(`${deployments}/${name}/status`, { status: { replicas } });
  });
}

/** The HPAs of upstream's controller. @returns them as the API server stores them */
export async function createHpas(
  { admin }: ApiServer,
  { count, metric }: { readonly count: number; readonly metric: string },
): Promise<readonly HorizontalPodAutoscaler[]> {
  const created: HorizontalPodAutoscaler[] = [];
  await forEach(count, async (index) => {
    const name = nameOf(index);
    created[index] = await admin.create(hpas, { metadata: { name }, spec: specOf(name, metric) });
  });
  return created;
}

async function forEach(count: number, act: (index: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const work = async () => {
    while (next < count) await act(next++);
  };
  await Promise.all(Array.from({ length: atATime }, work));
}
