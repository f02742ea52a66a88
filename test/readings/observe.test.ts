import type { HorizontalPodAutoscaler, MetricSpec } from "../../lib/k8s/hpa";
import type { Pod, Scale } from "../../lib/k8s/objects";
import type { SourceEntry } from "../../lib/model/entry/entries";
import { Fault } from "../../lib/model/fault";
import { hpaKey } from "../../lib/model/hpa-key";
import type { Cluster } from "../../lib/model/ports/cluster";
import type { Entry } from "../../lib/model/ports/store";
import { countPodReaders, identifyQuery, type ObserverDeps, openObserver } from "../../lib/readings/observe";
import type { QueryAdmission } from "../../lib/readings/shares";
import { fakeCluster } from "../fakes/fake-cluster";

const { signal } = new AbortController();
const key = hpaKey("shop", "orders");
const average = { type: "AverageValue", averageValue: "5" };
const value = { type: "Value", value: "5" };

const external = (name: string, target: object = average): MetricSpec =>
  ({ type: "External", external: { metric: { name }, target } }) as MetricSpec;
const describedObject = { kind: "Ingress", name: "main" };
const object = (target: object = average): MetricSpec =>
  ({ type: "Object", object: { metric: { name: "hits" }, target, describedObject } }) as MetricSpec;
const pods: MetricSpec = { type: "Pods", pods: { metric: { name: "queue" }, target: average } };
const cpu: MetricSpec = { type: "Resource", resource: { name: "cpu", target: average } };

const hpaOf = (metrics?: readonly MetricSpec[], namespace: string | undefined = "shop"): HorizontalPodAutoscaler =>
  ({ metadata: { name: "orders", namespace }, spec: { ...(metrics && { metrics }) } }) as HorizontalPodAutoscaler;
const scaleOf = (replicas: number, selector: string | undefined = "app=orders"): Scale => ({
  ...{ metadata: { name: "orders" }, spec: { replicas } },
  status: { replicas, ...(selector !== "none" && { selector }) },
});

const pod: Pod = { metadata: { name: "orders-1", namespace: "shop" } };
const neighbour = { namespace: "shop", name: "twin", selector: "app=orders" };
const answer = (name: string) => ({ metricName: name, timestamp: "", value: "1" });
const noPods = () => Promise.reject(new Fault("forbidden", "pods is forbidden"));

/** What is asked, in order; every backend answers with what it was asked. */
function setUp(over: Partial<ObserverDeps> & { place?: QueryAdmission; shares?: never } = {}) {
  const asked: unknown[][] = [];
  const call =
    <T>(name: string, result: T) =>
    (...args: readonly unknown[]): Promise<T> => {
      asked.push([name, ...args]);
      return Promise.resolve(result);
    };
  const cluster: Cluster = {
    ...fakeCluster(),
    objectMetric: call("object", [answer("hits") as never]),
    podsMetric: call("pods", [answer("queue") as never]),
    externalMetric: call("external", [answer("depth")]),
  };
  const entries = new Map<string, Entry<SourceEntry>>([["bad", { key: "bad", invalid: "spec: expected a map" }]]);
  const deps: ObserverDeps = {
    cluster,
    pods: { pods: call("list", [pod]), podMetrics: call("usage", []) },
    sources: { read: (kind, query) => call("source", { response: { items: [answer("jobs")] } })(kind, query) },
    known: {
      entries,
      sources: { sqs: { isBuiltIn: true, settleMs: () => 60_000, keepMs: () => 0, open: () => ({}) as never } },
    },
    periodMs: 15_000,
    now: () => 0,
    overlapping: { mayShare: () => false, of: () => [neighbour] },
    shares: { wanted: 1, admissionOf: () => over.place ?? { priority: 0, requester: key } },
    signal,
    ...over,
  };
  const { observe, begin } = openObserver(deps);
  const run = (metrics?: readonly MetricSpec[], scale = scaleOf(2)) => observe(key, hpaOf(metrics), scale);
  return { asked, deps, observe, begin, run };
}

