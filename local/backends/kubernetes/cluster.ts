import { closeAll } from "../../../lib/async/closing";
import { type Clock, realClock } from "../../clock";
import { closeServer, listenOnLoopback } from "../../guard/loopback";
import { newSecret } from "../../guard/signature";
import { seededRandom } from "../../random";
import { everything, readingEverything, type User } from "./http/access";
import { type Api, createApi } from "./operations/api";
import { createApiServer, type Intercept } from "./http/api-server";
import { createAuthority, type KeyPair, kubeconfigOf } from "./certificates";
import { defaultTiming, type PodTiming, type RunPod } from "./controllers/pod-lifecycle";
import { startControllers } from "./controllers/start";
import { createMetricReadings, type MetricReadings } from "./readings";
import { createMetricsApi } from "./metrics-api";
import type { KubernetesObject } from "./resources/object";
import { createRegistry, type Registry } from "./resources/registry";
import { customResourceDefinitions, groupVersion, namespaces } from "./resources/kinds";
import { createObjectStore, type ObjectStore } from "./resources/store";

interface SimulatedClusterOptions {
  /** 0, the default: any free port. */
  readonly port?: number;
  readonly clock?: Clock;
  readonly seed?: number;
  readonly namespaces?: readonly string[];
  /** False: like an API server without kube-controller-manager and nodes. */
  readonly controllers?: boolean;
  readonly runPod?: RunPod;
  readonly timing?: PodTiming;
  readonly customPodSets?: readonly string[];
  /** Each with its own token. */
  readonly users?: readonly (Omit<User, "token"> & { readonly token?: string })[];
  readonly intercept?: Intercept;
  readonly snapshot?: ClusterSnapshot;
  /** Called before anybody else can see the change. */
  readonly record?: (change: ObjectChange) => void;
}

export interface ClusterSnapshot {
  readonly objects: readonly KubernetesObject[];
  /** The newest of all objects, deleted ones included. */
  readonly resourceVersion?: number;
}

/** `removed`: its last form. */
export type ObjectChange = { readonly object: KubernetesObject } | { readonly removed: KubernetesObject };

export interface SimulatedCluster {
  /** "https://127.0.0.1:<port>" */
  readonly endpoint: string;
  /** PEM in base64. */
  readonly certificateAuthorityData: string;
  readonly adminToken: string;
  /** For a user who may only read. */
  readonly readerToken: string;
  tokenOf(user: string): string;
  /** "admin" may do everything. */
  clientCertificate(user: string): Promise<KeyPair>;
  kubeconfig(namespace?: string): string;
  readonly api: Api;
  readonly store: ObjectStore;
  readonly registry: Registry;
  readonly metrics: MetricReadings;
  snapshot(): ClusterSnapshot;
  close(): Promise<void>;
}

export async function startSimulatedCluster(options: SimulatedClusterOptions = {}): Promise<SimulatedCluster> {
  const ownClock = realClock();
  const clock = options.clock ?? ownClock;
  const [store, registry, metrics] = [createObjectStore(), createRegistry(), createMetricReadings()];
  restore(options.snapshot, store, registry);
  const { record } = options;
  if (record !== undefined)
    store.subscribe(({ type, object }) => record(type === "DELETED" ? { removed: object } : { object }));
  // A restored cluster must not repeat names and UIDs.
  const random = seededRandom((options.seed ?? 1) + store.resourceVersion());
  const api = createApi({ store, registry, clock, random });
  for (const name of ["default", "kube-system", ...(options.namespaces ?? [])]) {
    if (store.get(namespaces, "", name) === undefined) {
      api.create({ resource: namespaces, namespace: "" }, { metadata: { name } });
    }
  }

  const authority = await createAuthority("ebb-simulation-ca");
  const users = usersOf(options);
  const metricsApi = createMetricsApi(metrics, () => clock.now());
  const { intercept } = options;
  const server = await createApiServer({
    ...{ api, store, registry, clock, users, authority, metrics: metricsApi },
    ...(intercept && { intercept }),
  });
  const port = await listenOnLoopback(server, options.port ?? 0);
  const { timing = defaultTiming, runPod = () => undefined, customPodSets = [] } = options;
  const stopControllers =
    options.controllers === false
      ? () => undefined
      : startControllers({ store, api, registry, clock, random }, { timing, runPod, customPodSets });

  const endpoint = `https://127.0.0.1:${port}`;
  const certificateAuthorityData = Buffer.from(authority.certificate).toString("base64");
  const tokenOf = (name: string): string => {
    const user = users.find((each) => each.name === name);
    if (user === undefined) throw new Error(`no user "${name}" in the simulated cluster`);
    return user.token;
  };
  return {
    endpoint,
    certificateAuthorityData,
    adminToken: tokenOf("admin"),
    readerToken: tokenOf("reader"),
    tokenOf,
    clientCertificate: (user) => authority.issueClient(user),
    kubeconfig: (namespace = "default") =>
      kubeconfigOf({
        ...{ name: "simulation", endpoint, certificateAuthorityData, namespace },
        ...{ user: "admin", token: tokenOf("admin") },
      }),
    ...{ api, store, registry, metrics },
    snapshot: () => ({
      objects: registry.all().flatMap((resource) => store.list(resource, "")),
      resourceVersion: store.resourceVersion(),
    }),
    close: () => closeAll([stopControllers, () => ownClock.close(), () => closeServer(server)]),
  };
}

function usersOf(options: SimulatedClusterOptions): User[] {
  return [
    { name: "admin", groups: ["system:masters"], rules: [everything], token: newSecret() },
    { name: "reader", rules: [readingEverything], token: newSecret() },
    ...(options.users ?? []).map((user) => ({ ...user, token: user.token ?? newSecret() })),
  ];
}

function restore(snapshot: ClusterSnapshot | undefined, store: ObjectStore, registry: Registry): void {
  const isDefinition = ({ kind }: KubernetesObject): boolean => kind === customResourceDefinitions.kind;
  const objects = snapshot?.objects ?? [];
  objects.filter(isDefinition).forEach((definition) => registry.define(definition));
  for (const object of objects) {
    const resource = registry
      .all()
      .find((each) => groupVersion(each) === object.apiVersion && each.kind === object.kind);
    if (resource !== undefined) store.restore(resource, object);
  }
  store.continueFrom(snapshot?.resourceVersion ?? 0);
}
