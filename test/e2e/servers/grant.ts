import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import type { ApiServer } from "./api-server";

const rbac = "/apis/rbac.authorization.k8s.io/v1";
const paths: Readonly<Record<string, string>> = {
  ClusterRole: `${rbac}/clusterroles`,
  ClusterRoleBinding: `${rbac}/clusterrolebindings`,
};

/** Applies infra/kubernetes/rbac.yaml as it stands, which grants the group of the user "ebb" what people are told to grant. */
export async function grantDocumentedRoles({ admin }: ApiServer): Promise<void> {
  const text = readFileSync(join(__dirname, "../../../infra/kubernetes/rbac.yaml"), "utf8");
  for (const document of parseAllDocuments(text)) {
    const { kind, ...object } = document.toJS() as { readonly kind: string };
    const path = paths[kind];
    if (path === undefined) throw new Error(`rbac.yaml: expected ${Object.keys(paths).join(" or ")}, got ${kind}`);
    await admin.create(path, { kind, ...object });
  }
}

/** For a custom resource, which rbac.yaml tells people to add. */
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
