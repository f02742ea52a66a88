import { errorText, Fault } from "../model/fault";
import type { Authenticator, Credential } from "../net/credential";

/** After a renewal, an answer to a request with the last credential may still come. */
const rememberedCredentials = 3;
/** A shorter text occurs in any message by chance. */
const shortestSecret = 4;

/**
 * Remembers its credentials. A server or a proxy may repeat them in a message, and messages go to conditions, events,
 * logs and the table.
 */
export interface Hiding<Of = Credential> extends Authenticator<Of> {
  hide(error: unknown): unknown;
}

export function hiding(authenticator: Authenticator): Hiding {
  return hidingTexts(authenticator, secretsOf);
}

export function hidingTexts<Of>(
  authenticator: Authenticator<Of>,
  textsOf: (credential: Of) => readonly string[],
): Hiding<Of> {
  const seen: Of[] = [];
  return {
    async credential(signal) {
      const credential = await authenticator.credential(signal);
      if (!seen.includes(credential))
        seen.splice(0, seen.length, credential, ...seen.slice(0, rememberedCredentials - 1));
      return credential;
    },
    invalidate: (refused) => authenticator.invalidate(refused),
    hide: (error) => (error instanceof Fault ? withoutSecrets(error, seen.flatMap(textsOf)) : error),
  };
}

/** In any form in which a message may quote them. */
export function withoutSecrets(fault: Fault, texts: readonly string[]): Fault {
  const { kind, status, lack, part, cause } = fault;
  const secrets = formsOf(texts);
  const message = secrets.reduce((text, secret) => text.replaceAll(secret, "[redacted]"), fault.message);
  const why = cause === undefined ? "" : errorText(cause);
  if (message === fault.message && !secrets.some((secret) => why.includes(secret))) return fault;
  return new Fault(kind, message, { ...(status !== undefined && { status }), lack, part });
}

/** Longest first, so that no part of one is left. */
function formsOf(texts: readonly string[]): readonly string[] {
  const forms = texts.flatMap((secret) => [
    secret,
    encodeURIComponent(secret),
    Buffer.from(secret).toString("base64"),
    Buffer.from(secret).toString("base64url"),
  ]);
  return [...new Set(forms)]
    .filter(({ length }) => length >= shortestSecret)
    .sort((one, other) => other.length - one.length);
}

function secretsOf({ headers }: Credential): readonly string[] {
  return Object.entries(headers).flatMap(([name, value]) => {
    if (name.toLowerCase() !== "authorization") return [value];
    const [scheme = "", text = ""] = value.split(" ");
    return [value, text, ...(scheme === "Basic" ? basic(text) : []), ...eks(text)];
  });
}

function basic(text: string): readonly string[] {
  const decoded = Buffer.from(text, "base64").toString("utf8");
  return [decoded, decoded.slice(decoded.indexOf(":") + 1)];
}

/** An EKS token is a signed address, which contains AWS's session token readably. */
function eks(text: string): readonly string[] {
  const address = Buffer.from(text.replace(/^k8s-aws-v1\./, ""), "base64url").toString("utf8");
  if (!text.startsWith("k8s-aws-v1.") || !URL.canParse(address)) return [];
  const { searchParams } = new URL(address);
  return [address, ...["X-Amz-Security-Token", "X-Amz-Signature"].flatMap((name) => searchParams.get(name) ?? [])];
}
