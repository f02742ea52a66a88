import { sharePods } from "../../lib/readings/read-pods";
import { fakeCluster } from "../fakes/fake-cluster";

const { signal } = new AbortController();

test("an invalid selector matches nothing, and disturbs no other HPA of the namespace", async () => {
  const cluster = fakeCluster();
  cluster.pods = ["web", "api"].map((app) => ({ metadata: { name: app, namespace: "shop", labels: { app } } }));
  const reads = sharePods(cluster, new Map([["shop", 2]]), signal);
  const names = async (selector: string) => (await reads.pods("shop", selector)).map(({ metadata }) => metadata.name);
  expect(await names("../..")).toEqual([]);
  expect(await names("app in (web")).toEqual([]);
  expect(await names("app=web")).toEqual(["web"]);
});

test("nor does it in the metrics of pods", async () => {
  const cluster = fakeCluster();
  const usage = { timestamp: "2026-03-01T12:00:00Z", window: "15s", containers: [] };
  cluster.podMetrics = () =>
    Promise.resolve(["web", "api"].map((app) => ({ metadata: { name: app, labels: { app } }, ...usage })));
  const reads = sharePods(cluster, new Map([["shop", 2]]), signal);
  expect(await reads.podMetrics("shop", "../..")).toEqual([]);
  expect((await reads.podMetrics("shop", "app=api")).map(({ metadata }) => metadata.name)).toEqual(["api"]);
});

describe("what is listed", () => {
  const usage = { timestamp: "2026-03-01T12:00:00Z", window: "15s", containers: [] };
  const names = (all: readonly { readonly metadata: { readonly name: string } }[]) =>
    all.map(({ metadata }) => metadata.name);

  /** Pods of the namespaces "shop" and "web", whose metrics repeat the labels of these pods. */
  function setUp(readers: number, labelled: readonly string[] = ["a", "b"]) {
    const lists: string[] = [];
    const cluster = fakeCluster();
    const all = ["a", "b"].map((app) => ({ metadata: { name: app, namespace: "shop", labels: { app } } }));
    const reads = sharePods(
      {
        ...cluster,
        listPods(namespace, selector) {
          lists.push(`pods of ${namespace}: ${selector}`);
          return Promise.resolve(namespace === "shop" ? all : []);
        },
        podMetrics(namespace, selector) {
          lists.push(`usage of ${namespace}: ${selector}`);
          const metrics = all.map(({ metadata: { labels, ...metadata } }) => {
            const shown = labelled.includes(metadata.name) ? { ...metadata, labels } : metadata;
            return { metadata: shown, ...usage };
          });
          return Promise.resolve(namespace === "shop" ? metrics : []);
        },
      },
      new Map([["shop", readers]]),
      signal,
    );
    return { lists, reads };
  }

  test("one HPA that reads pods lists its own, as the cluster selects them", async () => {
    const { lists, reads } = setUp(1);
    expect(names(await reads.pods("shop", "app=a"))).toEqual(["a", "b"]);
    expect(names(await reads.podMetrics("shop", "app=a"))).toEqual(["a", "b"]);
    expect(lists).toEqual(["pods of shop: app=a", "usage of shop: app=a"]);
  });

  test("several list the namespace once, and each gets its own", async () => {
    const { lists, reads } = setUp(2);
    expect(names(await reads.pods("shop", "app=a"))).toEqual(["a"]);
    expect(names(await reads.pods("shop", "app=b"))).toEqual(["b"]);
    expect(names(await reads.podMetrics("shop", "app=a"))).toEqual(["a"]);
    expect(names(await reads.podMetrics("shop", "app=b"))).toEqual(["b"]);
    expect(lists).toEqual(["pods of shop: ", "usage of shop: "]);
  });

  test("a namespace that nobody reads, and another selector, are lists of their own", async () => {
    const { lists, reads } = setUp(1);
    expect(await reads.pods("web", "app=a")).toEqual([]);
    expect(await reads.podMetrics("web", "app=a")).toEqual([]);
    await Promise.all([reads.pods("shop", "app=a"), reads.pods("shop", "app=a"), reads.pods("shop", "app=b")]);
    await Promise.all([reads.podMetrics("shop", "app=a"), reads.podMetrics("shop", "app=b")]);
    expect(lists).toEqual([
      "pods of web: app=a",
      "usage of web: app=a",
      "pods of shop: app=a",
      "pods of shop: app=b",
      "usage of shop: app=a",
      "usage of shop: app=b",
    ]);
  });

  test("metrics without labels are those of the pods that the selector matches", async () => {
    const { lists, reads } = setUp(2, []);
    expect(names(await reads.podMetrics("shop", "app=b"))).toEqual(["b"]);
    expect(lists).toEqual(["usage of shop: ", "pods of shop: "]);
  });

  test("if some metrics have labels, the labels decide", async () => {
    const { lists, reads } = setUp(2, ["a"]);
    expect(names(await reads.podMetrics("shop", "app=a"))).toEqual(["a"]);
    expect(names(await reads.podMetrics("shop", "app=b"))).toEqual([]);
    expect(lists).toEqual(["usage of shop: "]);
  });

  test("metrics of several pods of one name are all there, once", async () => {
    const cluster = fakeCluster();
    const pod = { metadata: { name: "a" }, unreadable: true } as const;
    cluster.listPods = () => Promise.resolve([pod, pod]);
    const metrics = ["1", "2"].map((window) => ({ metadata: { name: "a" }, ...usage, window }));
    cluster.podMetrics = () => Promise.resolve(metrics);
    const reads = sharePods(cluster, new Map([["shop", 2]]), signal);
    expect(await reads.podMetrics("shop", "app=a")).toEqual(metrics);
  });
});

describe("a thousand HPAs of a namespace do not look at each pod a thousand times", () => {
  const usage = { timestamp: "2026-03-01T12:00:00Z", window: "15s", containers: [] };
  const apps = Array.from({ length: 200 }, (_, index) => `app-${index}`);

  /** Counts how often somebody looks at an object of a list. */
  function counted<T extends object>(objects: readonly T[]) {
    const looks = { count: 0 };
    const watched = objects.map((object) => {
      return new Proxy(object, {
        get(target, member) {
          looks.count += member === "metadata" ? 1 : 0;
          return Reflect.get(target, member) as unknown;
        },
      });
    });
    return { looks, watched };
  }

  test.each(["with", "without"])("metrics %s labels", async (labelled) => {
    const pods = counted(apps.map((app) => ({ metadata: { name: app, labels: { app } }, unreadable: true as const })));
    const metrics = counted(
      apps.map((app) => ({ metadata: { name: app, ...(labelled === "with" && { labels: { app } }) }, ...usage })),
    );
    const cluster = fakeCluster();
    cluster.listPods = () => Promise.resolve(pods.watched);
    cluster.podMetrics = () => Promise.resolve(metrics.watched);
    const reads = sharePods(cluster, new Map([["shop", apps.length]]), signal);
    for (const app of apps) {
      expect(await reads.pods("shop", `app=${app}`)).toHaveLength(1);
      expect(await reads.podMetrics("shop", `app=${app}`)).toHaveLength(1);
    }
    expect(pods.looks.count).toBeLessThan(8 * apps.length);
    expect(metrics.looks.count).toBeLessThan(8 * apps.length);
  });
});
