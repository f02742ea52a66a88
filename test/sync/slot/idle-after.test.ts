import type { HpaSpec, HpaStatus, MetricSpec } from "../../../lib/k8s/hpa";
import { asHpaKey } from "../../../lib/model/hpa-key";
import type { MetricRules } from "../../../lib/model/metric/metric-rules";
import type { HpaResult, HpaTask } from "../../../lib/sync/hpa/hpa-result";
import type { KnownSources } from "../../../lib/readings/read-sources";
import { idleAfter } from "../../../lib/sync/slot/idle-hpas";
import { sourceOf } from "../sync-fixture";

/** What a run's HPAs give the poller, without a slot around them. */
const now = Date.parse("2026-11-10T12:00:00Z");
const orders = asHpaKey("shop/orders");
const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "orders" };
const external = (name: string): MetricSpec => ({
  ...{ type: "External", external: { metric: { name }, target: { type: "AverageValue", averageValue: "5" } } },
});
const atZero: HpaStatus = {
  ...{ desiredReplicas: 0, lastScaleTime: "2026-11-10T11:00:00Z" },
  conditions: [{ type: "ScaledToZero", status: "True" }],
};
const known: KnownSources = {
  entries: new Map([["spoilt", { key: "spoilt", invalid: "expected a kind" }]]),
  sources: { depth: sourceOf(() => ({ items: [] })), age: sourceOf(() => ({ items: [] })) },
};

interface Given {
  readonly key?: string;
  readonly spec?: Partial<HpaSpec>;
  readonly status?: HpaStatus | undefined;
  readonly namespace?: string | undefined;
  readonly rules?: Readonly<Record<string, MetricRules>>;
  readonly errors?: readonly string[];
}

function task({ key = "shop/orders", spec, status, rules, errors, ...given }: Given = {}): HpaTask {
  const namespace = "namespace" in given ? given.namespace : "shop";
  const annotations = {
    ...{ "ebb.dev/wake": "fast", "a.team's": "own" },
    ...(rules && { "ebb.dev/metric-rules": JSON.stringify(rules) }),
  };
  const hpa = {
    ...{ apiVersion: "autoscaling/v2", kind: "HorizontalPodAutoscaler" },
    metadata: { ...(namespace && { namespace }), name: key.split("/")[1] ?? "", annotations, uid: "u" },
    spec: { scaleTargetRef, minReplicas: 0, maxReplicas: 10, metrics: [external("depth")], behavior: {}, ...spec },
  };
  const entry = errors === undefined ? { hpa, operations: { wake: "fast", dryRun: false, paused: false } } : { errors };
  return { key: asHpaKey(key), entry, state: status && { status } } as Partial<HpaTask> as HpaTask;
}

const find = (tasks: readonly HpaTask[], results: Readonly<Record<string, HpaStatus | undefined>> = {}) =>
  idleAfter(
    tasks,
    Object.entries(results).map(([key, status]) => ({ key, status }) as Partial<HpaResult> as HpaResult),
    { settings: { byDefault: false }, known, periodMs: 15_000, now },
  ).idle;

test("HPAs whose sources take more than all may take are not watched, and the small one is", () => {
  const sized = (name: string, bytes: number) => {
    const matchLabels = { text: "x".repeat(bytes) };
    const metric = {
      ...external("depth"),
      external: { metric: { name: "depth", selector: { matchLabels } }, target: { type: "Value", value: "1" } },
    };
    return task({ key: `shop/${name}`, spec: { metrics: [metric] } });
  };
  const large = Array.from({ length: 50 }, (_, index) => sized(`large-${index}`, 100_000));
  const tasks = [...large, sized("small", 10)];
  const results = tasks.map(({ key }) => ({ key, status: atZero }) as Partial<HpaResult> as HpaResult);
  const { idle, unpolled } = idleAfter(tasks, results, {
    settings: { byDefault: false },
    known,
    periodMs: 15_000,
    now,
  });
  expect(Object.keys(idle)).toContain("shop/small");
  expect(Object.keys(idle).length).toBeGreaterThan(15);
  expect(unpolled.length).toBeGreaterThan(25);
  expect(Object.keys(idle).length + unpolled.length).toBe(51);
  expect(JSON.stringify(idle).length).toBeLessThan(8 * 1024 * 1024);
});

test("of HPAs that take more than their shares, others are watched after an hour; a neighbour's small one always", () => {
  const sized = (key: string, bytes: number) => {
    const metric = { name: "depth", selector: { matchLabels: { text: "x".repeat(bytes) } } };
    const target = { type: "Value", value: "1" } as const;
    return task({ key, spec: { metrics: [{ type: "External", external: { metric, target } }] }, status: atZero });
  };
  const large = Array.from({ length: 60 }, (_, index) => sized(`crowd/h${index}`, 100_000));
  const watchedIn = (hour: number) => {
    const search = { settings: { byDefault: false }, known, periodMs: 15_000, now: now + hour * 3_600_000 };
    return idleAfter([...large, sized("zzz/small", 150_000)], [], search);
  };
  const hours = Array.from({ length: 24 }, (_, hour) => watchedIn(hour));
  const polled = new Set(hours.flatMap(({ idle }) => Object.keys(idle)));
  expect(polled.size).toBe(61);
  expect(hours.every(({ idle }) => "zzz/small" in idle)).toBe(true);
  expect(watchedIn(0.9)).toEqual(watchedIn(0));
});

