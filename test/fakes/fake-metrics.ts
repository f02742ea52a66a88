import { Fault } from "../../lib/model/fault";
import type { Cluster } from "../../lib/model/ports/cluster";
import type { Pod } from "../../lib/k8s/objects";
import { matches, parseSelector, selectorFrom, SelectorError } from "../../lib/k8s/selector";
import type { MetricReadings, ObjectReading } from "../../local/backends/kubernetes/readings";
import { type FakeKind, findKind, qualified } from "./fake-kinds";

type Labels = Readonly<Record<string, string>>;
type Metrics = Pick<Cluster, "podMetrics" | "podsMetric" | "objectMetric" | "externalMetric">;

/** Whether labels match a selector in string form. @throws Fault badAnswer as the API server's 400 */
export function labelMatch(selector: string): (labels: Labels | undefined) => boolean {
  try {
    const parsed = parseSelector(selector);
    return (labels) => matches(parsed, labels);
  } catch (cause) {
    if (cause instanceof SelectorError) throw new Fault("badAnswer", cause.message, { cause, status: 400 });
    throw cause;
  }
}

/** What the three metrics APIs answer with these readings. */
export function fakeMetrics(readings: MetricReadings, kinds: readonly FakeKind[]): Metrics {
  const objects = (metric: Parameters<Cluster["podsMetric"]>[0]["metric"], of: (reading: ObjectReading) => boolean) => {
    const selected = selectorFrom(metric.selector ?? {});
    return readings
      .objects()
      .filter((reading) => reading.metric === metric.name && of(reading) && matches(selected, reading.metricLabels))
      .map(({ kind, namespace, name, apiVersion, metric: named, value, timestamp = "" }) => ({
        describedObject: { kind, ...(namespace !== "" && { namespace }), name, apiVersion },
        metric: { name: named, selector: null },
        timestamp,
        value,
      }));
  };
  const some = <T>(items: readonly T[], metric: string, of: string): readonly T[] => {
    if (items.length > 0) return items;
    throw new Fault("notFound", `the server could not find the metric ${metric} for ${of}`, { status: 404 });
  };

  return {
    podMetrics: async (namespace, selector) => {
      const selected = labelMatch(selector);
      await Promise.resolve();
      return readings
        .podUsages()
        .filter((usage) => usage.namespace === namespace && selected(usage.labels))
        .map(({ name, labels, timestamp = "", windowSeconds = 15, containers }) => ({
          metadata: { name, namespace, ...(labels && { labels }) },
          timestamp,
          window: `${windowSeconds}s`,
          containers: Object.entries(containers).map(([container, usage]) => ({ name: container, usage })),
        }));
    },
    podsMetric: async ({ namespace, metric, selector }) => {
      const selected = labelMatch(selector);
      await Promise.resolve();
      const isPod = (reading: ObjectReading) =>
        reading.resource === "pods" && reading.namespace === namespace && selected(reading.labels);
      return some(objects(metric, isPod), metric.name, "pods");
    },
    objectMetric: async ({ namespace, metric, describedObject }) => {
      await Promise.resolve();
      const { kind, name, apiVersion = "" } = describedObject;
      if (kind === "Namespace" && !apiVersion.includes("/")) {
        const isOwn = (reading: ObjectReading) => reading.resource === "namespaces" && reading.name === namespace;
        return some(objects(metric, isOwn), metric.name, `namespaces ${namespace}`);
      }
      const resource = qualified(mapped(kinds, describedObject));
      const isIt = (reading: ObjectReading) =>
        reading.resource === resource && reading.namespace === namespace && reading.name === name;
      return some(objects(metric, isIt), metric.name, `${resource} ${name}`);
    },
    externalMetric: async ({ namespace, metric }) => {
      await Promise.resolve();
      const here = readings.externals().filter((one) => one.namespace === namespace && one.metric === metric.name);
      const selected = selectorFrom(metric.selector ?? {});
      return some(here, metric.name, "namespaces")
        .filter(({ labels }) => matches(selected, labels))
        .map(({ labels = {}, value, timestamp = "" }) => ({
          ...{ metricName: metric.name, metricLabels: labels, timestamp, value },
        }));
    },
  };
}

function mapped(kinds: readonly FakeKind[], object: { readonly apiVersion?: string; readonly kind: string }): FakeKind {
  try {
    return findKind(kinds, object);
  } catch (error) {
    const [group, version] = (object.apiVersion ?? "").split("/");
    const name = version === undefined ? object.kind : `${object.kind}.${group}`;
    const why = error instanceof Fault ? error.message : "";
    throw new Fault("notFound", `unable to map kind ${name} to resource: ${why}`, { cause: error });
  }
}

/** Cut to what a decision reads, as the real client cuts it. */
export function cutPod({ metadata, spec, status }: Pod): Pod {
  const kept = ["name", "namespace", "uid", "deletionTimestamp", "labels"];
  const ready = status?.conditions?.find(({ type }) => type === "Ready");
  return {
    metadata: {
      ...Object.fromEntries(Object.entries(metadata).filter(([member]) => kept.includes(member))),
      name: metadata.name,
    },
    spec: spec ?? {},
    status: { ...status, conditions: ready === undefined ? [] : [ready] },
  };
}
