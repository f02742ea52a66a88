import { type ApiClientOptions, apiClient } from "../../../lib/cluster/api/api-client";
import { podProxy, serviceProxy } from "../../../lib/cluster/api/services/service-proxy";
import type { Connection } from "../../../lib/net/connection";
import type { Answer, NoAnswer } from "../../../lib/net/exchange";
import { openMemory } from "../../../lib/net/memory";
import { openDiscovery } from "../../../lib/cluster/api/discovery";
import { targetCluster } from "../../../lib/cluster/cluster";
import { OutOfTime } from "../../../lib/async/within-time";
import type { Scale } from "../../../lib/k8s/objects";
import { SelectorError } from "../../../lib/k8s/selector";
import { Fault, isFault } from "../../../lib/model/fault";
import type { Cluster, Target } from "../../../lib/model/ports/cluster";
import type { FakeCluster } from "../../fakes/fake-cluster";
import type { ClusterWitness } from "./cluster-client";
import type { PodWorld } from "./pods";
import type { Outcome, Wire } from "./wire";
import type { WorkerWorld } from "./workers";

/** What an API server answers, before a story makes something else of it. */
export interface Reply {
  readonly status: number;
  readonly body: string;
}

/** A request, as its path says it. */
export interface Route {
  readonly name:
    | ("discover" | "getScale" | "putScale" | "listPods" | "podMetrics" | "podsMetric" | "externalMetric" | "event")
    | ("askPod" | "patchPod");
  readonly namespace: string;
  /** Of the target, the pod or the metric; "" for lists of a namespace. */
  readonly object: string;
  readonly selector: string;
}

export interface ApiServerDeps {
  readonly far: FakeCluster;
  readonly pods: PodWorld;
  readonly workers: WorkerWorld;
  readonly wire: Wire;
  readonly witness: () => ServerWitness;
  readonly now: () => number;
  /** What arrives of an answer: the same, something else, or nothing. */
  readonly distort: (route: Route, reply: Reply) => Reply | undefined;
}

export interface ServerWitness extends ClusterWitness {
  /** By the code under test: while a server is down, no request may follow. */
  scaleAsked(target: Target): void;
  patchIssued(route: Route, body: string): void;
  /** Before it is carried out. */
  patchArrives(route: Route, body: string): void;
  /** `meant` is the answer before a story made something else of it. */
  answered(route: Route, seen: Reply, meant: Reply): void;
}

/**
 * One cluster as a process reaches it over HTTP: real discovery, decoders, retries and limiters on a simulated wire.
 */