describe("of HPAs with more metrics together than a shard may poll", () => {
  const manyMetrics = (key: string, count: number, metric: MetricSpec) =>
    task({
      key,
      spec: { metrics: [...Array.from({ length: count }, () => metric), external("depth")] },
      status: atZero,
    });
  const found = (tasks: readonly HpaTask[]) =>
    idleAfter(tasks, [], { settings: { byDefault: false }, known, periodMs: 15_000, now });

  test("those above their share are named in key order, whatever the run's, and the small one is watched", () => {
    const keys = Array.from({ length: 60 }, (_, index) => `crowd/h${99 - index}`);
    const { idle, unpolled } = found([
      ...keys.map((key) => manyMetrics(key, 99, external("age"))),
      task({ status: atZero }),
    ]);
    expect(idle).toHaveProperty(["shop/orders"]);
    expect(Object.keys(idle).length + unpolled.length).toBe(61);
    expect(unpolled.length).toBeGreaterThan(9);
    expect(unpolled).toStrictEqual(keys.filter((key) => unpolled.includes(asHpaKey(key))).reverse());
  });

  test("metrics that the poller does not read take nobody's share", () => {
    const target = { type: "AverageValue", averageValue: "1" } as const;
    const pods: MetricSpec = { type: "Pods", pods: { metric: { name: "load" }, target } };
    const { idle, unpolled } = found(
      Array.from({ length: 60 }, (_, index) => manyMetrics(`crowd/h${index}`, 99, pods)),
    );
    expect([Object.keys(idle).length, unpolled]).toEqual([60, []]);
  });
});

test("an HPA that may not stay at zero is left to its slot, which ends the zero", () => {
  expect(find([task({ spec: { minReplicas: 1 }, status: atZero })])).toEqual({});
});

test("of an HPA the poller gets what weighing needs, and no more", () => {
  expect(find([task()], { "shop/orders": atZero })).toStrictEqual({
    "shop/orders": {
      hpa: {
        ...{ apiVersion: "autoscaling/v2", kind: "HorizontalPodAutoscaler" },
        metadata: { namespace: "shop", name: "orders" },
        spec: { scaleTargetRef, minReplicas: 0, maxReplicas: 10, metrics: [external("depth")] },
      },
      sources: [{ kind: "source", source: "depth", parameters: {} }],
      rules: [{}],
      since: "2026-11-10T11:00:00Z",
    },
  });
});

test("an HPA without a namespace is in `default`", () => {
  const idle = find([task({ key: "default/orders", namespace: undefined })], { "default/orders": atZero });
  expect(idle[asHpaKey("default/orders")]?.hpa.metadata).toEqual({ namespace: "default", name: "orders" });
});

test("an HPA that was never scaled says no time", () => {
  const { lastScaleTime, ...status } = atZero;
  expect(lastScaleTime).toBeDefined();
  expect(find([task()], { "shop/orders": status })[orders]).not.toHaveProperty("since");
});

test("what this run decided counts, and otherwise the state", () => {
  const up: HpaStatus = { desiredReplicas: 2 };
  const keys = (state: HpaStatus | undefined, result?: HpaStatus) =>
    Object.keys(find([task({ status: state })], result && { "shop/orders": result }));
  expect(keys(atZero)).toEqual(["shop/orders"]);
  expect(keys(atZero, up)).toEqual([]);
  expect(keys(up, atZero)).toEqual(["shop/orders"]);
  expect(keys(undefined)).toEqual([]);
});

test.each<[string, boolean, HpaStatus]>([
  ["without a size, which is 0", true, { conditions: atZero.conditions ?? [] }],
  ["of 0 that nobody calls ScaledToZero", false, { desiredReplicas: 0 }],
  ["of 0 with the condition gone", false, { ...atZero, conditions: [{ type: "ScaledToZero", status: "False" }] }],
  ["of 1 with an old condition", false, { ...atZero, desiredReplicas: 1 }],
])("a status %s is at zero: %s", (...[, expected, status]) => {
  expect(Object.keys(find([task({ status })]))).toHaveLength(expected ? 1 : 0);
});

test("an entry that cannot be read is not watched", () => {
  expect(find([task({ errors: ["spec: expected an object"], status: atZero })])).toEqual({});
});

test("only External metrics of ebb's own sources are watched, each with its own rules", () => {
  const pods: MetricSpec = {
    type: "Pods",
    pods: { metric: { name: "depth" }, target: { type: "AverageValue", averageValue: "1" } },
  };
  const metrics = [pods, external("spoilt"), external("depth"), { type: "External" }, external("far"), external("age")];
  const idle = find([task({ spec: { metrics }, rules: { age: { activation: "3" } }, status: atZero })]);
  expect(idle[orders]).toMatchObject({
    hpa: { spec: { metrics: [external("depth"), external("age")] } },
    sources: [{ source: "depth" }, { source: "age" }],
    rules: [{}, { activation: "3" }],
  });
});

test.each<[string, HpaSpec["metrics"]]>([
  ["no metrics", undefined],
  ["none that ebb reads", [external("far")]],
])("an HPA with %s is not watched", (_, metrics) => {
  expect(find([task({ spec: { metrics } as Partial<HpaSpec>, status: atZero })])).toEqual({});
});

test("they are in the order of their keys, whatever the run's", () => {
  const keys = ["shop/b", "a/z", "shop/a", "b/a"];
  expect(Object.keys(find(keys.map((key) => task({ key, status: atZero }))))).toEqual([
    ...["a/z", "b/a", "shop/a", "shop/b"],
  ]);
});
