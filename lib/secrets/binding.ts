import { parseMap, present } from "../k8s/map";
import { problemText } from "../model/check/problem";
import { secretNameProblem } from "../model/entry/secret-name";
import { Fault } from "../model/fault";
import type { AddressRules } from "../net/address";
import { type Endpoint, readCertificateAuthority, readEndpoint, type Schemes } from "../net/endpoint";

/**
 * An entry names its credentials, and anyone who may write one entry can name those of another cluster, or keep the
 * name and change the endpoint. So a credential itself says which entry may use it and where it may go: a secret by its
 * name and its members, an EKS cluster by its name or tag and by what AWS says about it.
 */
export interface BindingClaim {
  /** The entry's name. */
  readonly cluster: string;
  /** Where its connection goes. */
  readonly endpoint: Endpoint;
  /** Further addresses that its connections go to, with the endpoint's TLS: the other members of a cluster. */
  readonly others?: readonly URL[];
  /** Default: https and http. */
  readonly schemes?: Schemes | ServiceScheme;
}

/** Of addresses behind a cluster's API server: `via://namespace/service:port`. They are no hosts. */
type ServiceScheme = "via";

/** Where a secret may be used. */
export interface Bound extends Endpoint {
  /** If the secret has a list of addresses: all of them. */
  readonly others?: readonly URL[];
}

/** Throws Fault "badEntry" unless the secret belongs to this cluster by its name. */
export function requireOwnSecret(cluster: string, secret: string): void {
  const problem = secretNameProblem(cluster, secret);
  if (problem !== undefined) throw new Fault("badEntry", problemText(problem));
}

/** A secret's JSON: the members that say where it may be used, and those of the credential. Throws Fault "badEntry". */
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
    // The error shows how the text begins, and this one is part of a secret.
    const message = `${where}: expected certificateAuthorityData to be base64 of a PEM certificate`;
    throw new Fault("badEntry", message, { part: "secret" });
  }
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

/** What an endpoint may give, and the entry's field for it. */
const fields = [
  ["endpoint", ({ url }: Partial<Endpoint>) => url && addressOf(url)],
  ["certificateAuthorityData", ({ certificateAuthority: pem }: Partial<Endpoint>) => pem?.replace(/\s/g, "")],
  ["tlsServerName", ({ tlsServerName }: Partial<Endpoint>) => tlsServerName],
] as const;

/** Throws Fault "badEntry" unless the entry's connections go where its credential is for, by `origin`. */
export function requireSameEndpoint(entry: Bound, bound: Bound, origin: string): void {
  const allowed = [bound.url, ...(bound.others ?? [])].map(addressOf);
  for (const url of [entry.url, ...(entry.others ?? [])])
    if (!allowed.includes(addressOf(url))) throw elsewhere("endpoint", addressOf(url), origin);
  for (const [field, read] of fields.slice(1))
    if (read(entry) !== read(bound)) throw elsewhere(field, read(entry), origin);
}

function addressOf(url: URL): string {
  return url.href.replace(/\/+$/, "");
}

/** The same for a kubeconfig, which has its own address: the entry may leave the address out, but must not differ. */
export function requireNoOther(entry: Partial<Endpoint>, kubeconfig: Endpoint, where: string): void {
  for (const [field, read] of fields) {
    const given = read(entry);
    if (given !== undefined && given !== read(kubeconfig))
      throw new Fault("badEntry", `spec.${field}: expected nothing, or the same as in the kubeconfig of ${where}`);
  }
}

/** Quotes neither side: what the origin says may be secret. */
function elsewhere(field: string, given: string | undefined, origin: string): Fault {
  const got = given === undefined ? "none" : "another";
  return new Fault(
    "badEntry",
    `spec.${field}: expected the one of ${origin}, got ${got}; correct the entry, or ${origin} if the entry is right`,
  );
}
