import type { AddressRules } from "../../net/address";
import { readCertificateAuthority, readEndpoint } from "../../net/endpoint";
import { badParameter } from "../parameters";
import type { WebServer } from "./web-client";

export interface ServerParameters {
  readonly secret?: string;
  readonly certificateAuthorityData?: string;
  readonly tlsServerName?: string;
  readonly timeoutSeconds?: number;
  readonly via?: {
    readonly namespace?: string;
    readonly service?: string;
    readonly port?: string;
    readonly scheme?: "http" | "https";
  };
}

const defaultTimeoutSeconds = 5;

/**
 * With a secret, the server must have TLS.
 * @throws Fault "badEntry".
 */
export function readServer(url: string, parameters: ServerParameters, addresses: AddressRules): WebServer {
  const { secret, certificateAuthorityData, tlsServerName, timeoutSeconds = defaultTimeoutSeconds } = parameters;
  if (parameters.via !== undefined) return { ...serviceServer(url, parameters), timeoutMs: timeoutSeconds * 1000 };
  if (!/^https?:/.test(url)) throw badParameter("url", "https://host[:port][/path], or via for a path", url);
  const mayBePlain = secret === undefined;
  return {
    endpoint: {
      url: readEndpoint(url, { name: "parameter url", mayBePlain }, addresses),
      ...(certificateAuthorityData !== undefined && {
        certificateAuthority: readCertificateAuthority(certificateAuthorityData, "parameter certificateAuthorityData"),
      }),
      ...(tlsServerName !== undefined && { tlsServerName }),
    },
    secret,
    timeoutMs: timeoutSeconds * 1000,
  };
}

/** The API server has its own credentials, and checks no certificate of a service. */
function serviceServer(path: string, parameters: ServerParameters): Pick<WebServer, "endpoint" | "via"> {
  for (const name of ["secret", "certificateAuthorityData", "tlsServerName"] as const)
    if (parameters[name] !== undefined)
      throw badParameter(
        name,
        "nothing beside via: the API server forwards no credential and checks no certificate",
        "one",
      );
  if (!/^(\/[^?#]*)?$/.test(path))
    throw badParameter("url", "a path such as /prometheus, because via names the server", path);
  const { namespace = "", service = "", port = "", scheme = "http" } = parameters.via ?? {};
  const isNumber = /^\d+$/.test(port);
  const host = `${service}.${namespace}.svc${isNumber ? `:${port}` : ""}`;
  return { endpoint: { url: new URL(`${scheme}://${host}${path}`) }, via: { namespace, service, port, scheme } };
}