describe("what each metric asks", () => {
  test.each<[string, MetricSpec, unknown[], object]>([
    [
      "External: the cluster, if nobody else knows the name",
      external("depth"),
      ["external", { namespace: "shop", metric: { name: "depth" } }, signal],
      { items: [answer("depth")] },
    ],
    [
      "External: the source that has the name",
      external("sqs"),
      ["source", "sqs", { metricName: "sqs", parameters: {}, requester: key }],
      { from: "sqs", items: [answer("jobs")] },
    ],
    [
      "Object",
      object(),
      ["object", { namespace: "shop", metric: { name: "hits" }, describedObject }, signal],
      { items: [answer("hits")] },
    ],
    [
      "Pods",
      pods,
      ["pods", { namespace: "shop", metric: { name: "queue" }, selector: "app=orders" }, signal],
      { items: [answer("queue")] },
    ],
    ["Resource", cpu, ["usage", "shop", "app=orders"], { items: [] }],
    [
      "a type that says something else than its members: the type counts",
      { ...cpu, ...external("depth"), ...object(), ...pods, type: "Resource" },
      ["usage", "shop", "app=orders"],
      { items: [] },
    ],
  ])("%s", async (_name, metric, call, response) => {
    const { asked, run } = setUp();
    expect((await run([metric])).metrics).toEqual([response]);
    expect(asked.filter(([what]) => what !== "list")).toEqual([call]);
  });

  test("a query that is not its HPA's first one carries its priority", async () => {
    const { asked, run } = setUp({ place: { priority: 3, requester: hpaKey("shop", "first") } });
    await run([external("depth"), external("sqs"), object(), pods]);
    const queries = asked
      .filter(([what]) => what !== "list")
      .map(([, ...args]) => args.find((arg) => arg instanceof Object));
    expect(queries).toMatchObject([
      { priority: 3 },
      { priority: 3, requester: "shop/first" },
      { priority: 3 },
      { priority: 3 },
    ]);
  });

  test("a query beyond its share is not asked", async () => {
    const { asked, run } = setUp({ place: { refused: "too many" } });
    expect((await run([external("depth")])).metrics).toEqual([{ error: "too many", from: "ebb" }]);
    expect(asked).toEqual([]);
  });

  test("an invalid entry is asked nowhere, and says why", async () => {
    const { asked, run } = setUp();
    expect((await run([external("bad")])).metrics).toEqual([{ error: "spec: expected a map", from: "source bad" }]);
    expect(asked).toEqual([]);
  });

  test("a namespace's HPAs share an External metric's answer; another name is another query", async () => {
    const { asked, run, observe } = setUp();
    await run([external("depth"), external("depth")]);
    await observe(key, hpaOf([external("depth")], "web"), scaleOf(2));
    await run([external("other")]);
    expect(asked.map(([, query]) => query)).toEqual([
      { namespace: "shop", metric: { name: "depth" } },
      { namespace: "web", metric: { name: "depth" } },
      { namespace: "shop", metric: { name: "other" } },
    ]);
  });

  test("what a state must remember of a reading comes with the observation", async () => {
    const reading = { response: { items: [] }, readAt: 7 };
    const { run } = setUp({
      sources: { read: () => Promise.resolve({ response: reading.response, keep: { key: "k", reading } }) },
    });
    expect((await run([external("sqs")])).readings).toEqual({ k: reading });
    expect((await setUp().run([external("sqs")])).readings).toEqual({});
  });
});

