import { leastByPods } from "../world/plain-reading";
import { podTargetMilli } from "../world/pods";
import { type IntentRecord, type Ledger, versionsBetween } from "./ledger";

/**
 * The least size that the metrics of pods allow, by the answers that the deciding run was given: the highest of its
 * metrics. Infinity: one of them was certainly unknown, so nothing may shrink.
 */
export function leastByMetrics(ledger: Ledger, { by, at }: IntentRecord): number {
  const entry = versionsBetween(ledger, by.startedAt, at).findLast(({ entry }) => entry !== undefined)?.entry;
  const answersTo = (id: string) => (ledger.podReadings.get(id) ?? []).filter((reading) => reading.by === by);
  const least = (entry?.spec.metrics ?? []).map(({ type, pods }) => {
    if (type !== "Resource" && type !== "Pods") return 0;
    const metrics = answersTo(type === "Pods" ? (pods?.metric.name ?? "") : "podMetrics");
    // A batch has several runs, and each has lists of its own: any of them may be what was decided by.
    const all = answersTo("listPods").flatMap((list) =>
      metrics.map(
        (metric) =>
          leastByPods({ pods: list, metrics: metric }, ledger.key.slice(ledger.key.indexOf("/") + 1), podTargetMilli) ??
          Infinity,
      ),
    );
    return all.length === 0 ? Infinity : Math.min(...all);
  });
  return Math.max(0, ...least);
}
