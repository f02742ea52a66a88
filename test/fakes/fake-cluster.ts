import { Fault, type FaultKind } from "../../lib/model/fault";
import type { ExternalMetricValue, Pod, Scale } from "../../lib/k8s/objects";
import { matches, selectorFrom } from "../../lib/k8s/selector";
import type { RecordedEvent } from "../../lib/model/stored/event-log";
import type {
  Cluster,
  ObservedTarget,
  ServiceAnswer,
  ServiceStream,
  ServiceStreamRequest,
  Target,
} from "../../lib/model/ports/cluster";
import { costAnnotation, ownCostAnnotation, readWorker } from "../../lib/cluster/api/workers";
import { createMetricReadings, type MetricReadings } from "../../local/backends/kubernetes/readings";
import { builtInKinds, deployments, type FakeKind, findKind, qualified } from "./fake-kinds";
import { cutPod, fakeMetrics, labelMatch } from "./fake-metrics";
import { stored } from "./stored";
import { type AnswerMishaps, answerSwitch, mishapSwitch, type Mishaps } from "./wire";

interface FakeScale {
  uid: string;
  replicas: number;
  resourceVersion: number;
  selector: string;
  /** Absent: the status follows the spec at once, as with a quick controller. */
  statusReplicas?: number;
}

export interface FakeCluster extends Cluster {
  /** By "namespace/name" for Deployments; other kinds begin with their resource ("statefulsets.apps shop/db"). */
  readonly scales: Map<string, FakeScale>;
  /** What an external metric answers in every namespace; comes before `metrics`. */
  readonly external: Map<string, ExternalMetricValue[] | Fault>;
  readonly metrics: MetricReadings;
  /** What a service answers to a path, by "namespace/service:port". */
  readonly services: Map<string, (path: string) => ServiceAnswer>;
  /** What a connection to a service leads to, by "namespace/service:port". */
  readonly streams: Map<string, (request: ServiceStreamRequest) => ServiceStream>;
  /** With what the API server has beyond what ebb reads: annotations, owners. */
  pods: Pod[];
  /** What a pod answers, by "namespace/name:port". */
  readonly answers: Map<string, (path: string) => ServiceAnswer | Fault>;
  /** Every deletion cost that was set, or taken away, in order. */
  readonly costs: { readonly pod: string; readonly cost: number | null }[];
  /** Of each event that was shown on a target, by "namespace/name of the Event": as it was shown last. */
  readonly shown: Map<string, { readonly target: ObservedTarget; readonly event: RecordedEvent }>;
  readonly calls: Record<string, number>;
  /** Every scale write that changed something, in order. */
  readonly writes: { readonly target: string; readonly from: number; readonly to: number }[];
  readonly mishaps: Mishaps & AnswerMishaps;
  /** The target's status changed: another resourceVersion, the same size. */
  touch(target: string): void;
  add(target: string, replicas: number, more?: Partial<Pick<FakeScale, "selector" | "statusReplicas">>): void;
  /** Serves another kind. */
  define(kind: FakeKind): void;
}

/**
 * A cluster in memory. test/contract/cluster-contract.ts holds it to what an API server does: kinds, conflicts on a
 * moved resourceVersion, selectors, events, lost answers.
 */
