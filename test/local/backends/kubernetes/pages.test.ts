import type { SimulatedCluster } from "../../../../local/backends/kubernetes/cluster";
import { startSimulatedCluster } from "../../../../local/backends/kubernetes/cluster";
import { deployments } from "../../../../local/backends/kubernetes/resources/kinds";
import { clientOf, deployment } from "./client";

const path = "/apis/apps/v1/namespaces/default/deployments";
const mergePatch = "application/merge-patch+json";

let cluster: SimulatedCluster;
let call: ReturnType<typeof clientOf>;

beforeEach(async () => {
  cluster = await startSimulatedCluster({ controllers: false });
  call = clientOf(cluster);
});
afterEach(() => cluster.close());

const place = { resource: deployments, namespace: "default" };
const named = (index: number) => `web-${String(index).padStart(5, "0")}`;
const create = (index: number) => cluster.api.create(place, deployment(named(index), 1));

interface Page {
  readonly items: readonly { readonly metadata: { readonly name: string } }[];
  readonly metadata: {
    readonly continue?: string;
    readonly remainingItemCount?: number;
    readonly resourceVersion: string;
  };
}

const pageAt = async (query: string) => {
  const { status, body } = await call("GET", `${path}?${query}`);
  return { status, page: body as unknown as Page };
};

test("ten thousand objects come in pages of 500, all of one moment, while others are written", async () => {
  for (let index = 0; index < 10_000; index += 1) create(index);
  const names: string[] = [];
  let token = "";
  let pages = 0;
  do {
    const { page } = await pageAt(`limit=500&continue=${token}`);
    names.push(...page.items.map(({ metadata }) => metadata.name));
    expect(page.metadata.remainingItemCount ?? 0).toBe(10_000 - names.length);
    token = page.metadata.continue ?? "";
    pages += 1;
    // Behind the page and before it: neither may move the pages.
    cluster.api.delete({ ...place, name: named(10_000 - pages) });
    cluster.api.delete({ ...place, name: named(pages) });
    create(20_000 + pages);
  } while (token !== "");
  expect(pages).toBe(20);
  expect(names).toEqual(Array.from({ length: 10_000 }, (_, index) => named(index)));
});

test("a token whose changes are forgotten is 410 Expired", async () => {
  for (let index = 0; index < 3; index += 1) create(index);
  const { page } = await pageAt("limit=1");
  for (let number = 0; number < 4_100; number += 1) {
    cluster.api.patch({ ...place, name: named(0) }, { metadata: { labels: { number: String(number) } } }, mergePatch);
  }
  const { status, body } = await call("GET", `${path}?limit=1&continue=${page.metadata.continue}`);
  expect([status, body.reason, body.message]).toEqual([
    410,
    "Expired",
    "The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter.",
  ]);
});

test("a token of one namespace or kind opens no other", async () => {
  for (let index = 0; index < 3; index += 1) create(index);
  await call("POST", "/api/v1/namespaces", { body: { metadata: { name: "other" } } });
  const { page } = await pageAt("limit=1");
  const elsewhere = await call("GET", `/apis/apps/v1/namespaces/other/deployments?continue=${page.metadata.continue}`);
  expect(elsewhere.body.items).toEqual([]);
  const pods = await call("GET", `/api/v1/pods?continue=${page.metadata.continue}`);
  expect(pods.body.items).toEqual([]);
});

test("two writers of one version: one wins, the other is told so", async () => {
  create(1);
  const { body } = await call("GET", `${path}/${named(1)}`);
  const write = (replicas: number) =>
    call("PUT", `${path}/${named(1)}`, { body: { ...body, spec: { ...body.spec, replicas } } });
  const answers = await Promise.all([write(2), write(3)]);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
});
