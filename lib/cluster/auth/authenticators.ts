import type { ClusterAuth } from "../../model/entry/entries";
import { Fault } from "../../model/fault";
import { sdkErrorOf, serviceWords } from "../../aws/fault";
import type { AwsCredentialProvider, AwsCredentials } from "../../aws/credentials";
import type { AssumeRole } from "./assumed-role";
import type { Authenticator } from "../../net/credential";
import { renewing } from "../../net/credential";
import type { BindingClaim } from "../../secrets/binding";
import { type DescribeEks, describeEks, externalIdOf, requireEksCluster, requireEksNames } from "./eks-cluster";
import { eksToken } from "./eks-token";
import { bearerToken, clientCertificate, secretCredential, type SecretDeps } from "../../secrets/secret-credential";
import { abortReason, unlessAborted } from "../../async/within-time";

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
    const credentials = await readCredentials(provider, auth, signal);
    if (!isChecked) requireEksCluster(auth, claim, await (deps.describeEks ?? describeEks)(auth, credentials, signal));
    isChecked = true;
    const { token: text, until } = await eksToken(auth, credentials, deps.now());
    return { credential: { headers: { Authorization: `Bearer ${text}` } }, until };
  }, deps.now);
}

async function readCredentials(
  provider: AwsCredentialProvider,
  { clusterName, roleArn }: Extract<ClusterAuth, { type: "eks" }>,
  signal: AbortSignal,
): Promise<AwsCredentials> {
  try {
    return await unlessAborted(provider(), signal);
  } catch (cause) {
    if (signal.aborted) throw abortReason(signal);
    const why = serviceWords(sdkErrorOf(cause));
    const who = roleArn === undefined ? "" : ` of role ${roleArn}`;
    const message = `EKS cluster ${clusterName}: expected AWS credentials${who}: ${why}`;
    throw new Fault("unauthorized", message, { lack: "credentials", part: "eks" });
  }
}
