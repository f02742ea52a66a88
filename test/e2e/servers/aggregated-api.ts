import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { ApiServer } from "./api-server";

export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

export interface GroupVersion {
  readonly group: string;
  readonly version: string;
}

const namespace = "kube-system";
const service = "metrics-of-tests";
const availableTimeoutMs = 60_000;

/**
 * Lets `handler` answer for these API groups on the real API server, as a metrics adapter does: an HTTPS server of
 * ours, behind APIServices. They name a Service of type ExternalName, because neither a ClusterIP nor an endpoint may
 * be a loopback address, while an API server that does not route to endpoints itself dials an external name as it is.
 * @returns once every group answers; call what it returns to stop
 */
export async function serveAggregatedApi(
  apiServer: ApiServer,
  groups: readonly GroupVersion[],
  handler: Handler,
): Promise<() => Promise<void>> {
  const certificate = await apiServer.servingCertificate([`${service}.${namespace}.svc`]);
  const server = createServer(certificate, handler).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const stop = async () => {
    for (const one of groups) await apiServer.admin.send("DELETE", apiServicePath(one));
    await apiServer.admin.send("DELETE", `${services}/${service}`);
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  };
  try {
    await apiServer.admin.create(services, {
      metadata: { name: service },
      spec: { type: "ExternalName", externalName: "localhost" },
    });
    for (const one of groups) await apiServer.admin.create(apiServices, apiService(apiServer, one, port));
    for (const one of groups) await untilAvailable(apiServer, one);
    return stop;
  } catch (error) {
    await stop();
    throw error;
  }
}

const services = `/api/v1/namespaces/${namespace}/services`;
const apiServices = "/apis/apiregistration.k8s.io/v1/apiservices";

function apiServicePath({ group, version }: GroupVersion): string {
  return `${apiServices}/${version}.${group}`;
}

function apiService({ certificateAuthorityData }: ApiServer, { group, version }: GroupVersion, port: number) {
  return {
    apiVersion: "apiregistration.k8s.io/v1",
    kind: "APIService",
    metadata: { name: `${version}.${group}` },
    spec: {
      group,
      version,
      service: { namespace, name: service, port },
      caBundle: certificateAuthorityData,
      groupPriorityMinimum: 100,
      versionPriority: 100,
    },
  };
}

interface ApiServiceStatus {
  readonly status?: { readonly conditions?: readonly { type: string; status: string; message?: string }[] };
}

export async function untilAvailable({ admin }: ApiServer, one: GroupVersion): Promise<void> {
  const deadline = Date.now() + availableTimeoutMs;
  for (;;) {
    const { status } = await admin.get<ApiServiceStatus>(apiServicePath(one));
    const available = status?.conditions?.find(({ type }) => type === "Available");
    if (available?.status === "True") return;
    if (Date.now() > deadline) throw new Error(`${one.version}.${one.group} not available: ${available?.message}`);
    await sleep(250);
  }
}
