import type { ClusterAuth } from "../../model/entry/entries";
import { Fault } from "../../model/fault";
import type { EpochMs } from "../../k8s/time";
import { sdkErrorOf, serviceWords } from "../../aws/fault";
import type { AssumeRole, AwsCredentialProvider, AwsCredentials } from "./aws-credentials";
import type { Authenticator, Credential } from "../../http/credential";
import { renewing } from "../../http/credential";
import type { AddressRules } from "../../http/address";
import { type Claim, readBoundSecret, requireOwnSecret, requireSameEndpoint } from "./binding";
import { type DescribeEks, describeEks, externalIdOf, requireEksCluster, requireEksNames } from "./eks-cluster";
import { eksToken } from "./eks-token";
import type { ReadSecret } from "./secrets";
import { abortReason, unlessAborted } from "../../async/within-time";

export interface AuthenticatorDeps {
  readonly secrets: ReadSecret;
  readonly awsCredentials: AwsCredentialProvider;
  readonly assumeRole?: AssumeRole;
  readonly describeEks?: DescribeEks;
  /** Where connections to clusters may go. */
  readonly addresses: AddressRules;
  readonly now: () => EpochMs;
}

/**
 * How long a secret is used before it is read again. A 401 reads it at once, so this only bounds how long a silent
 * change goes unnoticed.
 */
const SECRET_MS = 300_000;

/** The authenticator for every kind of auth except kubeconfig, which gives more than a credential (openKubeconfig). */
export function authenticatorFor(
  auth: Exclude<ClusterAuth, { type: "kubeconfig" }>,
  claim: Claim,
  deps: AuthenticatorDeps,
): Authenticator {
  switch (auth.type) {
    case "token":
      return fromSecret(auth.secret, token, claim, deps);
    case "clientCertificate":
      return fromSecret(auth.secret, clientCertificate, claim, deps);
    case "eks":
      return eksAuthenticator(auth, claim, deps);
  }
}

/** What a secret holds beside its address. */
interface SecretForm {
  /** For messages. */
  readonly members: string;
  /** Undefined: not in this form. */
  readonly read: (members: Readonly<Record<string, unknown>>) => Credential | undefined;
}

const token: SecretForm = {
  members: '"token": <a bearer token>',
  // A line break or a control character would split the header.
  read: ({ token: text }) =>
    typeof text === "string" && /^[\x21-\x7e]+$/.test(text.trim())
      ? { headers: { Authorization: `Bearer ${text.trim()}` } }
      : undefined,
};

const clientCertificate: SecretForm = {
  members: '"certificate": <PEM>, "key": <PEM>',
  read: ({ certificate, key }) =>
    typeof certificate === "string" && typeof key === "string" && certificate.includes("-----BEGIN")
      ? { headers: {}, certificate: { certificate, key } }
      : undefined,
};

function fromSecret(name: string, form: SecretForm, claim: Claim, deps: AuthenticatorDeps): Authenticator {
  requireOwnSecret(claim.cluster, name);
  const { secrets, addresses, now } = deps;
  const where = `auth.secret ${name}`;
  return renewing(async (signal) => {
    const until = now() + SECRET_MS;
    const text = await secrets(name, signal);
    const { bound, members } = readBoundSecret(text, where, { credential: form.members, addresses });
    requireSameEndpoint(claim.endpoint, bound, where);
    const credential = form.read(members);
    if (credential === undefined) throw new Fault("badEntry", `${where}: expected ${form.members} beside its endpoint`);
    return { credential, until };
  }, now);
}

function eksAuthenticator(
  auth: Extract<ClusterAuth, { type: "eks" }>,
  claim: Claim,
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
    // The provider caches an assumed role's credentials. After a refusal, create a new one, and look again whose
    // endpoint it is.
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
    throw new Fault("unauthorized", `EKS cluster ${clusterName}: expected AWS credentials${who}: ${why}`);
  }
}
