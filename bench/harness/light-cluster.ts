import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { stream } from "../../test/faults/small-heap/cluster/lying-servers";
import { certificateAuthority, serverCertificate } from "../../test/e2e/servers/certificates";
import { type AwsBackend, awsBackend, serveAws, startAwsBackend } from "./aws-backend";
import { type Address, type EbbBackends, type EbbOptions, startEbb } from "./ebb";
import { type Backends, serveAsks, startBackend } from "./backend-process";
import type { Fleet, Load, Side } from "./fleet";
import { deploymentList, discovery, podList, podMetricsList, scaleOf } from "./light-objects";

/**
 * What a sync reads of an API server, by HTTPS from a process of its own that keeps no state: a fleet of 100,000 pods
 * costs it only the text that it sends. Nothing can be written to it.
 */
interface LightCluster {
  readonly address: Address;
  readonly metrics: EbbBackends["metrics"];
  setFleet(fleet: Fleet): Promise<void>;
  stop(): Promise<void>;
}

const lightCluster = "light-cluster";

type BackendCommand = { readonly load: Load } | { readonly fleet: Fleet };

async function startLightCluster(): Promise<LightCluster> {
  const { started, ask, stop } = await startBackend<BackendCommand, Address>(lightCluster);
  return {
    address: started,
    metrics: { group: "metrics.k8s.io", asked: [], setLoad: (load) => ask({ load }) },
    setFleet: async (fleet) => void (await ask({ fleet })),
    stop,
  };
}

/** The process itself. */
async function serveLightCluster(): Promise<void> {
  let fleet: Fleet | undefined;
  let load: Load = { moves: 0, grown: 0 };

  function answer({ pathname: path, searchParams }: URL): Iterable<string> | undefined {
    if (path === "/apis") return [discovery];
    if (fleet === undefined) return undefined;
    const [, scaled] = /\/deployments\/([^/]+)\/scale$/.exec(path) ?? [];
    if (scaled !== undefined) return [scaleOf(fleet, scaled)];
    const [, namespace, resource] = /\/namespaces\/([^/]+)\/([a-z]+)$/.exec(path) ?? [];
    const limit = Number(searchParams.get("limit") ?? Infinity);
    if (path.startsWith("/apis/apps/v1/") && path.endsWith("/deployments"))
      return deploymentList(fleet, namespace, limit);
    if (namespace === undefined || resource !== "pods") return undefined;
    if (path.startsWith("/api/v1/")) return podList(fleet, namespace);
    return path.startsWith("/apis/metrics.k8s.io/v1beta1/") ? podMetricsList(fleet, namespace, load) : undefined;
  }

  const ca = await certificateAuthority("light-cluster");
  const server = createServer(await serverCertificate(ca, ["127.0.0.1"]), (request, response) => {
    void send(request, response, answer);
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address: Address = {
    endpoint: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    certificateAuthorityData: Buffer.from(ca.cert).toString("base64"),
    ebbToken: "bench",
  };
  serveAsks(address, (ask: BackendCommand) => {
    if ("load" in ask) load = ask.load;
    else fleet = ask.fleet;
  });
}

async function send(
  { method, url = "" }: IncomingMessage,
  response: ServerResponse,
  answer: (url: URL) => Iterable<string> | undefined,
): Promise<void> {
  const asked = new URL(url, "https://localhost");
  const pieces = method === "GET" ? answer(asked) : undefined;
  if (pieces !== undefined) return stream(response, pieces);
  response.writeHead(404, { "content-type": "application/json" });
  response.end(
    JSON.stringify({ kind: "Status", status: "Failure", code: 404, message: `${method} ${asked.pathname}` }),
  );
}

export const lightBackends: Backends = { [awsBackend]: () => serveAws(), [lightCluster]: serveLightCluster };

/** Gives ebb a fleet on backends that are processes of this bench, and ends them all afterwards. */
export async function onLightBackends<T>(
  fleet: Fleet,
  options: EbbOptions,
  use: (ebb: Side) => Promise<T>,
): Promise<T> {
  const ending: (() => Promise<void>)[] = [];
  const open = async <Opened extends LightCluster | AwsBackend | Side>(opening: Promise<Opened>) => {
    const opened = await opening;
    ending.push(() => opened.stop());
    return opened;
  };
  try {
    const cluster = await open(startLightCluster());
    const aws = await open(startAwsBackend());
    await cluster.setFleet(fleet);
    const ebb = await open(startEbb(cluster.address, { aws, metrics: cluster.metrics }, fleet, options));
    return await use(ebb);
  } finally {
    for (const end of ending.reverse()) await end();
  }
}
