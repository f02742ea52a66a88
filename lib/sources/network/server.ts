import type { AddressRules } from "../../http/address";
import { readCertificateAuthority, readEndpoint } from "../../http/endpoint";
import type { WebServer } from "./web-client";

/** The parameters in serverFields. */
export interface ServerParameters {
  readonly secret?: string;
  readonly certificateAuthorityData?: string;
  readonly tlsServerName?: string;
  readonly timeoutSeconds?: number;
}

const defaultTimeoutSeconds = 5;

/** The server at a URL. Only without a secret may it be plain http. Throws a Fault "badEntry" that names the field. */
export function readServer(
  url: string,
  { secret, certificateAuthorityData, tlsServerName, timeoutSeconds = defaultTimeoutSeconds }: ServerParameters,
  addresses: AddressRules,
): WebServer {
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