export function fakeCluster(): FakeCluster {
  const scales: FakeCluster["scales"] = new Map();
  const external: FakeCluster["external"] = new Map();
  const services: FakeCluster["services"] = new Map();
  const streams: FakeCluster["streams"] = new Map();
  const calls: Record<string, number> = {};
  const writes: FakeCluster["writes"] = [];
  const shown: FakeCluster["shown"] = new Map();
  const answers: FakeCluster["answers"] = new Map();
  const costs: FakeCluster["costs"] = [];
  const kinds = [...builtInKinds];
  const metrics = createMetricReadings();
  const served = fakeMetrics(metrics, kinds);
  const mishaps = { ...mishapSwitch(), ...answerSwitch() };
  let version = 100;

  async function called(name: string, signal: AbortSignal, isWrite = false): Promise<void> {
    calls[name] = (calls[name] ?? 0) + 1;
    if (signal.aborted) throw new Fault("timeout", `${name}: given up`, { cause: signal.reason });
    await Promise.resolve();
    const answer = mishaps.takeAnswer();
    if (answer !== undefined) throw new Fault(kindOf(answer.status, isWrite), answer.message, answer);
  }

  async function write<T>(attempt: () => T): Promise<T> {
    await Promise.resolve();
    const mishap = mishaps.take();
    if (mishap === undefined) return attempt();
    if (mishap.kind === "late") mishap.hold(() => refusable(attempt));
    else if (mishap.kind !== "requestLost") refusable(attempt);
    throw new Fault("lost", "the connection broke: not known whether it was done");
  }

  function find(target: Target): { readonly id: string; readonly found: FakeScale } {
    const kind = findKind(kinds, target);
    const id = idOf(kind, target);
    if (!kind.hasScale)
      throw new Fault("notFound", "the server could not find the requested resource", { status: 404 });
    const found = scales.get(id);
    if (found === undefined)
      throw new Fault("notFound", `${qualified(kind)} "${target.name}" not found`, { status: 404 });
    return { id, found };
  }

  function asScale(target: Target): Scale {
    const { uid, replicas, resourceVersion, selector, statusReplicas = replicas } = find(target).found;
    return {
      metadata: { name: target.name, namespace: target.namespace, uid, resourceVersion: String(resourceVersion) },
      spec: { replicas },
      status: { replicas: statusReplicas, selector },
    };
  }

  function replace(target: Target, scale: Scale): Scale {
    const { id, found } = find(target);
    const { resourceVersion, uid = found.uid } = scale.metadata;
    if (resourceVersion !== String(found.resourceVersion) || uid !== found.uid) {
      const why = "the object has been modified; please apply your changes to the latest version and try again";
      const what = `${qualified(findKind(kinds, target))} "${target.name}"`;
      throw new Fault("conflict", `Operation cannot be fulfilled on ${what}: ${why}`, { status: 409 });
    }
    const to = scale.spec.replicas ?? 0;
    if (to !== found.replicas) {
      writes.push({ target: id, from: found.replicas, to });
      found.replicas = to;
      found.resourceVersion = ++version;
    }
    return asScale(target);
  }

  const cluster: FakeCluster = {
    scales,
    external,
    services,
    streams,
    metrics,
    shown,
    calls,
    writes,
    mishaps,
    pods: [],
    answers,
    costs,
    touch(target) {
      const found = scales.get(target);
      if (found !== undefined) found.resourceVersion = ++version;
    },
    add(target, replicas, more = {}) {
      const name = target.split("/")[1] ?? "";
      const scale = { uid: `uid-${++version}`, replicas, resourceVersion: version, selector: `app=${name}` };
      scales.set(target, { ...scale, ...more });
    },
    define: (kind) => void kinds.push(kind),
    async getScale(target, signal) {
      await called("getScale", signal);
      return asScale(target);
    },
    async putScale(target, scale, signal) {
      const { resourceVersion = "" } = scale.metadata;
      if (resourceVersion === "") throw new Error(`a scale write of ${target.name} carries no resourceVersion`);
      await called("putScale", signal, true);
      return write(() => replace(target, scale));
    },
    async listPods(namespace, selector, signal) {
      await called("listPods", signal);
      const selected = labelMatch(selector);
      return cluster.pods
        .filter(({ metadata }) => metadata.namespace === namespace && selected(metadata.labels))
        .map((pod) => structuredClone(cutPod(pod)));
    },
    async getObject({ apiVersion, resource, namespace, name }, signal) {
      await called("getObject", signal);
      const group = apiVersion.includes("/") ? apiVersion.split("/")[0] : "";
      const kind = kinds.find((one) => one.group === group && one.plural === resource);
      if (kind === undefined)
        throw new Fault("notFound", "the server could not find the requested resource", { status: 404 });
      const scale = scales.get(idOf(kind, { kind: kind.kind, namespace, name }));
      const pod = cluster.pods.find(({ metadata }) => metadata.namespace === namespace && metadata.name === name);
      const found = kind.kind === "Pod" ? pod : scale && { metadata: { name }, spec: { replicas: scale.replicas } };
      if (found === undefined) throw new Fault("notFound", `${qualified(kind)} "${name}" not found`, { status: 404 });
      return structuredClone({ apiVersion, kind: kind.kind, ...found });
    },
    async podMetrics(namespace, selector, signal) {
      await called("podMetrics", signal);
      return served.podMetrics(namespace, selector, signal);
    },
    async podsMetric(query, signal) {
      await called("podsMetric", signal);
      return served.podsMetric(query, signal);
    },
    async objectMetric(query, signal) {
      await called("objectMetric", signal);
      return served.objectMetric(query, signal);
    },
    async listWorkers({ namespace, selector, annotation }, signal) {
      await called("listWorkers", signal);
      const selected = labelMatch(selector);
      const listed = cluster.pods.filter(
        ({ metadata }) => metadata.namespace === namespace && selected(metadata.labels),
      );
      const read = listed.flatMap((pod) => readWorker(structuredClone(withVersion(pod)), annotation) ?? []);
      return { pods: read, unreadable: listed.length - read.length };
    },
    async setDeletionCost({ namespace, pod: { name, resourceVersion }, cost, mayStart }, signal) {
      await called("setDeletionCost", signal, true);
      if (!mayStart()) throw new Fault("timeout", "it is too late to send it");
      await write(() => {
        const index = cluster.pods.findIndex(
          ({ metadata }) => metadata.namespace === namespace && metadata.name === name,
        );
        const found = cluster.pods[index];
        if (found === undefined) throw new Fault("notFound", `pods "${name}" not found`, { status: 404 });
        const { metadata } = withVersion(found);
        if (metadata.resourceVersion !== resourceVersion) {
          const why = "the object has been modified; please apply your changes to the latest version and try again";
          throw new Fault("conflict", `Operation cannot be fulfilled on pods "${name}": ${why}`, { status: 409 });
        }
        const { [costAnnotation]: _, [ownCostAnnotation]: __, ...others } = metadata.annotations ?? {};
        const own = cost === null ? {} : { [costAnnotation]: String(cost), [ownCostAnnotation]: String(cost) };
        cluster.pods[index] = {
          ...found,
          metadata: { ...metadata, resourceVersion: String(++version), annotations: { ...others, ...own } },
        };
        costs.push({ pod: name, cost });
      });
    },
    async getPod({ namespace, pod, port, path }, signal) {
      await called("getPod", signal);
      const answer = answers.get(`${namespace}/${pod}:${port}`)?.(path);
      if (answer === undefined) throw new Fault("notFound", `pods "${pod}" not found`, { status: 404 });
      if (answer instanceof Fault) throw answer;
      return answer;
    },
    async recordEvent(target, event, signal) {
      await called("recordEvent", signal, true);
      await write(() => {
        const { kind, group } = findKind(kinds, target);
        const id = `${target.namespace}/${target.name}${event.name.slice(event.name.lastIndexOf("."))}`;
        const before = shown.get(id);
        if (before === undefined) {
          const apiVersion = group === "" ? "v1" : `${group}/v1`;
          shown.set(id, structuredClone({ target: { ...target, apiVersion, kind }, event }));
        } else if (event.count > 1) {
          const { count, lastTimestamp, message } = event;
          shown.set(id, { ...before, event: { ...before.event, count, lastTimestamp, message } });
        }
      });
    },
    async getService({ namespace, service, port, path }, signal) {
      await called("getService", signal);
      const answer = services.get(`${namespace}/${service}:${port}`);
      if (answer === undefined) throw new Fault("notFound", `services "${service}" not found`, { status: 404 });
      return answer(path);
    },
    async connectService(request, signal) {
      await called("connectService", signal);
      const { namespace, service, port } = request;
      const stream = streams.get(`${namespace}/${service}:${port}`);
      if (stream === undefined) throw new Fault("notFound", `services "${service}" not found`, { status: 404 });
      return stream(request);
    },
    async externalMetric(query, signal) {
      await called("externalMetric", signal);
      const answer = external.get(query.metric.name);
      if (answer === undefined) return served.externalMetric(query, signal);
      if (answer instanceof Fault) throw answer;
      const selected = selectorFrom(query.metric.selector ?? {});
      return stored(answer.filter(({ metricLabels }) => matches(selected, metricLabels ?? {})));
    },
  };
  return cluster;
}

/** As the API server serves it. */
function withVersion(pod: Pod): Pod {
  const { resourceVersion = "1" } = pod.metadata;
  return { ...pod, metadata: { ...pod.metadata, resourceVersion } };
}

const idOf = (kind: FakeKind, { namespace, name }: Target): string =>
  kind === deployments ? `${namespace}/${name}` : `${qualified(kind)} ${namespace}/${name}`;

/** The server's refusal of a write whose answer nobody gets. */
function refusable(attempt: () => unknown): void {
  try {
    attempt();
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
  }
}

const kindsByStatus: Readonly<Record<number, FaultKind>> = {
  401: "unauthorized",
  403: "forbidden",
  404: "notFound",
  409: "conflict",
  429: "throttled",
  502: "unreachable",
  503: "unreachable",
  504: "unreachable",
};

/** A gateway that gave up on a write does not know whether it was done. */
function kindOf(status: number, isWrite: boolean): FaultKind {
  if (isWrite && (status === 502 || status === 504)) return "lost";
  return kindsByStatus[status] ?? "badAnswer";
}
