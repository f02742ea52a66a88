import { X509Certificate } from "node:crypto";
import { isIP } from "node:net";
import { Fault } from "../model/fault";
import { type AddressRules, hostName, isReachable, refusal, refusedAddress } from "./address";

/** Where a server is, and how it proves its identity. */
export interface Endpoint {
  /** Without a trailing slash. Its path, if any, is a prefix of every request's path. */
  readonly url: URL;
  /** PEM of the private CA. Absent: Node's root certificates. */
  readonly certificateAuthority?: string;
  readonly tlsServerName?: string;
}

/** Where an address was written: for messages, and what may be shown of it. */
export interface AddressField {
  readonly name: string;
  /** It came from a secret, so no message quotes it. */
  readonly secret?: boolean;
  /** No credential goes there, so plain http shows none. */
  readonly mayBePlain?: boolean;
}

/**
 * Reads a server's address. Plain http shows a credential to the network, so it is allowed only to this machine
 * (a simulated cluster, `kubectl proxy`), and only where connections to this machine are. Throws Fault "badEntry".
 */
export function readEndpoint(
  text: string,
  { name, secret = false, mayBePlain = false }: AddressField,
  rules: AddressRules,
): URL {
  const bad = (what: string) => new Fault("badEntry", `${name}: ${what}`);
  const got = secret ? "something else" : JSON.stringify(withoutUser(text));
  if (!URL.canParse(text)) throw bad(`expected https://host[:port][/path], got ${got}`);
  const url = new URL(text);
  if (url.username !== "" || url.password !== "")
    throw bad("expected an address without a user name or password in it; use auth for these");
  const host = hostName(url.hostname);
  if (url.protocol === "http:" && !mayBePlain && !isThisMachine(host))
    throw bad(`expected https, got ${url.origin}: plain http is allowed only to this machine`);
  if (url.protocol === "http:" && !mayBePlain && !rules.loopback)
    throw bad(`expected https, got ${url.origin}: a deployed function uses no plain http`);
  if (url.protocol !== "https:" && url.protocol !== "http:")
    throw bad(`expected https://host[:port][/path], got ${got}`);
  if (url.search !== "" || url.hash !== "") throw bad(`expected an address without a query or fragment, got ${got}`);
  if (!isReachable(host, rules))
    throw bad(`expected a host that the deployment's sourceHosts allows, got ${secret ? "another" : host}`);
  const refused = isIP(host) === 0 ? undefined : refusedAddress(host, host, rules);
  if (refused !== undefined) throw bad(refusal(host, host, refused).message);
  return url;
}

/** An address for a message: without a user name and password, which people sometimes put there. */
function withoutUser(text: string): string {
  return text.replace(/^(\w+:\/\/)?.*@/s, "$1…@");
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

function isThisMachine(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127\.\d+\.\d+\.\d+$/.test(host);
}

function summary(data: string): string {
  return data.length <= 40
    ? JSON.stringify(data)
    : `${data.length} characters starting ${JSON.stringify(data.slice(0, 24))}`;
}
