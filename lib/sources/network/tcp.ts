import { connect as connectTcp, isIP, Socket } from "node:net";
import { connect as connectTls, createSecureContext, type TLSSocket } from "node:tls";
import { onAbort, abortReason } from "../../async/within-time";
import { type AddressRules, checkedLookup, isReachable, refusal, refusedAddress } from "../../net/address";
import type { Endpoint } from "../../net/endpoint";
import { explain } from "../../net/exchange";
import { Fault, errorText } from "../../model/fault";
import type { ServiceStream } from "../../model/ports/cluster";
import type { Peer } from "./peer";
import { badAnswer } from "./as-reading";

export interface SocketOptions {
  /** Undefined: without TLS. */
  readonly tls: TlsOptions | undefined;
  readonly addresses: AddressRules;
  /** Absent: a socket to the peer. */
  readonly through?: Through | undefined;
}

/** For peers without an address here. Rejects with a Fault. */
export type Through = (peer: Peer, signal: AbortSignal) => Promise<ServiceStream>;

export interface TlsOptions extends Pick<Endpoint, "certificateAuthority" | "tlsServerName"> {
  /** The client's own, in PEM. */
  readonly certificate?: { readonly certificate: string; readonly key: string } | undefined;
}

/**
 * Checks the host and its addresses, since a server may name other peers than its entry.
 * @throws Fault "badEntry" for a host that the deployment does not allow.
 */
export function startSocket({ host, port }: Peer, { tls, addresses }: SocketOptions): Socket {
  if (!isReachable(host, addresses))
    throw new Fault("badEntry", `expected a host that the deployment's sourceHosts allows, got ${host}`);
  // The lookup checks names. An address needs no lookup.
  const refused = isIP(host) === 0 ? undefined : refusedAddress(host, host, addresses);
  if (refused !== undefined) throw new Fault("badEntry", refusal(host, host, refused).message);
  const where = { host, port, lookup: checkedLookup(addresses), noDelay: true };
  if (tls === undefined) return connectTcp(where);
  return connectTls({ ...where, ...tlsSettings(host, tls) });
}

export function startTls(socket: Socket, { host }: Peer, tls: TlsOptions): TLSSocket {
  const secure = connectTls({ socket, host, ...tlsSettings(host, tls) });
  const hasHandle: boolean = socket instanceof Socket;
  if (hasHandle) return secure;
  return Object.assign(secure, {
    ref: () => (socket.ref(), secure),
    unref: () => (socket.unref(), secure),
  });
}

function tlsSettings(host: string, { certificateAuthority: ca, tlsServerName, certificate: own }: TlsOptions) {
  const servername = tlsServerName ?? (isIP(host) === 0 ? host : undefined);
  try {
    return {
      secureContext: createSecureContext({
        minVersion: "TLSv1.2",
        ...(ca !== undefined && { ca }),
        ...(own !== undefined && { cert: own.certificate, key: own.key }),
      }),
      ...(servername !== undefined && { servername }),
      // So that NODE_TLS_REJECT_UNAUTHORIZED=0 in the environment cannot override it.
      rejectUnauthorized: true,
    };
  } catch (cause) {
    const why = errorText(cause);
    throw new Fault("badEntry", `expected a client certificate and its key, got a pair that TLS refuses: ${why}`);
  }
}

/** Rejects with a Fault. Destroys the socket if `signal` fires first. */
export async function opened(socket: Socket, event: "connect" | "secureConnect", signal: AbortSignal): Promise<Socket> {
  let unlisten = () => {};
  try {
    await new Promise<void>((resolve, reject) => {
      if (signal.aborted) return reject(abortReason(signal));
      unlisten = onAbort(signal, () => reject(abortReason(signal)));
      socket.once(event, resolve);
      socket.once("error", (error) => reject(faultOfSocket(error)));
      socket.once("close", () => reject(new Fault("unreachable", "the server closed the connection")));
    });
    return socket;
  } catch (error) {
    // A destroyed socket may still report an error.
    socket.on("error", () => undefined);
    socket.destroy();
    throw error;
  } finally {
    unlisten();
  }
}

/** Rejects with a Fault. */
export async function openSocket(peer: Peer, options: SocketOptions, signal: AbortSignal): Promise<Socket> {
  const { tls, through } = options;
  if (through === undefined)
    return await opened(startSocket(peer, options), tls === undefined ? "connect" : "secureConnect", signal);
  const socket = asSocket(await through(peer, signal));
  // A kubelet reports at once that nothing listens on the port.
  if (socket.destroyed) throw faultOfSocket(socket.errored ?? new Error("the server closed the connection"));
  return tls === undefined ? socket : await opened(startTls(socket, peer, tls), "secureConnect", signal);
}

function asSocket(stream: ServiceStream): Socket {
  const self = () => stream;
  return Object.assign(stream, { setNoDelay: self, setKeepAlive: self, setTimeout: self }) as unknown as Socket;
}

export function faultOfSocket(error: Error): Fault {
  return error instanceof Fault ? error : new Fault("unreachable", explain(error), { cause: error });
}

/**
 * Libraries buffer whole answers, and a throwing one would end the process: both break the connection.
 * @returns a function that begins the next call
 */
export function boundAnswers(socket: Socket, most: number): () => void {
  let from = socket.bytesRead;
  const emit = socket.emit.bind(socket);
  const refuse = (what: string) => {
    socket.destroy(badAnswer(what));
    return true;
  };
  socket.emit = (event: string | symbol, ...given: unknown[]): boolean => {
    if (event !== "data") return emit(event, ...given);
    if (socket.destroyed) return true;
    if (socket.bytesRead - from > most) return refuse(`the answer is larger than ${most} bytes`);
    try {
      return emit(event, ...given);
    } catch {
      return refuse("expected the protocol's messages, got something else");
    }
  };
  return () => {
    from = socket.bytesRead;
  };
}
