import { Fault } from "../model/fault";
import type { EpochMs } from "../k8s/time";
import { type Credential, type ReadCredential, renewing, type Authenticator } from "../net/credential";
import type { AddressRules } from "../net/address";
import { type BindingClaim, readBoundSecret, requireOwnSecret, requireSameEndpoint } from "./binding";
import type { ReadSecret } from "./secrets";
import { isVariable, type ReadVariable, readVariable, requireOwnVariable } from "./variable";

/** A refusal reads the secret at once, so this only bounds how long a silent change goes unnoticed. */
const SECRET_MS = 300_000;
/** An outage of AWS' secrets stops no scaling sooner. */
const WITHOUT_ANSWER_MS = 3_600_000;

export interface SecretForm<Of> {
  readonly members: string;
  /** For a secret with a CA alone. Absent: it needs more. */
  readonly none?: Of;
  /** Undefined: not in this form. */
  readonly read: (members: Readonly<Record<string, unknown>>) => Of | undefined;
}

export interface SecretDeps {
  readonly secrets: ReadSecret;
  /** Absent: `env:` is refused. */
  readonly variables?: ReadVariable;
  readonly addresses: AddressRules;
  readonly now: () => EpochMs;
}

export interface NamedSecret {
  readonly name: string;
  readonly field: string;
  readonly mayBeVariable?: true;
}

/**
 * Checks that the secret is for this claim. Rejects with a Fault.
 * @throws Fault "badEntry" if the secret is not the cluster's own.
 */
export function openSecret<Of>(
  { name, field, mayBeVariable }: NamedSecret,
  form: SecretForm<Of>,
  claim: BindingClaim,
  { secrets, variables, addresses, now }: SecretDeps,
): (signal: AbortSignal) => Promise<{ readonly value: Of; readonly until: EpochMs }> {
  const isOfMachine = mayBeVariable === true && isVariable(name);
  if (!isOfMachine) requireOwnSecret(claim.cluster, name);
  else readVariable(field, name, variables);
  const where = `${field} ${name}`;
  return async (signal) => {
    const until = now() + SECRET_MS;
    const text = isOfMachine ? readVariable(field, name, variables) : await secrets(name, signal);
    const { endpoint, others = [], schemes } = claim;
    const { bound, members } = readBoundSecret(text, where, { credential: form.members, addresses, schemes });
    if (isOfMachine) requireOwnVariable(claim.cluster, members, where);
    requireSameEndpoint({ ...endpoint, others }, bound, where);
    const isAlone =
      bound.certificateAuthority !== undefined && Object.keys(members).every((name) => ofBinding.has(name));
    const value = isAlone ? form.none : form.read(members);
    if (value === undefined)
      throw new Fault("badEntry", `${where}: expected ${form.members} beside its endpoint`, { part: "secret" });
    return { value, until };
  };
}

const ofBinding: ReadonlySet<string> = new Set(["cluster", "endpoint", "certificateAuthorityData", "tlsServerName"]);

export function secretCredential<Of = Credential>(
  named: NamedSecret,
  form: SecretForm<Of>,
  claim: BindingClaim,
  deps: SecretDeps,
): Authenticator<Of> {
  const open = openSecret(named, form, claim, deps);
  const read: ReadCredential<Of> = async (signal) => {
    const { value: credential, until } = await open(signal);
    return { credential, until, lasts: until + WITHOUT_ANSWER_MS };
  };
  return renewing(read, deps.now);
}

export const bearerToken: SecretForm<Credential> = {
  members: '"token": <a bearer token>',
  // A line break or a control character would split the header.
  read: ({ token: text }) =>
    typeof text === "string" && /^[\x21-\x7e]+$/.test(text.trim())
      ? { headers: { Authorization: `Bearer ${text.trim()}` } }
      : undefined,
};

export const clientCertificate: SecretForm<Credential> = {
  members: '"certificate": <PEM>, "key": <PEM>',
  read: ({ certificate, key }) =>
    typeof certificate === "string" && typeof key === "string" && certificate.includes("-----BEGIN")
      ? { headers: {}, certificate: { certificate, key } }
      : undefined,
};