describe("a failed read", () => {
  test.each(["externalMetric", "objectMetric", "podsMetric"] as const)(
    "%s: is an error of its metric",
    async (name) => {
      const cluster = { ...fakeCluster(), [name]: () => Promise.reject(new Fault("timeout", "no answer")) };
      const metric = { externalMetric: external("depth"), objectMetric: object(), podsMetric: pods }[name];
      expect((await setUp({ cluster }).run([metric])).metrics).toEqual([{ error: "no answer" }]);
    },
  );

  test("a defect stays visible", async () => {
    const defect = new TypeError("x is not a function");
    const cluster = { ...fakeCluster(), objectMetric: () => Promise.reject(defect) };
    await expect(setUp({ cluster }).run([object()])).rejects.toBe(defect);
  });

  test("without the pods, each metric that needs them is unknown, and the others still count", async () => {
    const { run } = setUp({
      pods: { pods: noPods, podMetrics: () => Promise.resolve([]) },
      sources: {
        read: () => Promise.resolve({ response: { items: [] }, keep: { key: "k", reading: { readAt: 1 } as never } }),
      },
      periodMs: 15_000,
      overlapping: { mayShare: () => true, of: () => [neighbour] },
    });
    const blind = { error: "pods is forbidden", from: "the pods of namespace shop" };
    expect(await run([cpu, external("sqs"), object(value), object()])).toEqual({
      pods: [],
      metrics: [blind, { from: "sqs", items: [] }, blind, { items: [answer("hits")] }],
      took: [0, 0, 0, 0],
      otherHpas: [],
      readings: { k: { readAt: 1 } },
      rules: [{}, { confirm: 5 }, {}, {}],
    });
  });
});

describe("whether the pods are listed", () => {
  const lists = async (metrics: readonly MetricSpec[] | undefined, scale: Scale, over: Partial<ObserverDeps> = {}) => {
    const { asked, run } = setUp(over as object);
    const { pods: found, otherHpas } = await run(metrics, scale);
    return { calls: asked.filter(([what]) => what === "list"), found, otherHpas };
  };
  const listed = { calls: [["list", "shop", "app=orders"]], found: [pod], otherHpas: [] };
  const not = { calls: [], found: [], otherHpas: [] };

  test.each<[string, readonly MetricSpec[] | undefined, Scale, object]>([
    ["no metric", undefined, scaleOf(2), not],
    ["an average needs none", [external("depth")], scaleOf(2), not],
    ["CPU does", [cpu], scaleOf(2), listed],
    ["one of two does", [external("depth"), cpu], scaleOf(2), listed],
    ["a value does", [object(value)], scaleOf(2), listed],
    ["a value at zero does not", [object(value)], scaleOf(0), not],
    ["without a selector there is nothing to list", [object(value)], scaleOf(2, ""), not],
    ["nor if the scale has none", [object(value)], scaleOf(2, "none"), not],
  ])("%s", async (_name, metrics, scale, expected) => {
    expect(await lists(metrics, scale)).toEqual(expected);
  });

  test("they are, if another HPA may share them, and then the others come with them", async () => {
    const seen: unknown[] = [];
    const overlapping: ObserverDeps["overlapping"] = {
      mayShare: (...args) => (seen.push(args), true),
      of: (...args) => (seen.push(args), [neighbour]),
    };
    expect(await lists([external("depth")], scaleOf(2), { overlapping })).toEqual({
      ...listed,
      otherHpas: [neighbour],
    });
    expect(seen).toEqual([
      [key, "app=orders"],
      [key, [pod]],
    ]);
    expect(await lists([external("depth")], scaleOf(2, ""), { overlapping })).toEqual(not);
  });

  test.each([pods, cpu])("a metric of pods without a selector is asked nowhere: %p", async (metric) => {
    const { asked, run } = setUp();
    expect((await run([metric], scaleOf(2, ""))).metrics).toEqual([{ items: [] }]);
    expect(asked).toEqual([]);
  });
});

describe("metrics that one request answers", () => {
  const { deps } = setUp();
  const identify = identifyQuery(deps.known);
  const identity = (metric: MetricSpec, namespace?: string, name = "orders") =>
    identify(metric, { metadata: { name, ...(namespace !== undefined && { namespace }) } } as HorizontalPodAutoscaler);

  test.each<[string, MetricSpec, string]>([
    ["External, of the cluster", external("depth"), '["shop",{"name":"depth"}]'],
    ["External, of an invalid entry", external("bad"), '["shop",{"name":"bad"}]'],
    ["External, of a source, in whatever namespace", external("sqs"), '["sqs","",[]]'],
    ["Object, of any HPA", object(), JSON.stringify(["shop", object().object])],
    ["Pods, of this HPA alone", pods, JSON.stringify(["shop", ["orders", pods.pods]])],
  ])("%s", (_name, metric, expected) => {
    expect(identity(metric, "shop")).toEqual([expected]);
  });

  test("an HPA without a namespace", () => {
    expect(identity(external("depth"))).toEqual(['["",{"name":"depth"}]']);
  });
});

