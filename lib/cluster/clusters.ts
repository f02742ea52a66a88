import { present } from "../k8s/map";
import type { ClusterEntry } from "../model/entry/entries";
import { Fault } from "../model/fault";
import type { EpochMs } from "../k8s/time";
import { type ApiClient, apiClient } from "./api/api-client";
import { authenticatorFor, type AuthenticatorDeps } from "./auth/authenticators";
import { targetCluster, type TargetCluster } from "./cluster";
import type { AddressRules } from "../net/address";
import { requireNoOther, requireOwnSecret } from "../secrets/binding";
import { openConnection, type Connection } from "../net/connection";
import { openMemory, type AnswerMemory } from "../net/memory";
import type { Authenticator } from "../net/credential";
import { openDiscovery } from "./api/discovery";
import { readCertificateAuthority, readEndpoint, type Endpoint } from "../net/endpoint";
import type { GivenKubeconfig } from "./auth/given-kubeconfig";
import { openKubeconfig } from "./auth/kubeconfig";
import type { PortForward } from "./api/services/port-forward";
import { type PodProxy, podProxy, serviceProxy, type ServiceProxy } from "./api/services/service-proxy";
import { hiding } from "../secrets/redact";
import { shared } from "../async/shared";
import { abortReason } from "../async/within-time";

export interface ClustersDeps extends AuthenticatorDeps {
  /** Default: none. */
  readonly kubeconfigs?: readonly GivenKubeconfig[];
  readonly transport?: Partial<TransportOptions>;
}

export interface TransportOptions {
  readonly timeoutMs: number;
  readonly connectTimeoutMs: number;
  readonly idleTimeoutMs: number;
  readonly concurrency: number;
  /** For one answer, compressed and decompressed. Default: half of `memoryBytes`. */
  readonly maxBytes?: number;
  /** For the whole process. The answers of all clusters together take a quarter of it at a time. */
  readonly memoryBytes: number;
}

const DEFAULTS: TransportOptions = {
  timeoutMs: 10_000,
  connectTimeoutMs: 3_000,
  idleTimeoutMs: 5_000,
  concurrency: 32,
  memoryBytes: 1024 * 1024 * 1024,
};

/** A kubeconfig may change its server, so it is read again this often. */
const KUBECONFIG_MS = 600_000;

interface Open {
  readonly contents: string;
  readonly until: EpochMs;
  readonly connection: Connection;
  readonly cluster: TargetCluster;
}

interface Slot {
  open?: Open;
  /** By contents, because the entry may change while its first connection is being opened. */
  readonly opening: Map<string, (signal: AbortSignal) => Promise<Open>>;
}

/** Connects on first use. `connect` rejects with a Fault; "badEntry" names the field. */
export function openClusters(deps: ClustersDeps): {
  connect(entry: ClusterEntry, signal: AbortSignal): Promise<TargetCluster>;
  close(): void;
} {
  const clusters = new Map<string, Slot>();
  const transport = { ...DEFAULTS, ...deps.transport };
  const memory = openMemory(transport.memoryBytes);

  return {
    async connect(entry, signal) {
      if (signal.aborted) throw new Fault("timeout", `cluster ${entry.name}: given up: ${abortReason(signal).message}`);
      const slot: Slot = clusters.get(entry.name) ?? { opening: new Map() };
      clusters.set(entry.name, slot);
      const contents = contentsOf(entry);
      if (slot.open?.contents === contents && deps.now() < slot.open.until) return slot.open.cluster;
      const opening =
        slot.opening.get(contents) ?? shared((limit) => open(entry, contents, { ...deps, transport, memory }, limit));
      slot.opening.set(contents, opening);
      try {
        const opened = await opening(signal);
        if (slot.open !== opened) slot.open?.connection.close();
        slot.open = opened;
        return opened.cluster;
      } catch (cause) {
        if (cause instanceof Fault) throw cause;
        if (!signal.aborted) throw cause;
        throw new Fault("timeout", `cluster ${entry.name}: given up: ${abortReason(signal).message}`, { cause });
      } finally {
        slot.opening.delete(contents);
      }
    },
    close() {
      for (const { open } of clusters.values()) open?.connection.close();
      clusters.clear();
    },
  };
}

