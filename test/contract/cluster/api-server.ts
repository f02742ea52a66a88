import type { IncomingHttpHeaders } from "node:http";
import { onThisMachine } from "../../../lib/net/address";
import { openClusters } from "../../../lib/cluster/clusters";
import type { TargetCluster } from "../../../lib/cluster/cluster";
import type { EpochMs } from "../../../lib/k8s/time";
import type { ClusterSpec } from "../../../lib/model/entry/entries";
import { boundSecret } from "../../cluster/connect";
import { definition, GROUP, pod, readyStatus, type ScalableKind } from "../../cluster/contract-objects";
import { type ClusterBench, type MetricsFixture, signal } from "./bench";
import { startFlakyProxy } from "./flaky-proxy";
import { until } from "../../time/until";

/** A Kubernetes API server, and a way to arrange its objects. No controller and no kubelet needs to run. */
export interface ApiServerFixture {
  readonly endpoint: string;
  readonly certificateAuthorityData: string;
  /** Bearer token of a user who may do everything. */
  readonly adminToken: string;
  /** Bearer token of a user of this name who may see discovery and nothing else. */
  readonly restricted: { readonly user: string; readonly token: string };
  /**
   * As the admin; a PATCH is a JSON merge patch unless the headers say otherwise. The path is sent as it is, and so is
   * a body that is a text. Any status, without throwing.
   */
  api(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<ApiAnswer>;
  /** What the metrics APIs serve; "none": this server has none. */
  readonly metrics: MetricsFixture | "none";
  close(): Promise<void>;
}

export interface ApiAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}

/** A namespace of the contract's own on an API server, the kinds of contract-objects.ts, and connections to it. */
export async function arrangedServer(fixture: ApiServerFixture) {
  const opened: { close(): void }[] = [];
  const namespace = `contract-${process.pid}-${Date.now().toString(36)}`;
  const arrange = async <T = unknown>(method: string, path: string, body?: unknown): Promise<T> => {
    const answer = await fixture.api(method, path, body);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body as T;
  };
  await arrange("POST", "/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
  for (const kind of ["Worker", "Plain"] as const) await define(fixture, definition(kind));

  /** With the fixture's endpoint and CA unless `spec` names others. */
  const connect = async (
    token: string,
    spec: Partial<ClusterSpec> = {},
    now: () => EpochMs = Date.now,
  ): Promise<TargetCluster> => {
    const { endpoint, certificateAuthorityData } = fixture;
    const auth = { type: "token", secret: "ebb/contract" } as const;
    const entry = { name: "contract", spec: { endpoint, certificateAuthorityData, auth, ...spec } };
    const clusters = openClusters({
      secrets: () => Promise.resolve(boundSecret(entry.spec, { token })),
      awsCredentials: () => Promise.reject(new Error("no AWS in this contract")),
      now,
      addresses: onThisMachine,
    });
    opened.push(clusters);
    return clusters.connect(entry, signal());
  };
  return {
    namespace,
    arrange,
    connect,
    define: (definition: Definition) => define(fixture, definition),
    create: (kind: ScalableKind, name: string, replicas: number) =>
      arrange<{ metadata: { uid: string } }>("POST", kind.collection(namespace), kind.object(name, replicas)),
    pathOf: (kind: ScalableKind, name: string) => `${kind.collection(namespace)}/${name}`,
    close: async () => {
      opened.forEach((clusters) => clusters.close());
      await fixture.close();
    },
  };
}

/** A CustomResourceDefinition with a version v1. */
interface Definition {
  readonly spec: { readonly group: string; readonly names: { readonly kind: string; readonly plural: string } };
}

async function define(fixture: ApiServerFixture, definition: Definition): Promise<void> {
  const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  const answer = await fixture.api("POST", path, definition);
  // 409: an earlier run on the same server.
  if (answer.status >= 300 && answer.status !== 409) throw new Error(JSON.stringify(answer.body));
  const { group, names } = definition.spec;
  const objects = `/apis/${group}/v1/namespaces/default/${names.plural}`;
  await until(async () => (await fixture.api("GET", objects)).status === 200);
  // Discovery follows a little later than the resource itself.
  await until(async () =>
    JSON.stringify((await fixture.api("GET", `/apis/${group}/v1`)).body).includes(`"kind":"${names.kind}"`),
  );
}

/** The Cluster port on an API server, through a proxy that loses answers. */
export async function apiServerBench(fixture: ApiServerFixture): Promise<ClusterBench> {
  const server = await arrangedServer(fixture);
  const { namespace, arrange, create, pathOf } = server;
  const proxy = await startFlakyProxy(fixture);
  const { endpoint, certificateAuthorityData, mishaps, pageBy } = proxy;
  const pods = `/api/v1/namespaces/${namespace}/pods`;
  return {
    cluster: await server.connect(fixture.adminToken, { endpoint, certificateAuthorityData }),
    namespace,
    create: async (kind, name, replicas) => ({ uid: (await create(kind, name, replicas)).metadata.uid }),
    delete: async (kind, name) => {
      await arrange("DELETE", `${pathOf(kind, name)}?propagationPolicy=Background`);
    },
    scale: async (kind, name, replicas) => {
      await arrange("PATCH", pathOf(kind, name), { spec: { replicas } });
    },
    touch: async (kind, name) => {
      await arrange("PATCH", `${pathOf(kind, name)}/status`, { status: { replicas: 1 } });
    },
    replicas: async (kind, name) =>
      (await arrange<{ spec: { replicas: number } }>("GET", pathOf(kind, name))).spec.replicas,
    setWorkerStatus: async (name, status) => {
      await arrange("PATCH", `/apis/${GROUP}/v1/namespaces/${namespace}/workers/${name}/status`, { status });
    },
    createPlain: async (name) => {
      const object = { apiVersion: `${GROUP}/v1`, kind: "Plain", metadata: { name } };
      await arrange("POST", `/apis/${GROUP}/v1/namespaces/${namespace}/plains`, object);
    },
    createPod: async (name, labels, isReady = false) => {
      await arrange("POST", pods, pod(name, labels));
      if (isReady) await arrange("PATCH", `${pods}/${name}/status`, { status: readyStatus });
    },
    pageBy,
    event: async (name) => {
      const { status, body } = await fixture.api("GET", `/api/v1/namespaces/${namespace}/events/${name}`);
      if (status === 404) return undefined;
      const { type, reason, message, count, involvedObject, ...moments } = body as ServedEvent;
      const [firstTimestamp, lastTimestamp] = [Date.parse(moments.firstTimestamp), Date.parse(moments.lastTimestamp)];
      return { type, reason, message, count, firstTimestamp, lastTimestamp, target: involvedObject };
    },
    metrics: fixture.metrics,
    mishaps,
    close: async () => {
      await server.close();
      await proxy.close();
    },
  };
}

type Shown = NonNullable<Awaited<ReturnType<ClusterBench["event"]>>>;

type ServedEvent = Pick<Shown, "type" | "reason" | "message" | "count"> & {
  readonly involvedObject: Shown["target"];
  readonly firstTimestamp: string;
  readonly lastTimestamp: string;
};
