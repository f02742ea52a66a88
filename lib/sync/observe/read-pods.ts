import type { PodMetrics, Pod } from "../../k8s/objects";
import { cachedSelector, isAnybodys } from "../../core/select-pods";
import { indexByLabel, type LabelIndex } from "./label-index";
import { once } from "../../async/shared";
import type { Cluster } from "../../model/ports/cluster";

export interface PodReads {
  pods(namespace: string, selector: string): Promise<readonly Pod[]>;
  podMetrics(namespace: string, selector: string): Promise<readonly PodMetrics[]>;
}

/**
 * Shares reads of pods and their metrics within one turn. If several HPAs of a namespace need them, the whole namespace
 * is listed once. If one HPA does, only its selector is listed.
 *
 * @param readers for each namespace, how many of its HPAs have metrics that read pods.
 */
export function sharePods(cluster: Cluster, readers: ReadonlyMap<string, number>, signal: AbortSignal): PodReads {
  const podLists = once<LabelIndex<Pod>>();
  const metricLists = once<LabelIndex<PodMetrics>>();
  const scope = (namespace: string, selector: string) => ((readers.get(namespace) ?? 0) > 1 ? "" : selector);

  async function pods(namespace: string, selector: string): Promise<readonly Pod[]> {
    const asked = scope(namespace, selector);
    const list = await podLists(`${namespace} ${asked}`, async () =>
      indexByLabel(await cluster.listPods(namespace, asked, signal)),
    );
    if (asked !== "") return list.all;
    return [...matching(list, selector), ...list.all.filter(isAnybodys)];
  }

  async function podMetrics(namespace: string, selector: string): Promise<readonly PodMetrics[]> {
    const asked = scope(namespace, selector);
    const list = await metricLists(`${namespace} ${asked}`, async () =>
      indexByLabel(await cluster.podMetrics(namespace, asked, signal)),
    );
    if (asked !== "") return list.all;
    const labelled = list.all.some(({ metadata }) => metadata.labels !== undefined);
    if (labelled) return matching(list, selector);
    // metrics-server repeats the pods' labels. Other implementations may not; then the pods' names select the metrics.
    const names = new Set((await pods(namespace, selector)).map(({ metadata }) => metadata.name));
    return list.all.filter(({ metadata }) => names.has(metadata.name));
  }

  return { pods, podMetrics };
}

/** An invalid selector matches nothing. The decision says InvalidSelector. */
function matching<T extends Pod | PodMetrics>(list: LabelIndex<T>, selector: string): readonly T[] {
  const parsed = cachedSelector(selector);
  return "selector" in parsed ? list.matching(parsed.selector) : [];
}
