import type { ClusterAuth } from "../../model/entry/entries";
import { Fault, errorText } from "../../model/fault";
import type { EpochMs } from "../../k8s/time";
import type { AssumeRole, AwsCredentialProvider, AwsCredentials, Authenticator, Credential } from "./credential";
import { renewing } from "./credential";
import { eksToken } from "./eks-token";
import type { ReadSecret } from "./secrets";
import { abortReason, unlessAborted } from "../../async/within-time";

export interface AuthenticatorDeps {
  readonly secrets: ReadSecret;
  readonly awsCredentials: AwsCredentialProvider;
  readonly assumeRole?: AssumeRole;
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
  deps: AuthenticatorDeps,
): Authenticator {
  switch (auth.type) {
    case "token":
      return fromSecret(auth.secret, deps, readToken);
    case "clientCertificate":
      return fromSecret(auth.secret, deps, readCertificate);
    case "eks":
      return eksAuthenticator(auth, deps);
  }
}

function fromSecret(
  name: string,
  { secrets, now }: AuthenticatorDeps,
  read: (text: string, name: string) => Credential,
): Authenticator {
  return renewing(async (signal) => {
    const until = now() + SECRET_MS;
    return { credential: read(await secrets(name, signal), name), until };
  }, now);
}

function readToken(text: string, name: string): Credential {
  const token = text.trim();
  // A line break or a control character would split the header. A JSON document is a secret of another form.
  if (token === "" || !/^[\x21-\x7e]+$/.test(token) || token.startsWith("{"))
    throw new Fault("badEntry", `auth.secret ${name}: expected a bearer token and nothing else`);
  return { headers: { Authorization: `Bearer ${token}` } };
}

function readCertificate(text: string, name: string): Credential {
  const { certificate, key } = parseJson(text, name);
  if (typeof certificate !== "string" || typeof key !== "string" || !certificate.includes("-----BEGIN"))
    throw new Fault("badEntry", `auth.secret ${name}: expected {"certificate": <PEM>, "key": <PEM>}`);
  return { headers: {}, certificate: { certificate, key } };
}

function parseJson(text: string, name: string): { readonly certificate?: unknown; readonly key?: unknown } {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : {};
  } catch {
    // JSON.parse's own message would quote the text, which is secret.
    throw new Fault("badEntry", `auth.secret ${name}: expected JSON {"certificate": <PEM>, "key": <PEM>}`);
  }
}

function eksAuthenticator(auth: Extract<ClusterAuth, { type: "eks" }>, deps: AuthenticatorDeps): Authenticator {
  const { roleArn, region } = auth;
  let provider: AwsCredentialProvider | undefined;
  const open = async (): Promise<AwsCredentialProvider> => {
    if (roleArn === undefined) return deps.awsCredentials;
    const assume = deps.assumeRole ?? (await import("./assume-role")).assumeRole;
    return assume(roleArn, region, deps.awsCredentials);
  };
  return renewing(async (signal, fresh) => {
    // The provider caches an assumed role's credentials. After a refusal, create a new one.
    if (fresh) provider = undefined;
    provider ??= await open();
    const credentials = await readCredentials(provider, auth, signal);
    const { token, until } = await eksToken(auth, credentials, deps.now());
    return { credential: { headers: { Authorization: `Bearer ${token}` } }, until };
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
    const why = errorText(cause);
    const who = roleArn === undefined ? "" : ` of role ${roleArn}`;
    throw new Fault("unauthorized", `EKS cluster ${clusterName}: expected AWS credentials${who}: ${why}`, { cause });
  }
}
