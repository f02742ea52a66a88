import type { AddressRules } from "../../http/address";
import { type Endpoint, readCertificateAuthority, readEndpoint, type Schemes } from "../../http/endpoint";
import { type Peer, peerText, readPeers } from "./peer";
import type { ServerParameters } from "./server";

/** A server, or the members of a cluster, that speak a protocol of their own over TCP, as an entry names them. */
export interface TcpServer {
  /** Of the first peer. */
  readonly endpoint: Endpoint;
  readonly peers: readonly [Peer, ...Peer[]];
  readonly schemes: Schemes;
  readonly isSecure: boolean;
  readonly secret: string | undefined;
  readonly timeoutMs: number;
}

/** The parameters in tcpFields. */
export interface TcpParameters extends ServerParameters {
  readonly address: string;
  readonly tls?: boolean;
}

/** The server at these addresses. Only without a secret may it be without TLS. Throws a Fault "badEntry". */
export function readTcpServer(
  { address, tls = true, ...parameters }: TcpParameters,
  { schemes, addresses }: { readonly schemes: Schemes; readonly addresses: AddressRules },
): TcpServer {
  const { secret, certificateAuthorityData, tlsServerName, timeoutSeconds = 5 } = parameters;
  const peers = readPeers(address, "address");
  const field = { name: "parameter address", mayBePlain: secret === undefined, schemes };
  for (const peer of peers) readEndpoint(urlOf(peer, { isSecure: tls, schemes }), field, addresses);
  return {
    endpoint: {
      url: new URL(urlOf(peers[0], { isSecure: tls, schemes })),
      ...(certificateAuthorityData !== undefined && {
        certificateAuthority: readCertificateAuthority(certificateAuthorityData, "parameter certificateAuthorityData"),
      }),
      ...(tlsServerName !== undefined && { tlsServerName }),
    },
    peers,
    schemes,
    isSecure: tls,
    secret,
    timeoutMs: timeoutSeconds * 1000,
  };
}

/** `rediss://redis.example.com:6379` */
export function urlOf(peer: Peer, { isSecure, schemes }: Pick<TcpServer, "isSecure" | "schemes">): string {
  return `${isSecure ? schemes.secure : schemes.plain}://${peerText(peer)}`;
}
