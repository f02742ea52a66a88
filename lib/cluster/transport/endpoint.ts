import { X509Certificate } from "node:crypto";
import { Fault } from "../../model/fault";

/** Where a cluster's API server is, and how it proves its identity. */
export interface Endpoint {
  /** Without a trailing slash. Its path, if any, is a prefix of every request's path. */
  readonly url: URL;
  /** PEM of the private CA. Absent: Node's root certificates. */
  readonly certificateAuthority?: string;
  readonly tlsServerName?: string;
}

/**
 * Reads an API server's address. `field` names where the user wrote it. Plain http shows the credential to the network,
 * so it is allowed only to this machine (a simulated cluster, `kubectl proxy`). Throws Fault "badEntry".
 */
export function readEndpoint(text: string, field: string): URL {
  let url: URL;
  try {
    url = new URL(text);
  } catch (cause) {
    throw new Fault("badEntry", `${field}: expected https://host[:port][/path], got ${JSON.stringify(text)}`, {
      cause,
    });
  }
  if (url.username !== "" || url.password !== "")
    throw new Fault(
      "badEntry",
      `${field}: expected an address without a user name or password in it; use auth for these`,
    );
  if (url.protocol === "http:" && !isLoopback(url.hostname))
    throw new Fault("badEntry", `${field}: expected https, got ${text}: plain http is allowed only to this machine`);
  if (url.protocol !== "https:" && url.protocol !== "http:")
    throw new Fault("badEntry", `${field}: expected https://host[:port][/path], got ${JSON.stringify(text)}`);
  if (url.search !== "" || url.hash !== "")
    throw new Fault(
      "badEntry",
      `${field}: expected an address without a query or fragment, got ${JSON.stringify(text)}`,
    );
  return url;
}

/** Decodes certificateAuthorityData (base64 of one or more PEM certificates). Throws Fault "badEntry". */
export function readCertificateAuthority(data: string, field: string): string {
  const pem = Buffer.from(data, "base64").toString("utf8");
  try {
    new X509Certificate(pem);
  } catch (cause) {
    throw new Fault("badEntry", `${field}: expected base64 of a PEM certificate, got ${summary(data)}`, { cause });
  }
  return pem;
}

function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

function summary(data: string): string {
  return data.length <= 40
    ? JSON.stringify(data)
    : `${data.length} characters starting ${JSON.stringify(data.slice(0, 24))}`;
}
