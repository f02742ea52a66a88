import { BoundedMap } from "../../async/bounded-map";
import { type EndpointLimiter, openEndpointLimiter } from "../../async/endpoint-limiter";
import { abortReason, unlessAborted, withinTime } from "../../async/within-time";
import type { AddressRules } from "../../net/address";
import { type Authenticator, fixedCredential, withRenewal } from "../../net/credential";
import { readEndpoint } from "../../net/endpoint";
import { present } from "../../k8s/map";
import { Fault, isFault, rephrased } from "../../model/fault";
import type { ServiceStreamRequest } from "../../model/ports/cluster";
import type { ReadContext } from "../../model/ports/sources";
import { type Hiding, hidingTexts } from "../../secrets/redact";
import { type SecretForm, secretCredential } from "../../secrets/secret-credential";
import { type IdleSessions, openIdleSessions, type TcpSession } from "./idle-sessions";
import { type SourceNetwork, timeoutOf } from "./network";
import { type Peer, peerText } from "./peer";
import type { Through, TlsOptions } from "./tcp";
import { memberOf, type TcpServer, urlOf } from "./tcp-server";
import { idleConnectionMs } from "../../async/idle-connection";

export type { TcpSession } from "./idle-sessions";

export interface TcpCredential {
  readonly certificate?: TlsOptions["certificate"];
  /** No message may contain these. */
  readonly hidden: readonly string[];
}

export interface Opening<Credential> {
  readonly peer: Peer;
  readonly tls: TlsOptions | undefined;
  readonly credential: Credential | undefined;
  readonly addresses: AddressRules;
  readonly through?: Through | undefined;
  readonly signal: AbortSignal;
}

export interface Protocol<Credential extends TcpCredential, One extends TcpSession> {
  readonly form: SecretForm<Credential>;
  /** Leaves nothing open on failure. Rejects with a Fault: "unauthorized" for a refused credential. */
  open(opening: Opening<Credential>): Promise<One>;
}

export interface TcpCall {
  /** For messages: `orders of redis.example.com:6379`. */
  readonly description: string;
  readonly failureKey: string;
  readonly priority?: number | undefined;
}

/** No other call uses the connection meanwhile. */
export type WithConnection<One> = <T>(
  peer: Peer,
  work: (session: One, signal: AbortSignal) => Promise<T>,
) => Promise<T>;

/** Rejects with a Fault. */
export type TcpClient<One> = <T>(
  context: ReadContext,
  server: TcpServer,
  call: TcpCall,
  work: (withConnection: WithConnection<One>) => Promise<T>,
) => Promise<T>;

/** The process stays connected to so many. */
const mostServers = 500;
/** Beside them, up to four times as many may wait for a slow answer. */
const concurrency = 4;
/** Leaves time for another member. */
const connectShare = 0.5;
/** The next slot checks the permission again. */
const idleViaMs = 1_000;

/** Lasts from slot to slot, for the entries of one cluster. */
interface Open<Credential, One> {
  readonly limiter: EndpointLimiter;
  readonly credentials: Hiding<Credential | undefined>;
  readonly idle: IdleSessions<One>;
}

