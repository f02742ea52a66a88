import { stringify } from "yaml";
import type { ClusterAuth, ClusterSpec } from "../../lib/model/entry/entries";

/** The contents of starter files. */
export interface Starter {
  /** The cluster's name in the table. */
  readonly cluster: string;
  readonly namespace: string;
  readonly spec: ClusterSpec;
  /** Placeholders in `spec` that the user has to fill in. */
  readonly open: readonly ("endpoint" | "certificateAuthorityData" | "auth")[];
}

/** The folder of the schemas that the files refer to; the dot hides it. */
export const schemaFolder = ".ebb-schema";

export const modeline = (schema: string) => `# yaml-language-server: $schema=${schemaFolder}/${schema}\n`;

/** cluster.yaml: a Cluster with every choice explained. */
export function clusterFile({ cluster, spec, open }: Starter): string {
  return `${modeline("cluster.json")}# A cluster that ebb scales. Secrets never stand here: they are named.
apiVersion: ebb.dev/v1
kind: Cluster
metadata:
  name: ${scalar(cluster)}
spec:
  # The API server${open.includes("endpoint") ? `: replace this.${whereToFind(spec.auth)}` : "."}
  endpoint: ${scalar(spec.endpoint ?? "")}
${authority(spec.certificateAuthorityData, open.includes("certificateAuthorityData"))}${
    spec.tlsServerName === undefined ? "" : `  tlsServerName: ${scalar(spec.tlsServerName)}\n`
  }  # As whom: infra/kubernetes/rbac.yaml of ebb says what it may do, and how it becomes a user of the cluster.
  # type is one of eks, token, clientCertificate and kubeconfig.${open.includes("auth") ? " Replace this." : ""}
  auth:
${indented(stringify(spec.auth, { lineWidth: 0 }), 4)}  # kube-controller-manager's --horizontal-pod-autoscaler-* flags for this cluster; these are the defaults.
  # options:
  #   syncPeriodSeconds: 15
  #   tolerance: 0.1
  #   downscaleStabilizationSeconds: 300
`;
}

function authority(data: string | undefined, isOpen: boolean): string {
  if (data !== undefined)
    return `  # Its private CA, base64 of PEM. TLS is always verified.\n  certificateAuthorityData: ${data}\n`;
  return isOpen
    ? "  # Its private CA, base64 of PEM: fill this in, unless a public CA signed its certificate. TLS is always verified.\n  # certificateAuthorityData: LS0tLS1CRUdJTi…\n"
    : "";
}

function whereToFind(auth: ClusterAuth): string {
  return auth.type === "eks"
    ? `\n  # aws eks describe-cluster --region ${auth.region} --name ${auth.clusterName} --query 'cluster.[endpoint,certificateAuthority.data]'`
    : "\n  # kubectl config view --minify --raw has it, and the CA.";
}

/** Text as a YAML scalar, quoted where it has to be. */
export function scalar(text: string): string {
  return stringify(text, { lineWidth: 0 }).trimEnd();
}

function indented(yaml: string, spaces: number): string {
  return yaml.replace(/^(?=.)/gm, " ".repeat(spaces));
}
