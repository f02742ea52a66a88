import { failure } from "../failure";
import type { Starter } from "./starter";

export interface GivenCluster {
  readonly cluster?: string;
  readonly namespace: string;
  /** The EKS cluster's name in AWS. */
  readonly eks?: string;
  readonly region?: string;
  readonly roleArn?: string;
}

/** A starter in which the endpoint, at least, is left to fill in: what AWS or a kubeconfig knows is not known here. @throws Failure */
export function starterFromOptions({ cluster, namespace, eks, region, roleArn }: GivenCluster): Starter {
  if (eks === undefined) {
    const name = cluster ?? "prod";
    return {
      cluster: name,
      namespace,
      spec: { endpoint: "https://replace-me.example.com:6443", auth: { type: "token", secret: `ebb/${name}` } },
      open: ["endpoint", "certificateAuthorityData", "auth"],
    };
  }
  if (region === undefined) throw failure("--eks needs --region, the EKS cluster's", 2);
  return {
    cluster: cluster ?? eks,
    namespace,
    spec: {
      endpoint: `https://REPLACE-ME.gr7.${region}.eks.amazonaws.com`,
      auth: { type: "eks", clusterName: eks, region, ...(roleArn !== undefined && { roleArn }) },
    },
    open: ["endpoint", "certificateAuthorityData"],
  };
}
