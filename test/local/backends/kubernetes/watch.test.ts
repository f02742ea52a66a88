import type { IncomingMessage } from "node:http";
import { Agent, request } from "node:https";
import { createInterface } from "node:readline";
import type { SimulatedCluster } from "../../../../local/backends/kubernetes/cluster";
import { startSimulatedCluster } from "../../../../local/backends/kubernetes/cluster";
import { deployments } from "../../../../local/backends/kubernetes/resources/kinds";
import { clientOf, deployment } from "./client";

const path = "/apis/apps/v1/namespaces/default/deployments";
const place = { resource: deployments, namespace: "default" };

let cluster: SimulatedCluster;
beforeEach(async () => {
  cluster = await startSimulatedCluster({ controllers: false });
});
afterEach(() => cluster.close());

interface WatchEvent {
  type: string;
  object: { metadata: { name: string; annotations?: Record<string, string> }; rows?: { cells: unknown[] }[] };
}

/** Reads events off a watch; `next` waits for one. */
async function watch(query: string, headers: Record<string, string> = {}) {
  const agent = new Agent({ ca: Buffer.from(cluster.certificateAuthorityData, "base64") });
  const authorization = `Bearer ${cluster.adminToken}`;
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const options = { agent, headers: { authorization, ...headers } };
    request(`${cluster.endpoint}${path}?watch=1&${query}`, options, resolve).once("error", reject).end();
  });
  const lines = createInterface({ input: response })[Symbol.asyncIterator]();
  return {
    next: async (): Promise<WatchEvent> => JSON.parse(String((await lines.next()).value)) as WatchEvent,
    isOver: async (): Promise<boolean> => (await lines.next()).done === true,
    close: () => response.destroy(),
  };
}

const nameAndType = ({ type, object }: WatchEvent) => [type, object.metadata.name];

test("begins with what exists, and continues with what happens", async () => {
  cluster.api.create(place, deployment("a", 1));
  const events = await watch("");
  expect(nameAndType(await events.next())).toEqual(["ADDED", "a"]);
  cluster.api.create(place, deployment("b", 1));
  expect(nameAndType(await events.next())).toEqual(["ADDED", "b"]);
  const target = { ...place, name: "b", subresource: "scale" } as const;
  cluster.api.update(target, { metadata: { name: "b" }, spec: { replicas: 2 } });
  expect(nameAndType(await events.next())).toEqual(["MODIFIED", "b"]);
  cluster.api.delete({ ...place, name: "a" });
  expect(nameAndType(await events.next())).toEqual(["DELETED", "a"]);
  events.close();
});

test("from a resourceVersion, what happened since comes first", async () => {
  const a = cluster.api.create(place, deployment("a", 1));
  cluster.api.create(place, deployment("b", 1));
  const events = await watch(`resourceVersion=${a.metadata.resourceVersion}`);
  expect(nameAndType(await events.next())).toEqual(["ADDED", "b"]);
  events.close();
});

test("an object that begins to match a selector is added, and deleted when it no longer does", async () => {
  cluster.api.create(place, deployment("a", 1));
  const events = await watch("labelSelector=tier%3Dfront");
  const label = (tier: string | null) =>
    cluster.api.patch({ ...place, name: "a" }, { metadata: { labels: { tier } } }, "application/merge-patch+json");
  label("front");
  expect(nameAndType(await events.next())).toEqual(["ADDED", "a"]);
  label("back");
  expect(nameAndType(await events.next())).toEqual(["DELETED", "a"]);
  events.close();
});

test("a streaming list ends with a bookmark that says so", async () => {
  cluster.api.create(place, deployment("a", 1));
  const events = await watch(
    "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&timeoutSeconds=600",
  );
  expect((await events.next()).type).toBe("ADDED");
  const bookmark = await events.next();
  expect([bookmark.type, bookmark.object.metadata.annotations]).toEqual([
    "BOOKMARK",
    { "k8s.io/initial-events-end": "true" },
  ]);
  events.close();
});

test("as Tables, as kubectl get -w asks for them", async () => {
  cluster.api.create(place, deployment("a", 1));
  const events = await watch("", { accept: "application/json;as=Table;v=v1;g=meta.k8s.io,application/json" });
  expect((await events.next()).object.rows?.[0]?.cells.slice(0, 2)).toEqual(["a", "0/1"]);
  events.close();
});

test("ends after its timeout", async () => {
  const events = await watch("timeoutSeconds=0");
  expect(await events.isOver()).toBe(true);
});

test("a version that is forgotten is 410 Expired", async () => {
  cluster.api.create(place, deployment("a", 1));
  for (let number = 0; number < 4_100; number += 1) {
    cluster.api.patch({ ...place, name: "a" }, { metadata: { labels: { number: String(number) } } }, mergePatch);
  }
  const answer = await clientOf(cluster)("GET", `${path}?watch=1&resourceVersion=2`);
  expect([answer.status, answer.body]).toEqual([410, expect.stringContaining("too old resource version: 2")]);
});

const mergePatch = "application/merge-patch+json";
