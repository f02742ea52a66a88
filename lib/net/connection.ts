import * as http from "node:http";
import * as https from "node:https";
import type { Socket } from "node:net";
import { createSecureContext } from "node:tls";
import { present } from "../k8s/map";
import { Fault, errorText } from "../model/fault";
import type { EpochMs } from "../k8s/time";
import type { Credential } from "./credential";
import { type AddressRules, checkedLookup, refusal, refusedAddress } from "./address";
import type { Endpoint } from "./endpoint";
import { exchange, type Answer, type Call, type Limits, type NoAnswer } from "./exchange";
import { idleConnectionMs } from "../async/idle-connection";

export interface Connection {
  /** Never rejects because of the network. Rejects with Fault "badEntry" for an unusable client certificate. */
  exchange(call: Outgoing, credential: Credential, signal: AbortSignal): Promise<Answer | NoAnswer>;
  upgrade(path: string, credential: Credential): Upgrade;
  /** If one was dead, the others most likely are too. */
  dropIdle(): void;
  close(): void;
}

export interface Outgoing extends Pick<
  Call,
  "path" | "method" | "headers" | "body" | "memory" | "trim" | "until" | "mayStart"
> {
  readonly maxBytes?: number;
}

export interface Upgrade {
  readonly url: URL;
  readonly agent: http.Agent;
  readonly headers: Readonly<Record<string, string>>;
}

export interface ConnectionOptions {
  /** Callers bound the open connections; no request waits for one. */
  readonly idleSockets: number;
  readonly limits: Limits;
  readonly addresses: AddressRules;
  readonly now: () => EpochMs;
}

export function openConnection(
  endpoint: Endpoint,
  { idleSockets, limits, addresses, now }: ConnectionOptions,
): Connection {
  let agent: http.Agent | undefined;
  let certificate: Credential["certificate"];
  let usedAt: EpochMs = -Infinity;

  // The certificate belongs to the connection, so a renewed one needs new connections.
  const agentFor = (credential: Credential): http.Agent => {
    if (agent !== undefined && isSame(certificate, credential.certificate)) return agent;
    // Throws for a pair that TLS refuses, also the second time: no request goes out with the certificate before it.
    const next = openAgent(endpoint, credential.certificate, { idleSockets, addresses });
    if (agent !== undefined) retire(agent);
    certificate = credential.certificate;
    return (agent = next);
  };

  const use = (credential: Credential): http.Agent => {
    const used = agentFor(credential);
    // The agent's own idle timer stops while a function is frozen.
    if (now() - usedAt > idleConnectionMs) dropFreeSockets(used);
    usedAt = now();
    return used;
  };
  const pathOf = (path: string) => `${endpoint.url.pathname.replace(/\/+$/, "")}${path}`;

  return {
    async exchange({ maxBytes = limits.maxBytes, ...call }, credential, signal) {
      const used = use(credential);
      const headers = { ...call.headers, ...credential.headers };
      const path = pathOf(call.path);
      return exchange(
        { ...call, url: endpoint.url, path, headers, agent: used, limits: { ...limits, maxBytes } },
        signal,
      );
    },
    upgrade: (path, credential) => ({
      url: new URL(pathOf(path), endpoint.url),
      agent: use(credential),
      headers: credential.headers,
    }),
    dropIdle() {
      if (agent !== undefined) dropFreeSockets(agent);
    },
    close() {
      if (agent !== undefined) retire(agent);
      agent = undefined;
    },
  };
}

type AgentOptions = Pick<ConnectionOptions, "idleSockets" | "addresses">;

function openAgent(
  endpoint: Endpoint,
  certificate: Credential["certificate"],
  { idleSockets, addresses }: AgentOptions,
): http.Agent {
  const lookup = checkedLookup(addresses);
  const options = { keepAlive: true, maxFreeSockets: idleSockets, timeout: idleConnectionMs, lookup };
  if (endpoint.url.protocol === "http:") return onlyTo(addresses, endpoint, new http.Agent(options));
  const agent = new https.Agent({
    ...options,
    // With `ca` and `key`, Node would parse the PEM for each connection and put it into each socket's name.
    secureContext: secureContext(endpoint, certificate),
    ...present({ servername: endpoint.tlsServerName }),
    // So that NODE_TLS_REJECT_UNAUTHORIZED=0 in the environment cannot override it.
    rejectUnauthorized: true,
  });
  return onlyTo(addresses, endpoint, agent);
}

/** Checks each connection's address before a byte is sent: an address in the URL itself needs no lookup. */
function onlyTo(addresses: AddressRules, { url }: Endpoint, agent: http.Agent): http.Agent {
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (options, callback) => {
    const socket = connect(options, callback) as Socket;
    socket.once("connect", () => {
      const address = socket.remoteAddress;
      if (address === undefined) return;
      const kind = refusedAddress(address, url.hostname, addresses);
      if (kind !== undefined) socket.destroy(refusal(url.hostname, address, kind));
    });
    return socket;
  };
  return agent;
}

function secureContext(endpoint: Endpoint, certificate: Credential["certificate"]) {
  try {
    return createSecureContext({
      minVersion: "TLSv1.2",
      ...present({ ca: endpoint.certificateAuthority }),
      ...(certificate === undefined ? {} : { cert: certificate.certificate, key: certificate.key }),
    });
  } catch (cause) {
    const why = errorText(cause);
    throw new Fault(
      "badEntry",
      `auth: expected a client certificate and its key in PEM, got a pair that TLS refuses: ${why}`,
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
