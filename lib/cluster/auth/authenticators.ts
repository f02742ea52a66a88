import type { ClusterAuth } from "../../model/entry/entries";
import { Fault } from "../../model/fault";
import { sdkErrorOf, serviceWords } from "../../aws/fault";
import type { AwsCredentialProvider, AwsCredentials } from "../../aws/credentials";
import type { AssumeRole } from "./assumed-role";
import { type Authenticator, renewing } from "../../net/credential";
import type { BindingClaim } from "../../secrets/binding";
import { type DescribeEks, describeEks, externalIdOf, requireEksCluster, requireEksNames } from "./eks-cluster";
import { bearerToken, clientCertificate, secretCredential, type SecretDeps } from "../../secrets/secret-credential";
import { HttpRequest } from "@smithy/protocol-http";
import { SignatureV4 } from "@smithy/signature-v4";
import type { EpochMs } from "../../k8s/time";
import { awsHost } from "../../aws/endpoint";
import { Sha256 } from "../../aws/sha256";

export interface AuthenticatorDeps extends SecretDeps {
  readonly awsCredentials: AwsCredentialProvider;
  readonly assumeRole?: AssumeRole;
  readonly describeEks?: DescribeEks;
}

/** Except kubeconfig, which gives more than a credential (openKubeconfig). */
export function authenticatorFor(
  auth: Exclude<ClusterAuth, { type: "kubeconfig" }>,
  claim: BindingClaim,
  deps: AuthenticatorDeps,
): Authenticator {
  switch (auth.type) {
    case "token":
      return secretCredential({ name: auth.secret, field: "auth.secret" }, bearerToken, claim, deps);
    case "clientCertificate":
      return secretCredential({ name: auth.secret, field: "auth.secret" }, clientCertificate, claim, deps);
    case "eks":
      return eksAuthenticator(auth, claim, deps);
  }
}

function eksAuthenticator(
  auth: Extract<ClusterAuth, { type: "eks" }>,
  claim: BindingClaim,
  deps: AuthenticatorDeps,
): Authenticator {
  const { roleArn, region } = auth;
  requireEksNames(auth, claim.cluster);
  let provider: AwsCredentialProvider | undefined;
  let isChecked = false;
  const open = async (): Promise<AwsCredentialProvider> => {
    if (roleArn === undefined) return deps.awsCredentials;
    const assume = deps.assumeRole ?? (await import("./assume-role")).assumeRole;
    return assume({ roleArn, region, externalId: externalIdOf(claim.cluster) }, deps.awsCredentials);
  };
  return renewing(async (signal, fresh) => {
    // The provider caches an assumed role's credentials. After a refusal, open a new one and check the endpoint again.
    if (fresh) {
      provider = undefined;
      isChecked = false;
    }
    provider ??= await open();
    const credentials = await readCredentials(provider, auth);
    if (!isChecked) requireEksCluster(auth, claim, await (deps.describeEks ?? describeEks)(auth, credentials, signal));
    isChecked = true;
    const { token: text, until } = await eksToken(auth, credentials, deps.now());
    return { credential: { headers: { Authorization: `Bearer ${text}` } }, until };
  }, deps.now);
}

async function readCredentials(
  provider: AwsCredentialProvider,
  { clusterName, roleArn }: Extract<ClusterAuth, { type: "eks" }>,
): Promise<AwsCredentials> {
  try {
    return await provider();
  } catch (cause) {
    const why = serviceWords(sdkErrorOf(cause));
    const who = roleArn === undefined ? "" : ` of role ${roleArn}`;
    const message = `EKS cluster ${clusterName}: expected AWS credentials${who}: ${why}`;
    throw new Fault("unauthorized", message, { lack: "credentials", part: "eks" });
  }
}

/** The cluster's webhook refuses a token after 15 minutes. Clocks may differ by minutes. */
const KEEP_MS = 600_000;

const EXPIRY_MARGIN_MS = 60_000;

/** The X-Amz-Expires that the webhook expects. A token's age counts from X-Amz-Date. */
const URL_EXPIRES_SECONDS = 60;

/**
 * A presigned GetCallerIdentity with the cluster's name as a signed header. The cluster's webhook sends it to find the
 * signer. https://github.com/kubernetes-sigs/aws-iam-authenticator#api-authorization-from-outside-a-cluster
 */
export async function eksToken(
  cluster: { readonly clusterName: string; readonly region: string },
  credentials: AwsCredentials,
  now: EpochMs,
): Promise<{ readonly token: string; readonly until: EpochMs }> {
  const { clusterName, region } = cluster;
  const hostname = awsHost("sts", region);
  const signer = new SignatureV4({ service: "sts", region, credentials, sha256: Sha256 });
  const request = new HttpRequest({
    method: "GET",
    protocol: "https:",
    hostname,
    path: "/",
    query: { Action: "GetCallerIdentity", Version: "2011-06-15" },
    headers: { host: hostname, "x-k8s-aws-id": clusterName },
  });
  const signed = await signer.presign(request, { expiresIn: URL_EXPIRES_SECONDS, signingDate: new Date(now) });
  const query = Object.entries(signed.query ?? {}).map(([name, value]) => `${encode(name)}=${encode(String(value))}`);
  const url = `https://${hostname}/?${query.join("&")}`;
  const expiry = credentials.expiration?.getTime() ?? Infinity;
  return {
    token: `k8s-aws-v1.${Buffer.from(url, "utf8").toString("base64url")}`,
    until: Math.min(now + KEEP_MS, expiry - EXPIRY_MARGIN_MS),
  };
}

/** RFC 3986, as SigV4 requires: encodeURIComponent leaves !'()* as they are. */
function encode(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
}
