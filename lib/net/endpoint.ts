import { X509Certificate } from "node:crypto";
import { isIP } from "node:net";
import { Fault } from "../model/fault";
import { type AddressRules, hostName, isReachable, refusal, refusedAddress } from "./address";

export interface Endpoint {
  /** Without a trailing slash. */
  readonly url: URL;
  /** PEM of the private CA. Absent: Node's root certificates. */
  readonly certificateAuthority?: string;
  readonly tlsServerName?: string;
}

export interface Schemes {
  readonly secure: string;
  readonly plain: string;
}

const web: Schemes = { secure: "https", plain: "http" };

/** The field that has the address, for messages. */
export interface AddressField {
  readonly name: string;
  /** From a secret: no message quotes it. */
  readonly secret?: boolean;
  /** No credential goes there, so plain http shows none. */
  readonly mayBePlain?: boolean;
  /** Default: https and http. */
  readonly schemes?: Schemes;
}

/**
 * Plain http shows a credential to the network, so it is allowed only to this machine (a simulated cluster, `kubectl
 * proxy`).
 * @throws Fault "badEntry".
 */
export function readEndpoint(
  text: string,
  { name, secret = false, mayBePlain = false, schemes = web }: AddressField,
  rules: AddressRules,
): URL {
  const { secure, plain } = schemes;
  const bad = (what: string) => new Fault("badEntry", `${name}: ${what}`);
  const got = secret ? "something else" : JSON.stringify(withoutUser(text));
  const form = `expected ${secure}://${schemes === web ? "host[:port][/path]" : "host:port"}, got ${got}`;
  if (!URL.canParse(text)) throw bad(form);
  const url = new URL(text);
  if (url.username !== "" || url.password !== "")
    throw bad("expected an address without a user name or password in it; use auth for these");
  const host = hostName(url.hostname);
  const isPlain = url.protocol === `${plain}:`;
  const origin = `${url.protocol}//${url.host}`;
  if (isPlain && !mayBePlain && !isThisMachine(host))
    throw bad(`expected ${secure}, got ${origin}: plain ${plain} is allowed only to this machine`);
  if (isPlain && !mayBePlain && !rules.loopback)
    throw bad(`expected ${secure}, got ${origin}: a deployed function uses no plain ${plain}`);
  if (!isPlain && url.protocol !== `${secure}:`) throw bad(form);
  if (url.search !== "" || url.hash !== "") throw bad(`expected an address without a query or fragment, got ${got}`);
  if (!isReachable(host, rules))
    throw bad(`expected a host that the deployment's sourceHosts allows, got ${secret ? "another" : host}`);
  const refused = isIP(host) === 0 ? undefined : refusedAddress(host, host, rules);
  if (refused !== undefined) throw bad(refusal(host, host, refused).message);
  return url;
}

/** Without a user name and password, which people sometimes put there. */
function withoutUser(text: string): string {
  return text.replace(/^(\w+:\/\/)?.*@/s, "$1…@");
}

/**
 * Base64 of one or more PEM certificates.
 * @throws Fault "badEntry".
 */
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
