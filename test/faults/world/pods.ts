import type { HpaSpec } from "../../../lib/k8s/hpa";
import { matches, parseSelector } from "../../../lib/k8s/selector";
import type { WorldClock } from "./clock";

/** The target of every metric of pods is this much of a pod, in thousandths: of a CPU, or of a request in a second. */
export const podTargetMilli = 500;
const readyAfterMs = 4_000;
/** A pod's first metrics appear this long after it is ready. */
const measuredAfterMs = 10_000;
const windowSeconds = 30;

interface Workload {
  readonly key: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly replicas: () => number;
  /** By metric: "cpu", or the name of a Pods metric. */
  readonly loads: Map<string, number>;
  readonly pods: { readonly name: string; readonly at: number }[];
  made: number;
  /** Answers as they were at `at`, until `until`. */
  stale: { readonly of: "list" | "metrics"; readonly at: number; readonly until: number } | undefined;
  /** Every so many pods have no metrics, until `until`. */
  missing: { readonly every: number; readonly until: number } | undefined;
}

/** Which pods each target has, and what they use: the load is divided among those that are measured. */
export type PodWorld = ReturnType<typeof openPods>;

export function openPods(clock: WorldClock) {
  const workloads: Workload[] = [];
  const find = (key: string) => workloads.find((each) => each.key === key);

  /** The pods follow the size, and the latest go first. */
  function follow(workload: Workload): void {
    const { pods } = workload;
    const wanted = workload.replicas();
    while (pods.length > wanted) pods.pop();
    while (pods.length < wanted) {
      workload.made += 1;
      pods.push({ name: `${workload.labels["app"]}-${workload.made}`, at: clock.now });
    }
  }

  function selected(namespace: string, selector: string): readonly Workload[] {
    const parsed = parseSelector(selector);
    return workloads.filter(
      ({ key, labels }) => key.startsWith(`${namespace}/`) && (selector === "" || matches(parsed, labels)),
    );
  }

  /** Each answer of a workload, remembered for stale ones. */
  const answers = new Map<string, { readonly at: number; readonly items: readonly object[] }[]>();

  function itemsOf(workload: Workload, of: "list" | "metrics", name: string, make: () => readonly object[]) {
    const kept = answers.get(`${workload.key} ${name}`) ?? [];
    answers.set(`${workload.key} ${name}`, kept);
    const { stale } = workload;
    if (stale?.of === of && stale.until > clock.now) {
      const old = kept.findLast(({ at }) => at <= stale.at);
      if (old !== undefined) return old.items;
    }
    follow(workload);
    const items = make();
    kept.push({ at: clock.now, items });
    if (kept.length > 50) kept.splice(0, 25);
    return items;
  }

  function measured(workload: Workload, metric: string) {
    const ready = workload.pods.filter(({ at }) => clock.now - at >= readyAfterMs + measuredAfterMs);
    const load = workload.loads.get(metric) ?? 0;
    const { missing } = workload;
    const isMissing = (index: number) =>
      missing !== undefined && missing.until > clock.now && index % missing.every === 0;
    return ready.flatMap(({ name }, index) => {
      const milli = Math.floor(load / ready.length) + (index < load % ready.length ? 1 : 0);
      return isMissing(index) ? [] : [{ name, milli }];
    });
  }

  const instant = (at: number) => new Date(at).toISOString();

  return {
    add(key: string, spec: HpaSpec, replicas: () => number): void {
      if (!(spec.metrics ?? []).some(({ type }) => type === "Resource" || type === "Pods")) return;
      const labels = { app: key.slice(key.indexOf("/") + 1) };
      workloads.push({
        ...{ key, labels, replicas, made: 0, stale: undefined, missing: undefined },
        ...{ loads: new Map(), pods: [] },
      });
    },
    /** After each change of a size. */
    resized(key: string): void {
      const workload = find(key);
      if (workload !== undefined) follow(workload);
    },
    load(key: string, metric: string, milli: number): void {
      find(key)?.loads.set(metric, milli);
    },
    loadOf: (key: string, metric: string): number | undefined => find(key)?.loads.get(metric),
    goStale(key: string, of: "list" | "metrics", until: number): void {
      const workload = find(key);
      if (workload !== undefined) workload.stale = { of, at: clock.now, until };
    },
    goMissing(key: string, every: number, until: number): void {
      const workload = find(key);
      if (workload !== undefined) workload.missing = { every, until };
    },
    list: (namespace: string, selector: string) =>
      selected(namespace, selector).flatMap((workload) =>
        itemsOf(workload, "list", "pods", () =>
          workload.pods.map(({ name, at }) => {
            const isReady = clock.now - at >= readyAfterMs;
            const lastTransitionTime = instant(isReady ? at + readyAfterMs : at);
            return {
              metadata: { name, namespace, uid: `${name}-uid`, labels: workload.labels },
              spec: { containers: [{ name: "app", resources: { requests: { cpu: "1" } } }] },
              status: {
                phase: isReady ? "Running" : "Pending",
                startTime: instant(at),
                conditions: [{ type: "Ready", status: isReady ? "True" : "False", lastTransitionTime }],
              },
            };
          }),
        ),
      ),
    usage: (namespace: string, selector: string) =>
      selected(namespace, selector).flatMap((workload) =>
        itemsOf(workload, "metrics", "cpu", () =>
          measured(workload, "cpu").map(({ name, milli }) => ({
            metadata: { name, namespace, labels: workload.labels },
            timestamp: instant(clock.now - 2_000),
            window: `${windowSeconds}s`,
            containers: [{ name: "app", usage: { cpu: `${milli}m` } }],
          })),
        ),
      ),
    values: (namespace: string, selector: string, metric: string) =>
      selected(namespace, selector).flatMap((workload) =>
        itemsOf(workload, "metrics", metric, () =>
          measured(workload, metric).map(({ name, milli }) => ({
            describedObject: { kind: "Pod", namespace, name, apiVersion: "/v1" },
            metric: { name: metric, selector: null },
            timestamp: instant(clock.now - 2_000),
            value: `${milli}m`,
          })),
        ),
      ),
  };
}