export function apiServerClient(deps: ApiServerDeps): Cluster {
  const { wire, witness, now } = deps;
  const connection: Connection = {
    exchange: (call, _credential, signal) => exchange(call, signal),
    upgrade: () => {
      throw new Error("the simulated wire has requests only");
    },
    dropIdle: () => undefined,
    close: () => undefined,
  };
  const options: ApiClientOptions = {
    ...{ connection, now, origin: "https://prod.example", timeoutMs: 10_000, concurrency: 32 },
    authenticator: { credential: () => Promise.resolve({ headers: {} }), invalidate: () => undefined },
    memory: openMemory(1024 * 1024 * 1024).share(),
  };
  const api = apiClient(options);
  const services = {
    getService: serviceProxy(options),
    getPod: podProxy(options),
    connectService: () => Promise.reject(new Error("the simulated wire has requests only")),
  };
  const cluster = targetCluster({ api, discovery: openDiscovery(api, now), services, now });

  /** Scale writes that are about to be sent, by path and body. */
  const puts = new Map<string, Put>();

  async function exchange(
    { method, path, body }: Parameters<Connection["exchange"]>[0],
    signal: AbortSignal,
  ): Promise<Answer | NoAnswer> {
    const route = routeOf(method, path);
    const put = route.name === "putScale" ? puts.get(putId(route, JSON.parse(body ?? "") as Scale)) : undefined;
    const replicas = put === undefined ? "" : ` ${put.scale.spec.replicas ?? 0}`;
    const seenBy = witness();
    if (route.name === "patchPod") seenBy.patchIssued(route, body ?? "");
    const arrive = async (): Promise<Answer> => {
      if (route.name === "patchPod") seenBy.patchArrives(route, body ?? "");
      const arrived = put?.seen.putArrives(put.target, put.scale);
      const reply = await answerOf(deps, route, body);
      arrived?.(reply?.status === 200);
      const seen = reply && deps.distort(route, reply);
      if (reply === undefined || seen === undefined) return new Promise(() => undefined);
      seenBy.answered(route, seen, reply);
      return answered(seen);
    };
    try {
      return await wire({
        name: `cluster ${route.name} ${route.object}${replicas}`,
        ...{ signal, arrive, limitMs: 60_000 },
        ...(put === undefined ? {} : { onSent: () => put.seen.putSent() }),
        failure: (outcome) => new Unanswered(answerTo(outcome, signal)),
      });
    } catch (error) {
      if (!(error instanceof Unanswered)) throw error;
      const { answer } = error;
      if (put !== undefined && "status" in answer && answer.status === 429) put.seen.putThrottled(put.target);
      return answer;
    }
  }

  return {
    ...cluster,
    async getScale(target, signal) {
      const seen = witness();
      seen.scaleAsked(target);
      const scale = await cluster.getScale(target, signal);
      seen.scaleSeen(target, scale);
      return scale;
    },
    putScale(target, scale, signal) {
      const seen = witness();
      seen.putIssued(target, scale);
      puts.set(putId({ namespace: target.namespace, object: target.name }, scale), { seen, target, scale });
      return cluster.putScale(target, scale, signal);
    },
  };
}

interface Put {
  readonly seen: ClusterWitness;
  readonly target: Target;
  readonly scale: Scale;
}

function putId({ namespace, object }: Pick<Route, "namespace" | "object">, { metadata, spec }: Scale): string {
  return `${namespace}/${object} ${metadata.resourceVersion} ${spec.replicas ?? 0}`;
}

class Unanswered extends Error {
  constructor(readonly answer: Answer | NoAnswer) {
    super("by the story");
  }
}

function answered({ status, body }: Reply, headers: Answer["headers"] = {}): Answer {
  return { status, headers: { "content-type": "application/json", ...headers }, body: Buffer.from(body) };
}

const refusals = [429, 503, 500, 403];
const failures = [504, 500];

function answerTo(outcome: Outcome, signal: AbortSignal): Answer | NoAnswer {
  switch (outcome.kind) {
    case "aborted": {
      const failure = signal.reason instanceof OutOfTime ? "timeout" : "aborted";
      return { failure, sent: outcome.isSent, detail: "given up" };
    }
    case "noAnswer":
      return { failure: "timeout", sent: true, detail: "no answer" };
    case "refused":
      return answered(status(refusals[outcome.variant % refusals.length]!, "refused by the story"));
    case "failedAfter":
      return answered(status(failures[outcome.variant % failures.length]!, "failed by the story"));
  }
}

function status(code: number, message: string): Reply {
  return { status: code, body: JSON.stringify({ kind: "Status", apiVersion: "v1", status: "Failure", message, code }) };
}

