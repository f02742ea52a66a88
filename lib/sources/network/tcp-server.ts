import type { AddressRules } from "../../net/address";
import { type Endpoint, readCertificateAuthority, readEndpoint, type Schemes } from "../../net/endpoint";
import type { ServicePort } from "../../model/ports/cluster";
import { serviceAddress } from "../../model/service-name";
import { badParameter } from "../parameters";
import { type Peer, peerText, readPeers } from "./peer";
import type { ServerParameters } from "./server";

export interface TcpServer {
  readonly endpoint: Endpoint;
  readonly peers: readonly [Peer, ...Peer[]];
  readonly schemes: Schemes;
  readonly isSecure: boolean;
  readonly secret: string | undefined;
  readonly timeoutMs: number;
  readonly via?: Via;
}

type Via = Omit<ServicePort, "scheme">;

export interface TcpParameters extends Omit<ServerParameters, "via"> {
  readonly address?: string;
  readonly tls?: boolean;
  readonly via?: { readonly namespace?: string; readonly service?: string; readonly port?: string };
}

/**
 * With a secret, it must have TLS; the API server's counts.
 * @throws Fault "badEntry".
 */
export function readTcpServer(
  { address, via, tls = via === undefined, ...parameters }: TcpParameters,
  { schemes, addresses }: { readonly schemes: Schemes; readonly addresses: AddressRules },
): TcpServer {
  const { secret, certificateAuthorityData, tlsServerName, timeoutSeconds = 5 } = parameters;
  const trusted = {
    ...(certificateAuthorityData !== undefined && {
      certificateAuthority: readCertificateAuthority(certificateAuthorityData, "parameter certificateAuthorityData"),
    }),
    ...(tlsServerName !== undefined && { tlsServerName }),
  };
  const common = { schemes, isSecure: tls, secret, timeoutMs: timeoutSeconds * 1000 };
  if (via !== undefined) {
    if (address !== undefined) throw badParameter("address", "nothing beside via, which names the server", address);
    const { namespace = "", service = "", port = "" } = via;
    const url = new URL(serviceAddress({ namespace, service, port }));
    const peer = { host: `${service}.${namespace}.svc`, port: /^\d+$/.test(port) ? Number(port) : 0 };
    return { ...common, endpoint: { url, ...trusted }, peers: [peer], via: { namespace, service, port } };
  }
  if (address === undefined) throw badParameter("address", "host:port, or several with commas", address);
  const peers = readPeers(address, "address");
  const field = { name: "parameter address", mayBePlain: secret === undefined, schemes };
  for (const peer of peers) readEndpoint(urlOf(peer, common), field, addresses);
  return { ...common, endpoint: { url: new URL(urlOf(peers[0], common)), ...trusted }, peers };
}

export function urlOf(peer: Peer, { isSecure, schemes }: Pick<TcpServer, "isSecure" | "schemes">): string {
  return `${isSecure ? schemes.secure : schemes.plain}://${peerText(peer)}`;
}

/** Empty for the service itself. */
export function memberOf({ host, port }: Peer, { peers: [service] }: Pick<TcpServer, "peers">) {
  return host === service.host && port === service.port ? {} : { member: { host, port } };
}
