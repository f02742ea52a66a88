import { sharePods } from "../../../lib/sync/observe/read-pods";
import { fakeCluster } from "../../fakes/fake-cluster";

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