function routeOf(method: string, path: string): Route {
  const [place = "", search = ""] = path.split("?");
  const parts = place.split("/").slice(1).map(decodeURIComponent);
  const selector = new URLSearchParams(search).get("labelSelector") ?? "";
  const namespace = parts[parts.indexOf("namespaces") + 1] ?? "";
  const route = (name: Route["name"], object = ""): Route => ({ name, namespace, object, selector });
  if (parts.at(-1) === "scale") return route(method === "PUT" ? "putScale" : "getScale", parts.at(-2));
  if (parts.includes("events")) return route("event");
  if (parts[1] === "metrics.k8s.io") return route("podMetrics");
  if (parts[1] === "custom.metrics.k8s.io") return route("podsMetric", parts.at(-1));
  if (parts[1] === "external.metrics.k8s.io") return route("externalMetric", parts.at(-1));
  if (parts[0] === "api" && parts.at(-1) === "pods") return route("listPods");
  if (method === "PATCH") return route("patchPod", parts.at(-1));
  if (parts[4] === "pods") return route("askPod", parts[5]?.split(":")[0]);
  return route("discover");
}

const quiet = new AbortController().signal;

function patched({ status: code, body }: Reply): Reply {
  return code === 200 ? { status: code, body } : status(code, body);
}

/** undefined: never. */
async function answerOf(deps: ApiServerDeps, route: Route, body: string | undefined): Promise<Reply | undefined> {
  const { namespace, object } = route;
  if (route.name === "askPod") return deps.workers.answer(namespace, object);
  if (route.name === "patchPod") return patched(deps.workers.patch(namespace, object, body ?? ""));
  const hangs = deps.far.external.get(route.object);
  if (hangs instanceof Fault && hangs.kind === "timeout") return undefined;
  try {
    return { status: 200, body: JSON.stringify(await documentOf(deps, route, body)) };
  } catch (error) {
    if (error instanceof SelectorError) return status(400, error.message);
    if (!isFault(error)) throw error;
    return status(error.status ?? 500, error.message);
  }
}

async function documentOf(
  { far, pods, workers }: ApiServerDeps,
  { name, namespace, object, selector }: Route,
  body: string | undefined,
): Promise<object> {
  const target: Target = { namespace, name: object, kind: "Deployment", apiVersion: "apps/v1" };
  const metric = { name: object };
  const list = (kind: string, items: readonly unknown[]) => ({ kind, metadata: {}, items });
  switch (name) {
    case "discover":
      return groups;
    case "getScale":
      return asScale(await far.getScale(target, quiet));
    case "putScale":
      try {
        return asScale(await far.putScale(target, JSON.parse(body ?? "") as Scale, quiet));
      } finally {
        pods.resized(`${namespace}/${object}`);
        workers.resized(`${namespace}/${object}`);
      }
    case "listPods":
      return list("PodList", [...pods.list(namespace, selector), ...workers.list(namespace, selector)]);
    case "podMetrics":
      return list("PodMetricsList", pods.usage(namespace, selector));
    case "podsMetric":
      return list("MetricValueList", [
        ...pods.values(namespace, selector, object),
        ...workers.values(namespace, selector, object),
      ]);
    case "externalMetric":
      return list("ExternalMetricValueList", await far.externalMetric({ namespace, metric }, quiet));
    case "askPod":
    case "patchPod":
    case "event":
      throw new Fault("forbidden", "events is forbidden", { status: 403 });
  }
}

const asScale = (scale: Scale) => ({ kind: "Scale", apiVersion: "autoscaling/v1", ...scale });

const resource = (name: string, kind: string, subresources: readonly object[] = []) => ({
  resource: name,
  responseKind: { group: "", version: "", kind },
  scope: "Namespaced",
  verbs: ["get", "list", "update"],
  subresources,
});
const group = (name: string, version: string, resources: readonly object[]) => ({
  metadata: { name },
  versions: [{ version, resources }],
});
const groups = {
  kind: "APIGroupDiscoveryList",
  apiVersion: "apidiscovery.k8s.io/v2",
  items: [
    group("apps", "v1", [resource("deployments", "Deployment", [{ subresource: "scale" }])]),
    group("metrics.k8s.io", "v1beta1", [resource("pods", "PodMetrics")]),
    group("custom.metrics.k8s.io", "v1beta2", [resource("pods", "MetricValueList")]),
    group("external.metrics.k8s.io", "v1beta1", []),
  ],
};
