import type { TargetCluster } from "../../../lib/cluster/cluster";
import { openSemaphore } from "../../../lib/async/semaphore";
import { once } from "../../../lib/async/shared";
import { metricLabel } from "../../../lib/model/metric/metric-label";
import { currentReplicas } from "../../../lib/core/gate";
import type { HorizontalPodAutoscaler, MetricSpec } from "../../../lib/k8s/hpa";
import type { Scale } from "../../../lib/k8s/objects";
import { type Fault, isFault } from "../../../lib/model/fault";
import type { LocateExternal } from "../../../lib/read/required-permissions";
import type { Advice } from "../../../lib/model/advice";
import { advice } from "../../shell/advice/table";
import { kubectlName } from "../explain/summary";
import { type Finding, fail, ok } from "./finding";

export interface HpaReads {
  readonly findings: readonly Finding[];
  readonly failing: ReadonlySet<string>;
  /** Listed metrics APIs with an unreachable server: the API server's words. */
  readonly unavailable: ReadonlyMap<string, string>;
}

const atOnce = 8;

/** Reads the scale and each metric of each HPA once. Rejects only when `signal` aborts. */
export async function checkHpas(
  cluster: Pick<TargetCluster, "getScale" | "podMetrics" | "podsMetric" | "objectMetric" | "externalMetric"> & {
    readonly name: string;
  },
  hpas: readonly HorizontalPodAutoscaler[],
  { locate, signal }: { readonly locate: LocateExternal; readonly signal: AbortSignal },
): Promise<HpaReads> {
  const semaphore = openSemaphore(atOnce);
  const shared = once<Outcome>();
  const unavailable = new Map<string, string>();
  const failing = new Set<string>();

  const ask = <T>(call: () => Promise<T>) => attempt(() => semaphore.run({ signal }, call));
  const read = (query: Query) => shared(JSON.stringify(query.key), () => ask(() => query.send(signal)));

  async function check(hpa: HorizontalPodAutoscaler): Promise<readonly Finding[]> {
    const { name, namespace = "default" } = hpa.metadata;
    const key = `${namespace}/${name}`;
    const findings: Finding[] = [];
    const report = (what: string, fault: Pick<Fault, "message">, todo: Advice) => {
      failing.add(key);
      findings.push(fail(`HPA ${key}: ${what}`, fault.message, todo));
    };
    const own = { cluster: cluster.name, namespace, name };
    const scale = await ask(() => cluster.getScale({ ...hpa.spec.scaleTargetRef, namespace }, signal));
    if ("fault" in scale && isNews(scale.fault)) {
      const target = kubectlName(hpa);
      const todo = scale.fault.kind === "notFound" ? advice.createTarget(own) : advice.askForScale({ ...own, target });
      report(`its target ${target} can be read`, scale.fault, todo);
    }
    for (const metric of hpa.spec.metrics ?? []) {
      const query = queryOf(metric, { cluster, namespace, locate, scale: "fault" in scale ? undefined : scale.value });
      if (query === undefined) continue;
      const outcome = await read(query);
      const what = `its metric ${metricLabel(metric)} can be read`;
      const todo = advice.checkMetric({ ...own, path: query.path });
      if ("fault" in outcome) {
        if (!isNews(outcome.fault)) continue;
        failing.add(key);
        if (outcome.fault.status === 503) unavailable.set(query.api, outcome.fault.message);
        else report(what, outcome.fault, todo);
      } else if ((outcome.value as readonly unknown[]).length === 0)
        report(what, { message: `${query.api} has no value for it` }, todo);
    }
    return findings;
  }

  const findings = (await Promise.all(hpas.map(check))).flat();
  signal.throwIfAborted();
  const well = hpas.length - failing.size;
  const count = `${well} ${well === 1 ? "HPA's target and its" : "HPAs' targets and their"} metrics in the cluster can be read`;
  return { findings: well === 0 ? findings : [...findings, ok(count)], failing, unavailable };
}

/** Refused permissions have findings of their own. */
function isNews({ kind }: Fault): boolean {
  return kind !== "forbidden";
}

type Outcome<T = unknown> = { readonly value: T } | { readonly fault: Fault };

async function attempt<T>(call: () => Promise<T>): Promise<Outcome<T>> {
  try {
    return { value: await call() };
  } catch (fault) {
    if (!isFault(fault)) throw fault;
    return { fault };
  }
}

interface Query {
  readonly key: unknown;
  readonly api: string;
  readonly path: string;
  readonly send: (signal: AbortSignal) => Promise<readonly unknown[]>;
}

interface HpaContext {
  readonly cluster: Parameters<typeof checkHpas>[0];
  readonly namespace: string;
  readonly locate: LocateExternal;
  /** Undefined: unreadable. */
  readonly scale: Scale | undefined;
}

/** Undefined: not the cluster's, or a metric of pods without pods. */
function queryOf(metric: MetricSpec, { cluster, namespace, locate, scale }: HpaContext): Query | undefined {
  const { type, object, pods, external } = metric;
  if (external !== undefined) {
    if (locate(external.metric).kind !== "cluster") return undefined;
    const query = { namespace, metric: external.metric };
    const api = "external.metrics.k8s.io";
    const path = `/apis/${api}/v1beta1`;
    return { key: [api, query], api, path, send: (signal) => cluster.externalMetric(query, signal) };
  }
  const api = "custom.metrics.k8s.io";
  const path = `/apis/${api}`;
  if (object !== undefined) {
    const query = { namespace, metric: object.metric, describedObject: object.describedObject };
    return { key: [api, query], api, path, send: (signal) => cluster.objectMetric(query, signal) };
  }
  const selector = scale?.status.selector ?? "";
  if (scale === undefined || selector === "" || currentReplicas(scale) === 0) return undefined;
  if (pods !== undefined) {
    const query = { namespace, metric: pods.metric, selector };
    return { key: [api, query], api, path, send: (signal) => cluster.podsMetric(query, signal) };
  }
  if (type !== "Resource" && type !== "ContainerResource") return undefined;
  const resources = "metrics.k8s.io";
  return {
    key: [resources, namespace, selector],
    api: resources,
    path: `/apis/${resources}/v1beta1/namespaces/${namespace}/pods`,
    send: (signal) => cluster.podMetrics(namespace, selector, signal),
  };
}
