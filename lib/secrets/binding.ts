import { parseMap, present } from "../k8s/map";
import { problemText } from "../model/check/problem";
import { secretNameProblem } from "../model/entry/secret-name";
import { Fault } from "../model/fault";
import type { AddressRules } from "../net/address";
import { type Endpoint, readCertificateAuthority, readEndpoint, type Schemes } from "../net/endpoint";

/**
 * Anyone who may write one entry could name another cluster's credentials, or change the endpoint. So the credential
 * itself says which entry may use it, and for which endpoint: a secret by its name and members, an EKS cluster by its
 * name or tag and by AWS's answer.
 */
export interface BindingClaim {
  readonly cluster: string;
  readonly endpoint: Endpoint;
  readonly others?: readonly URL[];
  /** Default: https and http. */
  readonly schemes?: Schemes | ServiceScheme;
}

/** Addresses behind a cluster's API server: `via://namespace/service:port`. */
type ServiceScheme = "via";

export interface Bound extends Endpoint {
  readonly others?: readonly URL[];
}

/** @throws Fault "badEntry" unless the secret's name belongs to this cluster. */
export function requireOwnSecret(cluster: string, secret: string): void {
  const problem = secretNameProblem(cluster, secret);
  if (problem !== undefined) throw new Fault("badEntry", problemText(problem));
}

/**
 * Separates the binding from the credential.
 * @throws Fault "badEntry".
 */
export function readBoundSecret(
  text: string,
  where: string,
  {
    credential,
    addresses,
    schemes,
  }: {
    readonly credential: string;
    readonly addresses: AddressRules;
    readonly schemes?: BindingClaim["schemes"] | undefined;
  },
): { readonly bound: Bound; readonly members: Readonly<Record<string, unknown>> } {
  const members = parseMap(text);
  const { endpoint, certificateAuthorityData: authority, tlsServerName } = members ?? {};
  const [first, ...others] = Array.isArray(endpoint) ? (endpoint as readonly unknown[]) : [endpoint];
  if (members === undefined || typeof first !== "string" || !others.every(isText))
    throw new Fault(
      "badEntry",
      `${where}: expected JSON {"endpoint": <spec.endpoint>, "certificateAuthorityData": <as in the spec>, ${credential}}, got ${members === undefined ? "no JSON object" : "no endpoint"}; docs/deploy.md, "Secrets", says how to write it`,
      { part: "secret" },
    );
  const read = (address: string): URL => {
    const name = `${where}: endpoint`;
    if (schemes === "via") return readServiceAddress(address, name);
    return readEndpoint(address, { name, secret: true, ...present({ schemes }) }, addresses);
  };
  const bound = {
    url: read(first),
    others: others.map(read),
    ...(isText(authority) && { certificateAuthority: readAuthority(authority, where) }),
    ...(isText(tlsServerName) && { tlsServerName }),
  };
  return { bound, members };
}

function readServiceAddress(text: string, name: string): URL {
  if (/^via:\/\/[a-z0-9.-]+\/[a-z0-9.-]+:[a-z0-9-]+$/.test(text)) return new URL(text);
  throw new Fault("badEntry", `${name}: expected via://namespace/service:port, got something else`);
}

function readAuthority(data: string, where: string): string {
  try {
    return readCertificateAuthority(data, where);
  } catch {
    // The error would show the start of the text, which is part of a secret.
    const message = `${where}: expected certificateAuthorityData to be base64 of a PEM certificate`;
    throw new Fault("badEntry", message, { part: "secret" });
  }
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

const fields = [
  ["endpoint", ({ url }: Partial<Endpoint>) => url && addressOf(url)],
  ["certificateAuthorityData", ({ certificateAuthority: pem }: Partial<Endpoint>) => pem?.replace(/\s/g, "")],
  ["tlsServerName", ({ tlsServerName }: Partial<Endpoint>) => tlsServerName],
] as const;

/** @throws Fault "badEntry" unless `origin` allows the credential for all addresses of the entry. */
export function requireSameEndpoint(entry: Bound, bound: Bound, origin: string): void {
  const allowed = [bound.url, ...(bound.others ?? [])].map(addressOf);
  for (const url of [entry.url, ...(entry.others ?? [])])
    if (!allowed.includes(addressOf(url))) throw elsewhere("endpoint", addressOf(url), origin);
  if (entry.certificateAuthority !== undefined && bound.certificateAuthority === undefined)
    throw new Fault("badEntry", `${origin}: expected the entry's certificateAuthorityData, got none; add it there`);
  for (const [field, read] of fields.slice(1))
    if (read(entry) !== read(bound)) throw elsewhere(field, read(entry), origin);
}

function addressOf(url: URL): string {
  return url.href.replace(/\/+$/, "");
}

/** A kubeconfig has its own address: the entry may omit it, but must not differ. */
export function requireNoOther(entry: Partial<Endpoint>, kubeconfig: Endpoint, where: string): void {
  for (const [field, read] of fields) {
    const given = read(entry);
    if (given !== undefined && given !== read(kubeconfig))
      throw new Fault("badEntry", `spec.${field}: expected nothing, or the same as in the kubeconfig of ${where}`);
  }
}

/** Quotes neither side: the origin's may be secret. */
function elsewhere(field: string, given: string | undefined, origin: string): Fault {
  const got = given === undefined ? "none" : "another";
  return new Fault(
    "badEntry",
    `spec.${field}: expected the one of ${origin}, got ${got}; correct the entry, or ${origin} if the entry is right`,
  );
}
