import type { PodMetrics, Pod } from "../k8s/objects";
import { cachedSelector, isAnybodys } from "../core/select-pods";
import { indexByLabel, type LabelIndex } from "./overlapping-selectors";
import { once } from "../async/shared";
import type { Cluster } from "../model/ports/cluster";

export interface PodReads {
  pods(namespace: string, selector: string): Promise<readonly Pod[]>;
  podMetrics(namespace: string, selector: string): Promise<readonly PodMetrics[]>;
}

/**
 * Lists the whole namespace if several HPAs need it, else one selector.
 *
 * @param readers HPAs with metrics that read pods, by namespace
 */
export function sharePods(cluster: Cluster, readers: ReadonlyMap<string, number>, signal: AbortSignal): PodReads {
  const podLists = once<PodList>();
  const metricLists = once<MetricsList>();
  const scope = (namespace: string, selector: string) => ((readers.get(namespace) ?? 0) > 1 ? "" : selector);

  async function pods(namespace: string, selector: string): Promise<readonly Pod[]> {
    const listed = scope(namespace, selector);
    const list = await podLists(`${namespace} ${listed}`, async () =>
      podList(await cluster.listPods(namespace, listed, signal)),
    );
    if (listed !== "") return list.all;
    return [...matching(list, selector), ...list.anybodys];
  }

  async function podMetrics(namespace: string, selector: string): Promise<readonly PodMetrics[]> {
    const listed = scope(namespace, selector);
    const list = await metricLists(`${namespace} ${listed}`, async () =>
      metricsList(await cluster.podMetrics(namespace, listed, signal)),
    );
    if (listed !== "") return list.all;
    if (list.byName === undefined) return matching(list, selector);
    const { byName } = list;
    const names = new Set((await pods(namespace, selector)).map(({ metadata }) => metadata.name));
    return [...names].flatMap((name) => byName.get(name) ?? []);
  }

  return { pods, podMetrics };
}

/** Found once, or each HPA of a namespace would look at 10,000 pods. */
interface PodList extends LabelIndex<Pod> {
  readonly anybodys: readonly Pod[];
}

interface MetricsList extends LabelIndex<PodMetrics> {
  /** By pod name, for implementations that do not repeat the pods' labels as metrics-server does. */
  readonly byName?: ReadonlyMap<string, readonly PodMetrics[]>;
}

function podList(all: readonly Pod[]): PodList {
  return { ...indexByLabel(all), anybodys: all.filter(isAnybodys) };
}

function metricsList(all: readonly PodMetrics[]): MetricsList {
  const isLabelled = all.some(({ metadata }) => metadata.labels !== undefined);
  if (isLabelled) return indexByLabel(all);
  const byName = new Map<string, PodMetrics[]>();
  for (const metrics of all) {
    const { name } = metrics.metadata;
    const known = byName.get(name);
    if (known === undefined) byName.set(name, [metrics]);
    else known.push(metrics);
  }
  return { ...indexByLabel(all), byName };
}

/** The decision says InvalidSelector. */
function matching<T extends Pod | PodMetrics>(list: LabelIndex<T>, selector: string): readonly T[] {
  const parsed = cachedSelector(selector);
  return "selector" in parsed ? list.matching(parsed.selector) : [];
}