describe("how many HPAs of a namespace read pods", () => {
  const count = (...metrics: readonly (readonly MetricSpec[] | undefined)[]) =>
    countPodReaders(metrics.map((own) => hpaOf(own))).get("shop") ?? 0;

  test.each<[string, number, number]>([
    ["CPU", count([cpu]), 1],
    ["Pods", count([pods]), 1],
    ["an Object's value", count([object(value)]), 1],
    ["an Object's average", count([object()]), 0],
    ["an External value", count([external("depth", value)]), 1],
    ["an External average", count([external("depth")]), 0],
    ["an External metric without a target", count([{ type: "External" }]), 1],
    ["one of two metrics", count([external("depth"), cpu]), 1],
    ["no metrics", count(undefined, []), 0],
    ["three HPAs", count([cpu], [pods], [cpu, pods], [external("depth")]), 3],
  ])("%s", (_name, counted, expected) => {
    expect(counted).toBe(expected);
  });

  test("each namespace by itself", () => {
    const hpas = [hpaOf([cpu]), hpaOf([cpu], "web"), { ...hpaOf([cpu]), metadata: { name: "orders" } }];
    expect([...countPodReaders(hpas)]).toEqual([
      ["shop", 1],
      ["web", 1],
      ["", 1],
    ]);
  });
});

describe("sources that are read before the scale is known", () => {
  const other: MetricSpec = { ...cpu, ...external("sqs"), type: "Resource" };
  const all = [external("sqs"), external("depth"), external("bad"), object(), pods, cpu, other];

  test("are asked at once and once, and nothing else is", async () => {
    const kept = { key: "k", reading: { response: { items: [] }, readAt: 1 } };
    const { asked, begin, observe } = setUp();
    const hpa = hpaOf(all);
    begin(key, hpa);
    const source = ["source", "sqs", { metricName: "sqs", parameters: {}, requester: key }];
    expect(asked).toEqual([source]);
    const observed = await observe(key, hpa, scaleOf(2));
    const later = setUp();
    expect(observed).toEqual(await later.run(all));
    expect(asked.map(([what]) => what).sort()).toEqual(later.asked.map(([what]) => what).sort());
    const keeping = setUp({ sources: { read: () => Promise.resolve({ response: { items: [] }, keep: kept }) } });
    keeping.begin(key, hpa);
    expect((await keeping.observe(key, hpa, scaleOf(2))).readings).toEqual({ k: kept.reading });
  });

  test("an HPA that was changed meanwhile asks for what it says now", async () => {
    const { asked, begin, run } = setUp();
    begin(key, hpaOf([external("sqs")]));
    await run([external("sqs")]);
    expect(asked.filter(([what]) => what === "source")).toHaveLength(2);
  });

  test("a query beyond its share is not asked, and nothing of an HPA without metrics", () => {
    const { asked, begin } = setUp({ place: { refused: "too many" } });
    begin(key, hpaOf([external("sqs")]));
    begin(key, hpaOf());
    expect(asked).toEqual([]);
  });

  test("a defect is that of the HPA that observes, and of nobody if none does", async () => {
    const read = () => Promise.reject(new TypeError("a defect"));
    const { begin, observe } = setUp({ sources: { read } });
    const hpa = hpaOf([external("sqs")]);
    begin(key, hpa);
    await expect(observe(key, hpa, scaleOf(2))).rejects.toThrow("a defect");
    begin(key, hpaOf([external("sqs")]));
    await new Promise((resolve) => setImmediate(resolve)); // an unhandled rejection would end the process
  });
});
