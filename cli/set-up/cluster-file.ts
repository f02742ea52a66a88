import { stringify } from "yaml";
import type { ClusterAuth, ClusterSpec } from "../../lib/model/entry/entries";
import type { KindName } from "../../lib/sources/registry";

export interface Starter {
  readonly cluster: string;
  readonly namespace: string;
  readonly spec: ClusterSpec;
  /** kubectl's context. Absent: one with the cluster's name. */
  readonly kube?: { readonly context: string; readonly file?: string };
  /** Used by hpa-queue.yaml. Absent: an SQS queue, which needs no entry. */
  readonly source?: KindName;
  readonly open: readonly ("endpoint" | "certificateAuthorityData" | "auth")[];
  /** Why the entry may not work as it is. */
  readonly hints?: readonly string[];
}

/** The dot hides it. */
export const schemaFolder = ".ebb-schema";

export const serviceAccountName = "service-account.yaml";

export const modeline = (schema: string) => `# yaml-language-server: $schema=${schemaFolder}/${schema}\n`;

export function clusterFile({ cluster, spec, open }: Starter): string {
  return `${modeline("cluster.json")}# A cluster whose workloads ebb scales. This file holds no secrets, only their names.
apiVersion: ebb.dev/v1
kind: Cluster
metadata:
  name: ${scalar(cluster)}
spec:
  # The API server${open.includes("endpoint") ? `: replace this.${whereToFind(spec.auth)}` : "."}
  endpoint: ${scalar(spec.endpoint ?? "")}
${authority(spec.certificateAuthorityData, open.includes("certificateAuthorityData"))}${
    spec.tlsServerName === undefined ? "" : `  tlsServerName: ${scalar(spec.tlsServerName)}\n`
  }  # How ebb logs in: \`ebb explain cluster.spec.auth\` describes the ways. \`ebb rbac\` prints the rights that its user needs.
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
    return `  # The private CA of the API server: PEM in base64. ebb always verifies TLS.\n  certificateAuthorityData: ${data}\n`;
  return isOpen
    ? "  # The private CA of the API server: PEM in base64. Fill this in, unless a public CA signed the server's certificate.\n  # ebb always verifies TLS.\n  # certificateAuthorityData: LS0tLS1CRUdJTi…\n"
    : "";
}

function whereToFind(auth: ClusterAuth): string {
  return auth.type === "eks"
    ? `\n  # aws eks describe-cluster --region ${auth.region} --name ${auth.clusterName} --query 'cluster.[endpoint,certificateAuthority.data]'`
    : "\n  # kubectl config view --minify --raw shows it, and the CA.";
}

export function scalar(text: string): string {
  return stringify(text, { lineWidth: 0 }).trimEnd();
}

export function indented(yaml: string, spaces: number): string {
  return yaml.replace(/^(?=.)/gm, " ".repeat(spaces));
}
