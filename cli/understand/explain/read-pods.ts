import { once } from "../../../lib/async/shared";
import type { TargetCluster } from "../../../lib/cluster/cluster";
import type { HorizontalPodAutoscaler, MetricSpec } from "../../../lib/k8s/hpa";
import type { MetricResponse, PodMetrics } from "../../../lib/k8s/objects";
import { Fault, isFault } from "../../../lib/model/fault";
import { optionsOf } from "../../../lib/read/decisions";
import type { HpaFacts } from "../../../lib/read/hpa-facts";
import { type FoundPods, isOfPods, podsNow, type PodsNow } from "../../../lib/read/pods-now";
import type { LocalConnections } from "../../shell/connect/connections";
import type { Session } from "../../shell/session";

export type PodsCluster = Pick<TargetCluster, "getScale" | "listOwnedPods" | "podMetrics" | "podsMetric">;

/** The pods of an HPA's target as they are now, asked from this machine. Rejects with a Fault. */
export async function readPods(
  { clusters }: Pick<LocalConnections, "clusters">,
  facts: HpaFacts,
  { now, signal }: Pick<Session, "now" | "signal">,
): Promise<PodsNow> {
  const { cluster, entry } = facts;
  if ("invalid" in cluster) throw new Fault("badEntry", cluster.invalid);
  if ("errors" in entry) throw new Fault("badEntry", entry.errors.join("; "));
  const found = await findPods(await clusters.connect(cluster.value, signal), entry.hpa, signal);
  return podsNow(entry.hpa, found, { options: optionsOf(facts), now: now() });
}

/** A metric that cannot be read is an error of that metric. */
async function findPods(cluster: PodsCluster, hpa: HorizontalPodAutoscaler, signal: AbortSignal): Promise<FoundPods> {
  const { namespace = "default" } = hpa.metadata;
  const scale = await cluster.getScale({ ...hpa.spec.scaleTargetRef, namespace }, signal);
  const { selector = "" } = scale.status;
  // Without a selector, every pod of the namespace would match.
  if (selector === "") throw new Fault("badAnswer", "expected a selector in the target's scale, got none");
  const shared = once<readonly PodMetrics[]>();
  const read = async (metric: MetricSpec): Promise<MetricResponse> => {
    try {
      const items =
        metric.pods === undefined
          ? await shared("", () => cluster.podMetrics(namespace, selector, signal))
          : await cluster.podsMetric({ namespace, metric: metric.pods.metric, selector }, signal);
      return { items };
    } catch (error) {
      if (!isFault(error)) throw error;
      return { error: error.message };
    }
  };
  const metrics = (hpa.spec.metrics ?? []).filter(isOfPods);
  const [pods, ...responses] = await Promise.all([
    cluster.listOwnedPods(namespace, selector, signal),
    ...metrics.map(read),
  ]);
  const readings = metrics.map((metric, index) => ({ metric, response: responses[index] ?? { items: [] } }));
  return { scale, pods, readings };
}
