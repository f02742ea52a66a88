import { apiClient } from "../../lib/cluster/api/api-client";
import { openDiscovery } from "../../lib/cluster/api/discovery";
import { podProxy, serviceProxy } from "../../lib/cluster/api/services/service-proxy";
import { targetCluster } from "../../lib/cluster/cluster";
import { onAbort } from "../../lib/async/within-time";
import type { Connection } from "../../lib/net/connection";
import type { Answer, NoAnswer } from "../../lib/net/exchange";
import { openMemory } from "../../lib/net/memory";
import type { Cluster } from "../../lib/model/ports/cluster";
import { cpu } from "./assumptions";
import type { Instance } from "./instance";
import { nameOf, namespaceOf } from "../load";

/** The Deployments of one cluster. Sizes follow the scale writes at once. */
export interface Deployments {
  readonly hpas: number;
  /** By index; absent: one replica. */
  readonly replicas: Map<number, number>;
  version: number;
}

export const deploymentsOf = (hpas: number): Deployments => ({ hpas, replicas: new Map(), version: 1_000 });

/** The real client of a cluster, in one function, on an API server that takes the simulation's time. */
export function clusterOver(far: Deployments, now: () => number, instance: Instance): Cluster {
  const connection: Connection = {
    exchange: (call, _credential, signal) => exchange(call, signal),
    upgrade: () => {
      throw new Error("the simulated API server has requests only");
    },
    dropIdle: () => undefined,
    close: () => undefined,
  };
  const options = {
    ...{ connection, now, origin: "https://cluster.example", timeoutMs: 10_000, concurrency: 32 },
    authenticator: { credential: () => Promise.resolve({ headers: {} }), invalidate: () => undefined },
    memory: openMemory(2 ** 30).share(),
  };
  const api = apiClient(options);
  const services = {
    getService: serviceProxy(options),
    getPod: podProxy(options),
    connectService: () => Promise.reject(new Error("the simulated API server has requests only")),
  };
  return targetCluster({ api, discovery: openDiscovery(api, now), services, now });

  function exchange(
    { method, path, body }: Parameters<Connection["exchange"]>[0],
    signal: AbortSignal,
  ): Promise<Answer | NoAnswer> {
    return new Promise((resolve) => {
      const given = () => resolve({ failure: "timeout", sent: true, detail: "given up" });
      if (signal.aborted) return given();
      const unlisten = onAbort(signal, given);
      const isList = path.startsWith("/apis/apps/v1/deployments");
      let answer: object;
      const arrive = () => {
        answer = answerOf(far, method, path, body);
        const operation = isList ? "LIST" : /\/scale$/.test(path) ? `${method} scale` : "GET discovery";
        return { operation: `kubernetes ${operation}`, cpuMs: isList ? (cpu.list * far.hpas) / 1_000 : cpu.kubernetes };
      };
      instance.request(isList ? "list" : "kubernetes", arrive, () => {
        unlisten();
        const headers = { "content-type": "application/json" };
        resolve({ status: 200, headers, body: Buffer.from(JSON.stringify(answer)) });
      });
    });
  }
}

function answerOf(far: Deployments, method: string, path: string, body: string | undefined): object {
  const named = /\/(consumer-(\d+))\/scale$/.exec(path);
  if (named !== null) {
    const index = Number(named[2]);
    if (method === "PUT") {
      const { spec } = JSON.parse(body ?? "") as { readonly spec: { readonly replicas: number } };
      far.replicas.set(index, spec.replicas);
      far.version += 1;
    }
    const { metadata, spec, status } = deployment(far, index);
    const scale = {
      metadata,
      spec: { replicas: spec.replicas },
      status: { ...status, selector: `app=${nameOf(index)}` },
    };
    return { kind: "Scale", apiVersion: "autoscaling/v1", ...scale };
  }
  if (path.startsWith("/apis/apps/v1/deployments")) {
    const items = Array.from({ length: far.hpas }, (_, index) => deployment(far, index));
    return { kind: "DeploymentList", apiVersion: "apps/v1", metadata: { resourceVersion: String(far.version) }, items };
  }
  return discovery;
}

function deployment(far: Deployments, index: number) {
  const name = nameOf(index);
  const replicas = far.replicas.get(index) ?? 1;
  const metadata = {
    name,
    namespace: namespaceOf(index),
    uid: `uid-${index}`,
    resourceVersion: String(900 + replicas),
  };
  return { metadata, spec: { replicas, selector: { matchLabels: { app: name } } }, status: { replicas } };
}

const discovery = {
  kind: "APIGroupDiscoveryList",
  apiVersion: "apidiscovery.k8s.io/v2",
  metadata: {},
  items: [
    {
      metadata: { name: "apps" },
      versions: [
        {
          version: "v1",
          resources: [
            {
              resource: "deployments",
              responseKind: { group: "", version: "", kind: "Deployment" },
              scope: "Namespaced",
              verbs: ["get", "list", "update"],
              subresources: [{ subresource: "scale" }],
            },
          ],
        },
      ],
    },
  ],
};
