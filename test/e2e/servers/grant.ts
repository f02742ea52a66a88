import { readFileSync } from "node:fs";
import { parseAllDocuments } from "yaml";
import type { ApiServer } from "./api-server";
import { inCheckout } from "./checkout";

const rbac = "/apis/rbac.authorization.k8s.io/v1";
const collections: Readonly<Record<string, (namespace: string) => string>> = {
  ClusterRole: () => `${rbac}/clusterroles`,
  ClusterRoleBinding: () => `${rbac}/clusterrolebindings`,
  Role: (namespace) => `${rbac}/namespaces/${namespace}/roles`,
  RoleBinding: (namespace) => `${rbac}/namespaces/${namespace}/rolebindings`,
  Namespace: () => "/api/v1/namespaces",
  Secret: (namespace) => `/api/v1/namespaces/${namespace}/secrets`,
  ServiceAccount: (namespace) => `/api/v1/namespaces/${namespace}/serviceaccounts`,
};

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly namespace?: string };
}

/**
 * Applies infra/kubernetes/rbac.yaml as it is, which grants the group of the user "ebb" what the docs say to
 * grant.
 */
export function grantDocumentedRoles(apiServer: ApiServer): Promise<void> {
  return applyInfra(apiServer, "rbac.yaml");
}

/** Creates all that a file of infra/kubernetes holds. */
export async function applyInfra(apiServer: ApiServer, file: string): Promise<void> {
  await applyManifests(apiServer, readFileSync(inCheckout("infra/kubernetes", file), "utf8"));
}

/** Creates all that YAML documents hold. */
export async function applyManifests({ admin }: ApiServer, text: string): Promise<void> {
  for (const document of parseAllDocuments(text)) {
    const manifest = document.toJS() as Manifest;
    const collection = collections[manifest.kind];
    if (collection === undefined) {
      throw new Error(`expected ${Object.keys(collections).join(", ")}, got ${manifest.kind}`);
    }
    await admin.create(collection(manifest.metadata.namespace ?? ""), manifest);
  }
}

/** For a custom resource, which rbac.yaml says to add. */
export async function grantScaling({ admin }: ApiServer, group: string, resource: string): Promise<void> {
  const name = `scale-${resource}`;
  const rules = [{ apiGroups: [group], resources: [`${resource}/scale`], verbs: ["get", "update"] }];
  await admin.create(`${rbac}/clusterroles`, { metadata: { name }, rules });
  await admin.create(`${rbac}/clusterrolebindings`, {
    metadata: { name },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name },
    subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "Group", name: "ebb" }],
  });
}