/** The connection does not depend on the controller's options. */
function contentsOf({ spec }: ClusterEntry): string {
  return JSON.stringify([spec.endpoint, spec.certificateAuthorityData, spec.tlsServerName, spec.auth]);
}

async function open(
  entry: ClusterEntry,
  contents: string,
  deps: ClustersDeps & { readonly transport: TransportOptions; readonly memory: AnswerMemory },
  signal: AbortSignal,
): Promise<Open> {
  const { timeoutMs, connectTimeoutMs, idleTimeoutMs, concurrency, memoryBytes } = deps.transport;
  const { maxBytes = memoryBytes / 2 } = deps.transport;
  const { endpoint, authenticator, until } = await access(entry, deps, signal);
  const limits = { connectMs: connectTimeoutMs, idleMs: idleTimeoutMs, maxBytes };
  const { addresses, now } = deps;
  const connection = openConnection(endpoint, { idleSockets: concurrency, limits, addresses, now });
  const memory = deps.memory.share();
  const origin = endpoint.url.href.replace(/\/+$/, "");
  const credentials = hiding(authenticator);
  const options = { connection, authenticator: credentials, origin, timeoutMs, memory, concurrency, now };
  const hide = (error: unknown): never => {
    throw credentials.hide(error);
  };
  const [callApi, callService, callPod] = [apiClient(options), serviceProxy(options), podProxy(options)];
  const api: ApiClient = (request, limit) => callApi(request, limit).catch(hide);
  const getService: ServiceProxy = (request, limit) => callService(request, limit).catch(hide);
  const getPod: PodProxy = (request, limit) => callPod(request, limit).catch(hide);
  let forwarding: Promise<PortForward> | undefined;
  const connectService: PortForward = async (request, limit) => {
    forwarding ??= import("./api/services/port-forward").then(({ portForward }) => portForward(options, callApi));
    return await (await forwarding)(request, limit).catch(hide);
  };
  const services = { getService, getPod, connectService };
  const cluster = targetCluster({ api, discovery: openDiscovery(api, now), services, now });
  return { contents, until, connection, cluster };
}

async function access(
  { name, spec }: ClusterEntry,
  deps: ClustersDeps,
  signal: AbortSignal,
): Promise<{ readonly endpoint: Endpoint; readonly authenticator: Authenticator; readonly until: EpochMs }> {
  const own = ownEndpoint(spec, deps.addresses);
  if (spec.auth.type !== "kubeconfig") {
    if (own.url === undefined)
      throw new Fault("badEntry", "spec.endpoint: expected https://host[:port][/path], got nothing");
    const endpoint = { ...own, url: own.url };
    return { endpoint, authenticator: authenticatorFor(spec.auth, { cluster: name, endpoint }, deps), until: Infinity };
  }
  if ("secret" in spec.auth) requireOwnSecret(name, spec.auth.secret);
  const { authenticator, server, certificateAuthority, tlsServerName } = await openKubeconfig(spec.auth, deps, signal);
  const endpoint = {
    url: readEndpoint(server, { name: "the kubeconfig's server", secret: true }, deps.addresses),
    ...present({ certificateAuthority, tlsServerName }),
  };
  requireNoOther(own, endpoint, "file" in spec.auth ? "auth.file" : "auth.secret");
  return { endpoint, authenticator, until: deps.now() + KUBECONFIG_MS };
}

function ownEndpoint(
  { endpoint, certificateAuthorityData, tlsServerName }: ClusterEntry["spec"],
  addresses: AddressRules,
): Partial<Endpoint> {
  return {
    ...(endpoint === undefined ? {} : { url: readEndpoint(endpoint, { name: "spec.endpoint" }, addresses) }),
    ...(certificateAuthorityData === undefined
      ? {}
      : {
          certificateAuthority: readCertificateAuthority(certificateAuthorityData, "spec.certificateAuthorityData"),
        }),
    ...present({ tlsServerName }),
  };
}
