import { join } from "node:path";
import type { ClusterAuth } from "../../lib/model/entry/entries";
import type { Starter } from "./cluster-file";

/** What to do after `ebb init`, in an order that works: `ebb rbac` needs the HPAs, so it follows them. */
export function nextSteps({ cluster, spec, open }: Starter, directory: string): string {
  const file = (name: string) => word(join(directory, name));
  const fillIn = open.filter((field) => field !== "auth").map((field) => `spec.${field}`);
  const steps = [
    ...(fillIn.length > 0
      ? [`Fill in ${fillIn.join(" and ")} in ${file("cluster.yaml")}; its comments say where to find them.`]
      : []),
    ...letIn(spec.auth),
    `ebb apply -f ${file("cluster.yaml")}`,
    `Edit ${file("hpa-queue.yaml")}, then ebb apply -f ${file("hpa-queue.yaml")}`,
    `Grant what the HPAs need, and no more: ${grant(cluster, spec.auth)}`,
    `ebb doctor ${word(cluster)} checks that everything works.`,
    "ebb get hpa shows it at work.",
  ];
  return `\nNext:\n${steps.map((step, index) => `  ${index + 1}. ${step}`).join("\n")}`;
}

/** How ebb becomes a user of the cluster. The user has no rights yet. */
function letIn(auth: ClusterAuth): readonly string[] {
  switch (auth.type) {
    case "eks": {
      const role = auth.roleArn ?? "<SyncRoleArn, an output of ebb's stack>";
      const entry = `--region ${auth.region} --cluster-name ${word(auth.clusterName)} --principal-arn ${role}`;
      return [
        `Let ebb in, as the group ebb: aws eks create-access-entry ${entry} --kubernetes-groups ebb (infra/kubernetes/rbac.yaml shows other ways).`,
      ];
    }
    case "token":
      return [
        "Make a user with a token: infra/kubernetes/service-account.yaml is one. Or use a token that you have.",
        store(auth.secret, '"token": "<bearer token>"'),
      ];
    case "clientCertificate":
      return [
        "Make a client certificate for a user of the group (O) ebb, or use one that you have.",
        store(auth.secret, '"certificate": "<PEM>", "key": "<PEM>"'),
      ];
    case "kubeconfig":
      return [];
  }
}

function store(secret: string, credential: string): string {
  const text = `{"endpoint": "…", "certificateAuthorityData": "…", ${credential}}`;
  return `Write secret.json, with the address from cluster.yaml: ${text}. Store it: aws secretsmanager create-secret --name ${word(secret)} --secret-string file://secret.json`;
}

function grant(cluster: string, auth: ClusterAuth): string {
  const command = (more: string) => `ebb rbac ${word(cluster)}${more} | kubectl apply -f -`;
  switch (auth.type) {
    case "token":
      return `${command(" --service-account ebb/ebb")} (for another user than that service account: --user NAME or --group NAME)`;
    case "clientCertificate":
      return `${command("")} (for a certificate of another group: --group O or --user CN)`;
    case "eks":
    case "kubeconfig":
      return command("");
  }
}

/** As one word of a shell, also when a kubeconfig's context is named "a; rm -r ~". */
function word(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
