import { errorText, Fault } from "../../model/fault";
import type { ApiClient } from "../api/api-client";
import type { Authenticator, Credential } from "../../http/credential";

/** After a renewal, an answer to a request with the last credential may still come. */
const rememberedCredentials = 3;
/** A shorter text occurs in any message by chance. */
const shortestSecret = 4;

/**
 * Hides the credentials of a client's own requests in its errors: an API server's message, or a proxy's, may repeat
 * what it was sent. Messages go to conditions, events, logs and the table.
 */
export function hidingCredentials(
  authenticator: Authenticator,
  open: (authenticator: Authenticator) => ApiClient,
): ApiClient {
  const seen: Credential[] = [];
  const ask = open({
    ...authenticator,
    async credential(signal) {
      const credential = await authenticator.credential(signal);
      if (!seen.includes(credential))
        seen.splice(0, seen.length, credential, ...seen.slice(0, rememberedCredentials - 1));
      return credential;
    },
  });
  return async (request, signal) => {
    try {
      return await ask(request, signal);
    } catch (error) {
      throw error instanceof Fault ? hidden(error, seen.flatMap(secretsOf)) : error;
    }
  };
}

function hidden(fault: Fault, secrets: readonly string[]): Fault {
  const { kind, status, cause } = fault;
  const message = secrets.reduce((text, secret) => text.replaceAll(secret, "[redacted]"), fault.message);
  const why = cause === undefined ? "" : errorText(cause);
  if (message === fault.message && !secrets.some((secret) => why.includes(secret))) return fault;
  return new Fault(kind, message, status === undefined ? {} : { status });
}

/** What a message could repeat of a credential, longest first, so that no part of one is left. */
function secretsOf({ headers }: Credential): readonly string[] {
  const value = headers["Authorization"];
  if (value === undefined) return [];
  const [scheme = "", text = ""] = value.split(" ");
  const secrets = [value, text, ...(scheme === "Basic" ? basic(text) : []), ...eks(text)];
  const forms = secrets.flatMap((secret) => [
    secret,
    encodeURIComponent(secret),
    Buffer.from(secret).toString("base64"),
    Buffer.from(secret).toString("base64url"),
  ]);
  return [...new Set(forms)]
    .filter(({ length }) => length >= shortestSecret)
    .sort((one, other) => other.length - one.length);
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
