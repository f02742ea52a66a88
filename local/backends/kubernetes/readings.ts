import type { Labels } from "./resources/selectors";

export interface PodUsage {
  readonly namespace: string;
  readonly name: string;
  readonly labels?: Labels;
  /** By container: { main: { cpu: "250m", memory: "64Mi" } }. */
  readonly containers: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly windowSeconds?: number;
  /** RFC 3339; absent: the time of the request. */
  readonly timestamp?: string;
}

/** The object may be a pod. */
export interface ObjectReading {
  /** "" for objects without a namespace. */
  readonly namespace: string;
  /** "pods", "services", "ingresses.networking.k8s.io". */
  readonly resource: string;
  readonly name: string;
  readonly kind: string;
  readonly apiVersion: string;
  /** They select pods. */
  readonly labels?: Labels;
  readonly metric: string;
  /** A metric selector matches them. */
  readonly metricLabels?: Labels;
  readonly value: string;
  readonly windowSeconds?: number;
  readonly timestamp?: string;
}

export interface ExternalReading {
  readonly namespace: string;
  readonly metric: string;
  readonly labels?: Labels;
  readonly value: string;
  readonly timestamp?: string;
}

/** A reading replaces the previous one. */
export interface MetricReadings {
  setPodUsage(usage: PodUsage): void;
  removePodUsage(namespace: string, name: string): void;
  setObject(reading: ObjectReading): void;
  setPod(reading: Omit<ObjectReading, "resource" | "kind" | "apiVersion">): void;
  setExternal(reading: ExternalReading): void;
  /** It is then unknown, not empty. */
  removeExternal(namespace: string, metric: string): void;
  podUsages(): readonly PodUsage[];
  objects(): readonly ObjectReading[];
  externals(): readonly ExternalReading[];
  clear(): void;
}

export function createMetricReadings(): MetricReadings {
  const usages = new Map<string, PodUsage>();
  const objects = new Map<string, ObjectReading>();
  const externals = new Map<string, ExternalReading>();
  const setObject = (reading: ObjectReading): void => {
    const { namespace, resource, name, metric, metricLabels = {} } = reading;
    objects.set(JSON.stringify([namespace, resource, name, metric, metricLabels]), reading);
  };
  return {
    setPodUsage: (usage) => void usages.set(`${usage.namespace}/${usage.name}`, usage),
    removePodUsage: (namespace, name) => void usages.delete(`${namespace}/${name}`),
    setObject,
    setPod: (reading) => setObject({ ...reading, resource: "pods", kind: "Pod", apiVersion: "/v1" }),
    setExternal({ namespace, metric, labels = {}, ...rest }) {
      externals.set(JSON.stringify([namespace, metric, labels]), { namespace, metric, labels, ...rest });
    },
    removeExternal(namespace, metric) {
      for (const [key, reading] of externals) {
        if (reading.namespace === namespace && reading.metric === metric) externals.delete(key);
      }
    },
    podUsages: () => [...usages.values()],
    objects: () => [...objects.values()],
    externals: () => [...externals.values()],
    clear() {
      usages.clear();
      objects.clear();
      externals.clear();
    },
  };
}
