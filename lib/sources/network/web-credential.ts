import { type Authenticator, type Credential, fixedCredential } from "../../net/credential";
import type { Endpoint } from "../../net/endpoint";
import { type SecretForm, secretCredential } from "../../secrets/secret-credential";
import type { SourceNetwork } from "./network";

const anyCredential: SecretForm<Credential> = {
  members: '"token", or "username" and "password", "headers", "certificate" and "key"; a header in printable ASCII',
  none: { headers: {} },
  read(members) {
    const { token, username, password, headers = {}, certificate, key } = members;
    const given = Object.entries(headers as Readonly<Record<string, unknown>>);
    if (!given.every(([name, value]) => /^[\w-]+$/.test(name) && isHeaderValue(value))) return undefined;
    const authorization =
      token !== undefined
        ? isHeaderValue(token) && `Bearer ${token}`
        : username !== undefined || password !== undefined
          ? isText(username) && isText(password) && basic(username, password)
          : undefined;
    if (authorization === false) return undefined;
    const isPair = isText(certificate) && isText(key) && certificate.includes("-----BEGIN");
    if ((certificate !== undefined || key !== undefined) && !isPair) return undefined;
    if (authorization === undefined && given.length === 0 && !isPair) return undefined;
    return {
      headers: {
        ...(headers as Record<string, string>),
        ...(authorization !== undefined && { Authorization: authorization }),
      },
      ...(isPair && { certificate: { certificate, key } }),
    };
  },
};

function basic(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

/** A line break or a control character would split the header. */
function isHeaderValue(value: unknown): value is string {
  return isText(value) && /^[\x20-\x7e]+$/.test(value);
}

export interface WebSecret {
  readonly endpoint: Endpoint;
  readonly secret?: string | undefined;
}

export function webAuthenticator(
  cluster: string,
  { endpoint, secret }: WebSecret,
  network: SourceNetwork,
): Authenticator {
  if (secret === undefined) return fixedCredential<Credential>({ headers: {} });
  return secretCredential(
    { name: secret, field: "secret", mayBeVariable: true },
    anyCredential,
    { cluster, endpoint },
    network,
  );
}
