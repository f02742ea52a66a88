import { callAws } from "../../aws/call";
import { signedGet } from "../../aws/signed-get";
import { openRetries } from "../../aws/http/retries";
import { pause } from "../../async/within-time";
import { isMap } from "../../k8s/map";
import type { ClusterAuth } from "../../model/entry/entries";
import { Fault, isFault } from "../../model/fault";
import { readCertificateAuthority } from "../../net/endpoint";
import { type BindingClaim, requireSameEndpoint } from "../../secrets/binding";
import type { AwsCredentials } from "../../aws/credentials";

type EksAuth = Extract<ClusterAuth, { type: "eks" }>;

export interface EksCluster {
  readonly endpoint: string;
  readonly certificateAuthorityData: string;
  readonly tags: Readonly<Record<string, unknown>>;
}

/** With the credentials that would sign its token. Rejects with a Fault. */
export type DescribeEks = (
  cluster: Pick<EksAuth, "clusterName" | "region">,
  credentials: AwsCredentials,
  signal: AbortSignal,
) => Promise<EksCluster>;

/** Names the entry, if it has another name than the EKS cluster. */
const ownerTag = "ebb.dev/cluster";

const regionForm = /^[a-z]{2,4}(-[a-z]{2,12}){1,3}-\d{1,2}$/;
const clusterForm = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/;
const externalIdForm = /^[\w+=,.@:/-]+$/;

/**
 * Refuses names that AWS does not give, before any is sent.
 * @throws Fault "badEntry".
 */
export function requireEksNames({ clusterName, region, roleArn }: EksAuth, cluster: string): void {
  const bad = (field: string, expected: string) => new Fault("badEntry", `auth.${field}: expected ${expected}`);
  if (!regionForm.test(region)) throw bad("region", "an AWS region such as eu-central-1, got another text");
  if (!clusterForm.test(clusterName)) throw bad("clusterName", "an EKS cluster's name, got another text");
  if (roleArn !== undefined && !externalIdForm.test(cluster))
    throw bad(
      "roleArn",
      "an entry's name of letters, digits and _+=,.@:/- only, because the role's external id contains it",
    );
}

export function externalIdOf(cluster: string): string {
  return `ebb/${cluster}`;
}

/**
 * Checks that the EKS cluster is this entry's, and that the entry's connection goes to it. Without the tag, the entry
 * has the cluster's own name.
 * @throws Fault "badEntry".
 */
export function requireEksCluster({ clusterName, region }: EksAuth, claim: BindingClaim, eks: EksCluster): void {
  const origin = `EKS cluster ${clusterName} in ${region}`;
  const owner = eks.tags[ownerTag] ?? clusterName;
  if (owner !== claim.cluster)
    throw new Fault(
      "badEntry",
      `auth.clusterName: ${origin} is not for this entry: expected the entry's name to be the cluster's, or its tag ${ownerTag} to be ${claim.cluster}`,
    );
  const certificateAuthority = readCertificateAuthority(eks.certificateAuthorityData, `the CA of ${origin}`);
  requireSameEndpoint(claim.endpoint, { url: new URL(eks.endpoint), certificateAuthority }, origin);
}

/** AWS_ENDPOINT_URL and AWS_ENDPOINT_URL_EKS apply, as in the SDK. */
export const describeEks: DescribeEks = async ({ clusterName, region }, credentials, signal) => {
  const description = `EKS cluster ${clusterName} in ${region}`;
  // A whole account has few requests a second, so a fleet's first slot meets the limit.
  const retries = openRetries(2);
  return callAws({ action: "eks:DescribeCluster", description, part: "eks", signal }, async (limit) => {
    for (let attempts = 1; ; attempts++) {
      try {
        const { cluster } = await signedGet(
          { service: "eks", region, path: `/clusters/${clusterName}` },
          credentials,
          limit,
        );
        return readCluster(cluster, description);
      } catch (error) {
        const delayMs = isFault(error) ? undefined : retries.delayMs(error, attempts);
        if (delayMs === undefined) throw error;
        await pause(delayMs, limit);
      }
    }
  });
};

function readCluster(cluster: unknown, description: string): EksCluster {
  const { endpoint, certificateAuthority, tags } = isMap(cluster) ? cluster : {};
  const data = isMap(certificateAuthority) ? certificateAuthority["data"] : undefined;
  if (typeof endpoint !== "string" || !URL.canParse(endpoint) || typeof data !== "string")
    throw new Fault(
      "badAnswer",
      `${description}: expected its endpoint and certificate authority from eks:DescribeCluster`,
    );
  return { endpoint, certificateAuthorityData: data, tags: isMap(tags) ? tags : {} };
}
