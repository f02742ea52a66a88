import * as http from "node:http";
import * as https from "node:https";
import { createSecureContext } from "node:tls";
import { Fault, errorText } from "../../model/fault";
import type { EpochMs } from "../../k8s/time";
import type { Credential } from "../auth/credential";
import type { Endpoint } from "./endpoint";
import { exchange, type Answer, type Call, type Limits, type NoAnswer } from "./exchange";

/** Keep-alive connections to one API server. */
export interface Connection {
  /** Never rejects for what the network does; rejects with Fault "badEntry" for a client certificate that cannot be used. */
  exchange(call: Outgoing, credential: Credential, signal: AbortSignal): Promise<Answer | NoAnswer>;
  /** Drops the connections that nobody uses at the moment: after one was found dead, the others most likely are too. */
  dropIdle(): void;
  /** Drops the idle connections now and the others when their requests are answered. */
  close(): void;
}

export type Outgoing = Pick<Call, "path" | "method" | "headers"> & { readonly body?: string };

export interface ConnectionOptions {
  /** Idle connections that are kept. How many are open at a time is for the callers to bound: no request waits for a connection. */
  readonly keptSockets: number;
  readonly limits: Limits;
  readonly now: () => EpochMs;
}

/** Load balancers in front of API servers forget silent connections after 350 s (NLB), some after 60 s; a request over one of them hangs. */
const IDLE_CONNECTION_MS = 55_000;

export function openConnection(endpoint: Endpoint, { keptSockets, limits, now }: ConnectionOptions): Connection {
  let agent: http.Agent | undefined;
  let certificate: Credential["certificate"];
  let usedAt: EpochMs = -Infinity;

  // The certificate belongs to the connection, so one that was renewed needs new connections.
  const agentFor = (credential: Credential): http.Agent => {
    if (agent !== undefined && isSame(certificate, credential.certificate)) return agent;
    if (agent !== undefined) retire(agent);
    certificate = credential.certificate;
    return (agent = openAgent(endpoint, certificate, keptSockets));
  };

  return {
    async exchange(call, credential, signal) {
      const used = agentFor(credential);
      // The agent's own idle timer stands still while a function is frozen, and need not have run when the next request comes.
      if (now() - usedAt > IDLE_CONNECTION_MS) dropFreeSockets(used);
      usedAt = now();
      const headers = { ...call.headers, ...credential.headers };
      const path = `${endpoint.url.pathname.replace(/\/+$/, "")}${call.path}`;
      return exchange({ ...call, url: endpoint.url, path, headers, agent: used, limits }, signal);
    },
    dropIdle() {
      if (agent !== undefined) dropFreeSockets(agent);
    },
    close() {
      if (agent !== undefined) retire(agent);
      agent = undefined;
    },
  };
}

function openAgent(endpoint: Endpoint, certificate: Credential["certificate"], keptSockets: number): http.Agent {
  const options = { keepAlive: true, maxFreeSockets: keptSockets, timeout: IDLE_CONNECTION_MS };
  if (endpoint.url.protocol === "http:") return new http.Agent(options);
  return new https.Agent({
    ...options,
    // Made once: from `ca` and `key` node would parse the PEM again for each connection and put it into each socket's name.
    secureContext: secureContext(endpoint, certificate),
    ...(endpoint.tlsServerName === undefined ? {} : { servername: endpoint.tlsServerName }),
    // Said aloud, so that NODE_TLS_REJECT_UNAUTHORIZED=0 in the environment does not undo it.
    rejectUnauthorized: true,
  });
}

function secureContext(endpoint: Endpoint, certificate: Credential["certificate"]) {
  try {
    return createSecureContext({
      minVersion: "TLSv1.2",
      ...(endpoint.certificateAuthority === undefined ? {} : { ca: endpoint.certificateAuthority }),
      ...(certificate === undefined ? {} : { cert: certificate.certificate, key: certificate.key }),
    });
  } catch (cause) {
    const why = errorText(cause);
    throw new Fault(
      "badEntry",
      `auth: expected a client certificate and its key in PEM, got what TLS refuses: ${why}`,
      {
        cause,
      },
    );
  }
}

function isSame(one: Credential["certificate"], other: Credential["certificate"]): boolean {
  return one?.certificate === other?.certificate && one?.key === other?.key;
}

function retire(agent: http.Agent): void {
  agent.maxFreeSockets = 0;
  dropFreeSockets(agent);
}

function dropFreeSockets(agent: http.Agent): void {
  for (const sockets of Object.values(agent.freeSockets)) for (const socket of [...(sockets ?? [])]) socket.destroy();
}
