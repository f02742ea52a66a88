import { isIP } from "node:net";
import { hostName } from "../../net/address";
import { badParameter } from "../parameters";

export interface Peer {
  readonly host: string;
  /** 0: a named port of a service. */
  readonly port: number;
  readonly role?: string;
}

/** `host:port` or `[2001:db8::1]:port` */
const onePeer = String.raw`(\[[0-9A-Fa-f:.]{2,60}\]|[A-Za-z0-9_.-]{1,253}):\d{1,5}`;

export const peersPattern = new RegExp(`^${onePeer}(,\\s*${onePeer}){0,31}$`);

/** @throws Fault "badEntry". */
export function readPeers(text: string, parameter: string): readonly [Peer, ...Peer[]] {
  const peers = text.split(",").map((one) => readPeer(one.trim(), parameter));
  const [first, ...others] = peers;
  if (first === undefined) throw badParameter(parameter, "host:port", text);
  return [first, ...others];
}

export function readPeer(text: string, parameter: string): Peer {
  const [, host = "", port = ""] = /^(.+):(\d{1,5})$/s.exec(text) ?? [];
  const number = Number(port);
  if (!peersPattern.test(text) || number < 1 || number > 65_535) throw badParameter(parameter, "host:port", text);
  return { host: hostName(host), port: number };
}

export function peerText({ host, port }: Peer): string {
  return `${isIP(host) === 6 ? `[${host}]` : host}${port === 0 ? "" : `:${port}`}`;
}
