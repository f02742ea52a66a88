import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import type { ApiServer } from "./api-server";

const rbac = "/apis/rbac.authorization.k8s.io/v1";

interface Role {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly rules?: readonly unknown[];
}

/** Gives the restricted user the cluster roles of infra/kubernetes/rbac.yaml, as people are told to give them to ebb, and no more. */
export async function grantDocumentedRoles({ admin }: ApiServer): Promise<void> {
  const text = readFileSync(join(__dirname, "../../../infra/kubernetes/rbac.yaml"), "utf8");
  const documents = parseAllDocuments(text).map((document) => document.toJS() as Role | null);
  const roles = documents.filter((document): document is Role => document?.kind === "ClusterRole");
  for (const role of roles) await admin.create(`${rbac}/clusterroles`, role);
  for (const { metadata } of roles) await bind({ admin }, metadata.name);
}

/** For what a deployment's own kinds need besides, which rbac.yaml tells people to add. */
export async function grantScaling(
  { admin }: Pick<ApiServer, "admin">,
  group: string,
  resource: string,
): Promise<void> {
  const name = `scale-${resource}`;
  const rules = [{ apiGroups: [group], resources: [`${resource}/scale`], verbs: ["get", "update"] }];
  await admin.create(`${rbac}/clusterroles`, { metadata: { name }, rules });
  await bind({ admin }, name);
}

async function bind({ admin }: Pick<ApiServer, "admin">, role: string): Promise<void> {
  await admin.create(`${rbac}/clusterrolebindings`, {
    metadata: { name: `restricted-${role}` },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: role },
    subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "restricted" }],
  });
}