/** Shares nothing between clusters. */
export function openTcpClient<Credential extends TcpCredential, One extends TcpSession>(
  protocol: Protocol<Credential, One>,
  network: SourceNetwork,
): TcpClient<One> {
  const servers = new BoundedMap<string, Open<Credential, One>>(mostServers, ({ idle }) => idle.dropAll());

  function serverOf(cluster: string, server: TcpServer): Open<Credential, One> {
    const { endpoint, peers, isSecure, secret, via } = server;
    const { certificateAuthority, tlsServerName } = endpoint;
    const key = JSON.stringify([cluster, peers, isSecure, certificateAuthority, tlsServerName, secret, via]);
    const known = servers.get(key);
    if (known !== undefined) return known;
    const opened: Open<Credential, One> = {
      limiter: openEndpointLimiter({ endpoint: peers.map(peerText).join(","), limit: concurrency, now: network.now }),
      credentials: hidingTexts(authenticatorOf(cluster, server), (credential) => credential?.hidden ?? []),
      idle: openIdleSessions(concurrency, network.now),
    };
    servers.set(key, opened);
    return opened;
  }

  function authenticatorOf(cluster: string, server: TcpServer): Authenticator<Credential | undefined> {
    const { secret, endpoint, peers, via } = server;
    if (secret === undefined) return fixedCredential(undefined);
    const others = peers.slice(1).map((peer) => new URL(urlOf(peer, server)));
    const claim = { cluster, endpoint, others, schemes: via === undefined ? server.schemes : ("via" as const) };
    return secretCredential<Credential | undefined>(
      { name: secret, field: "secret", mayBeVariable: true },
      protocol.form,
      claim,
      network,
    );
  }

  async function useConnection<T>(
    open: Open<Credential, One>,
    server: TcpServer,
    { peer, signal, work, through }: ConnectionUse<One, T>,
  ): Promise<T> {
    const keepMs = server.via === undefined ? idleConnectionMs : idleViaMs;
    const name = `${peerText(peer)} ${peer.role ?? ""}`;
    return withRenewal<Credential | undefined, T>(open.credentials, signal, async (credential) => {
      const idleSession = open.idle.take(name, { credential, keepMs });
      let session: One | undefined = idleSession;
      try {
        session ??= await openSession(server, { peer, credential, through, signal });
        const value = await unlessAborted(work(session, signal), signal);
        if (session.isUsable()) open.idle.keep(name, session, { credential, keepMs });
        else session.destroy();
        return { value };
      } catch (error) {
        // A server's error leaves the connection usable.
        if (session?.isUsable() && !isFault(error) && !signal.aborted)
          open.idle.keep(name, session, { credential, keepMs });
        else session?.destroy();
        if (signal.aborted) throw error;
        if (idleSession !== undefined && isFault(error, "unreachable")) {
          open.idle.drop(name);
          return "again";
        }
        const refused = () => {
          throw error;
        };
        return credential !== undefined && isFault(error, "unauthorized") ? { refused } : refused();
      }
    });
  }

  async function openSession(
    server: TcpServer,
    { peer, credential, through, signal }: Omit<Opening<Credential>, "tls" | "addresses">,
  ) {
    const { certificateAuthority, tlsServerName } = server.endpoint;
    // A server may name another peer. No credential goes there without TLS either.
    const field = { name: "a server's address", mayBePlain: credential === undefined, schemes: server.schemes };
    if (through === undefined) readEndpoint(urlOf(peer, server), field, network.addresses);
    const tls = server.isSecure
      ? {
          ...present({ certificateAuthority, tlsServerName }),
          certificate: credential?.certificate,
        }
      : undefined;
    const limitMs = server.timeoutMs * connectShare;
    return await withinTime(
      limitMs,
      signal,
      (limit) => protocol.open({ peer, tls, credential, addresses: network.addresses, through, signal: limit }),
      () => new Fault("unreachable", `no connection to ${peerText(peer)} for ${limitMs / 1000} s`),
    );
  }

  return async (context, given, call, work) => {
    const open = serverOf(context.cluster.name, given);
    const timeoutMs = timeoutOf(given, context);
    const server = { ...given, timeoutMs };
    const { description, failureKey, priority = 0 } = call;
    const through = server.via && throughApi(context, server, { ...server.via, priority });
    const named = (error: unknown, signal: AbortSignal) =>
      isFault(error)
        ? rephrased(error, `${description}: ${error.message}`, { cause: error.cause })
        : signal.aborted
          ? new Fault("timeout", `${description}: ${abortReason(signal).message}`)
          : error;
    try {
      return await open.limiter.run({ failureKey, description, signal: context.signal, priority }, (callSignal) =>
        withinTime(timeoutMs, callSignal, async (signal) => {
          try {
            return await work((peer, use) => useConnection(open, server, { peer, through, signal, work: use }));
          } catch (error) {
            throw named(error, signal);
          }
        }),
      );
    } catch (error) {
      throw open.credentials.hide(isFault(error) ? error : named(error, context.signal));
    }
  };
}

/** The API server connects only to the service's own pods, even if a member names other addresses. */
function throughApi(context: ReadContext, server: TcpServer, service: ServiceStreamRequest): Through {
  return async (peer, signal) => {
    try {
      const cluster = await context.cluster.api();
      return await cluster.connectService({ ...service, ...memberOf(peer, server) }, signal);
    } catch (error) {
      throw isFault(error, "unauthorized") ? new Fault("forbidden", error.message, { cause: error.cause }) : error;
    }
  };
}

interface ConnectionUse<One, T> {
  readonly peer: Peer;
  readonly through: Through | undefined;
  readonly signal: AbortSignal;
  readonly work: (session: One, signal: AbortSignal) => Promise<T>;
}
