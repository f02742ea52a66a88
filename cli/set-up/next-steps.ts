import { join } from "node:path";
import type { ClusterAuth } from "../../lib/model/entry/entries";
import { serviceAccountName, type Starter } from "./cluster-file";
import { quoted } from "../shell/advice/print";
import { workSource } from "./hpa-files";

export function nextSteps(starter: Starter, directory: string): string {
  const { cluster, open } = starter;
  const file = (name: string) => quoted(join(directory, name));
  const fillIn = open.filter((field) => field !== "auth").map((field) => `spec.${field}`);
  const steps = [
    ...(fillIn.length > 0
      ? [`Fill in ${fillIn.join(" and ")} in ${file("cluster.yaml")}; its comments say where to find them.`]
      : []),
    ...letIn(starter, file),
    `ebb apply -f ${file("cluster.yaml")}`,
    ...apply(starter, file),
    `Grant what the HPAs need, and no more: ${grant(starter)}`,
    `ebb doctor ${quoted(cluster)} checks that everything works.`,
    "ebb get hpa shows it at work.",
  ];
  return `\nNext:\n${steps.map((step, index) => `  ${index + 1}. ${step}`).join("\n")}`;
}

function apply({ source, cluster }: Starter, file: (name: string) => string): readonly string[] {
  const [hpa, metric] = [file("hpa-queue.yaml"), file("source.yaml")];
  if (source === undefined) return [`Edit ${hpa}, then ebb apply -f ${hpa}`];
  return [
    `Edit ${metric}, then ebb apply -f ${metric}`,
    `See whether ebb can read it from here: ebb read ${workSource} --cluster ${quoted(cluster)}`,
    `Edit ${hpa}, then ebb apply -f ${hpa}`,
  ];
}

function letIn(starter: Starter, file: (name: string) => string): readonly string[] {
  const { cluster, spec } = starter;
  const { auth } = spec;
  switch (auth.type) {
    case "eks":
      return eksSteps(cluster, auth);
    case "token": {
      const members = [...address(starter), `"token": "{{.data.token | base64decode}}"`];
      const template = quoted(`go-template={${members.join(", ")}}`);
      const filledIn = starter.open.includes("endpoint") ? ", with your endpoint in it" : "";
      return [
        `Make a user with a token, or use a token that you have: ${kubectl(starter)} apply -f ${file(serviceAccountName)}`,
        `Write the token and the address that it is for to secret.json${filledIn}: ${kubectl(starter)} -n ebb get secret ebb-token -o ${template} > secret.json`,
        store(auth.secret),
      ];
    }
    case "clientCertificate": {
      const members = [...address(starter), '"certificate": "<PEM>"', '"key": "<PEM>"'];
      return [
        "Make a client certificate for a user of the group (O) ebb, or use one that you have.",
        `Write secret.json, with endpoint and certificateAuthorityData as in ${file("cluster.yaml")}: {${members.join(", ")}}`,
        store(auth.secret),
      ];
    }
    case "kubeconfig":
      return [];
  }
}

/** Otherwise the poller does not connect to the cluster. */
const ifWatched = "if HPAs with ebb.dev/wake: fast read sources inside the cluster (via, workload)";

function eksSteps(cluster: string, { clusterName, region, roleArn }: Extract<ClusterAuth, { type: "eks" }>) {
  const named = `--region ${region} --cluster-name ${quoted(clusterName)}`;
  const entryFor = (role: string) =>
    `aws eks create-access-entry ${named} --principal-arn ${role} --kubernetes-groups ebb`;
  const withConfigMap = "(without access entries: map the role to the group ebb in the ConfigMap aws-auth)";
  const [sync, watch] = ["<SyncRoleArn>", "<WatchRoleArn>"];
  return [
    `Let ebb in, as the group ebb: ${entryFor(roleArn ?? sync)} ${withConfigMap}.`,
    ...(roleArn === undefined
      ? [`The zero-scale poller as well, ${ifWatched}: ${entryFor(watch)} (both roles are outputs of ebb's stack).`]
      : [
          `Let the trust policy of ${roleArn} name ebb's roles, ${sync} and, ${ifWatched}, ${watch} (outputs of ebb's stack), and require the external id ${quoted(`ebb/${cluster}`)} (sts:ExternalId): docs/deploy.md, Secrets.`,
        ]),
    ...(cluster === clusterName
      ? []
      : [
          `Allow this entry to use the EKS cluster, whose name is another: aws eks tag-resource --region ${region} --resource-arn <the cluster's ARN> --tags ${quoted(`ebb.dev/cluster=${cluster}`)}`,
        ]),
  ];
}

/** A secret's address equals its entry's (docs/deploy.md, "Secrets"). */
function address({ spec, open }: Starter): readonly string[] {
  const { endpoint = "", certificateAuthorityData, tlsServerName, auth } = spec;
  const authority = auth.type === "token" ? `{{index .data "ca.crt"}}` : "…";
  const hasAuthority = certificateAuthorityData !== undefined || open.includes("certificateAuthorityData");
  return [
    `"endpoint": ${open.includes("endpoint") ? '"<endpoint>"' : JSON.stringify(endpoint)}`,
    ...(hasAuthority ? [`"certificateAuthorityData": "${authority}"`] : []),
    ...(tlsServerName === undefined ? [] : [`"tlsServerName": ${JSON.stringify(tlsServerName)}`]),
  ];
}

function store(secret: string): string {
  return `Store it, in the region of ebb's stack: aws secretsmanager create-secret --name ${quoted(secret)} --secret-string file://secret.json && rm secret.json`;
}

/** Never the reader's current context by accident: kubectl refuses one that does not exist. */
function kubectl({ cluster, kube = { context: cluster } }: Starter): string {
  const file = kube.file === undefined ? "" : ` --kubeconfig ${quoted(kube.file)}`;
  return `kubectl${file} --context ${quoted(kube.context)}`;
}

function grant(starter: Starter): string {
  const { cluster, spec } = starter;
  const command = (more: string) => `ebb rbac ${quoted(cluster)}${more} | ${kubectl(starter)} apply -f -`;
  switch (spec.auth.type) {
    case "token":
      return `${command(" --service-account ebb/ebb")} (for another user than that service account: --user NAME or --group NAME)`;
    case "clientCertificate":
      return `${command("")} (for a certificate of another group: --group O or --user CN)`;
    case "eks":
    case "kubeconfig":
      return command("");
  }
}
