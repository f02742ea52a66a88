import type { Reply, Route } from "../world/api-server";
import { keyOfMetric, metricId } from "../world/metric-id";
import { type PlainItems, plainItems, plainSum } from "../world/plain-reading";
import type { Invocation } from "../world/wire";
import type { Books } from "./books";
import { type IntentRecord, isActive, type Ledger, pushCapped, type Reading, versionsBetween } from "./ledger";
import { recommend } from "./oracle";
import { viewRules } from "./rules";

interface ScaleSeen {
  readonly at: number;
  readonly replicas: number;
}

export type Observations = ReturnType<typeof watchObservations>;

/** What each run was answered about sizes and metrics, and what it must have recommended from that. */
export function watchObservations({ clock, setting, ledgers, ledgerOf }: Books) {
  /** What an invocation saw of an HPA's scale, by key. */
  const scalesSeen = new Map<Invocation, Map<string, ScaleSeen>>();

  function scaleSeen(by: Invocation, key: string, replicas: number): void {
    const seen = scalesSeen.get(by) ?? new Map<string, ScaleSeen>();
    scalesSeen.set(by, seen.set(key, { at: clock.now, replicas }));
  }

  function read(metric: string, reading: Reading): void {
    const { readings } = ledgerOf(keyOfMetric(metric));
    const list = readings.get(metric) ?? [];
    readings.set(metric, list);
    pushCapped(list, reading);
  }

  /** What an answer over HTTP says, read here again. */
  function answered(by: Invocation, { name, namespace, object }: Route, seen: Reply, meant: Reply): void {
    const items = (kind: string) => ({ seen: itemsOf(seen, kind), meant: itemsOf(meant, kind) });
    if (name === "externalMetric") {
      const value = plainSum(itemsOf(seen, "ExternalMetricValueList"));
      read(object, { at: clock.now, by, value, isOdd: seen !== meant });
    }
    const kind = { listPods: "PodList", podMetrics: "PodMetricsList", podsMetric: "MetricValueList" }[String(name)];
    if (kind === undefined) return;
    const id = name === "podsMetric" ? object : name;
    for (const ledger of ledgers.values()) {
      if (!ledger.key.startsWith(`${namespace}/`)) continue;
      const list = ledger.podReadings.get(id) ?? [];
      ledger.podReadings.set(id, list);
      pushCapped(list, { by, ...items(kind) }, 20);
    }
  }

  function itemsOf({ status, body }: Reply, kind: string): PlainItems {
    return status === 200 ? plainItems(body, kind) : undefined;
  }

  /** No answer that the run had, or that it may have remembered, was usable for one of the metrics. */
  function isBlind(ledger: Ledger, own: IntentRecord): boolean {
    const { by, at } = own;
    const entry = versionsBetween(ledger, by.startedAt, at).findLast(({ entry }) => entry !== undefined)?.entry;
    return (entry?.spec.metrics ?? []).some((metric, index) => {
      if (metric.type !== "External") return false; // `leastByMetrics` judges these
      const list = ledger.readings.get(metricId(ledger.key, index)) ?? [];
      const isKept = metric.external?.metric.name === "periodic";
      if (viewRules(ledger, own, setting.periodSeconds * 1_000).fallbackOf(metricId(ledger.key, index)) !== undefined)
        return false; // `viewRules` judges this one
      const known = list.filter(
        (reading) => reading.by === by || (isKept && reading.at > at - 90_000 - 2 * setting.periodSeconds * 1_000),
      );
      return known.every(({ value }) => value === undefined);
    });
  }

  /** The table has what this run recommended, as seen at `at` by its clock. */
  function saw(ledger: Ledger, by: Invocation, at: number): void {
    const seen = scalesSeen.get(by)?.get(ledger.key);
    if (seen === undefined) return;
    // It read the entry before the scale.
    const versions = versionsBetween(ledger, by.startedAt, seen.at);
    const [version] = versions;
    const entry = version?.entry;
    const current = seen.replicas;
    if (versions.length !== 1 || entry === undefined || !isActive(entry)) return;
    const { min, max } = { min: entry.spec.minReplicas ?? 1, max: entry.spec.maxReplicas };
    if (current > max || current < min || (current === 0 && ledger.isZeroOurs !== true)) return;
    // Whether the run counts this work yet depends on slots that it may have seen or not.
    const isStale = (entry.spec.metrics ?? []).some(({ external }) => external?.metric.name === "stale");
    if (current === 0 && (entry.rules !== undefined || isStale)) return;
    if (by.fn !== "sync" || by.bodies.length > 1) return; // which of its turns read the metric is not known
    const values = (entry.spec.metrics ?? []).map((_, index) => {
      const readings = ledger.readings.get(metricId(ledger.key, index)) ?? [];
      const own = readings.filter((reading) => reading.by === by);
      return own.length === 0 || own.some(({ isOdd }) => isOdd) ? ("kept" as const) : own.at(-1)?.value;
    });
    if (values.includes("kept")) return;
    const replicas = recommend(entry.spec, current, values as readonly (number | undefined)[]);
    if (typeof replicas === "number") pushCapped(ledger.observations, { at, replicas, knownAt: clock.now }, 600);
  }

  return { scaleSeen, read, answered, isBlind, saw, ended: (by: Invocation) => void scalesSeen.delete(by) };
}
