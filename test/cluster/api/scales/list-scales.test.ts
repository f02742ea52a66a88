import type { ApiClient, ApiRequest } from "../../../../lib/cluster/api/api-client";
import { listScales } from "../../../../lib/cluster/api/scales/list-scales";
import { readScale, scaleSubject } from "../../../../lib/cluster/api/scales/scale";
import { builtInForm } from "../../../../lib/cluster/api/scales/scale-forms";
import { noLimit } from "../../../time/no-limit";

const deployments = { group: "apps", version: "v1", resource: "deployments", kind: "Deployment", hasScale: true };
const controllers = { ...deployments, group: "", resource: "replicationcontrollers", kind: "ReplicationController" };

async function list(
  answer: object,
  { resource = deployments, namespace }: { resource?: typeof deployments; namespace?: string } = {},
) {
  const asked: ApiRequest[] = [];
  const api: ApiClient = (request) => {
    asked.push(request);
    return Promise.resolve({ kind: `${resource.kind}List`, ...answer });
  };
  const form = builtInForm(resource)!;
  const given = { resource, form, most: 500, timeoutMs: 60_000, wanted: new Map(), ...(namespace && { namespace }) };
  return { asked, read: await listScales(api, given, noLimit()) };
}

const empty = { metadata: { resourceVersion: "7" }, items: [] };

test.each<[Parameters<typeof list>[1], object, string]>([
  [{}, { group: "apps", resource: "deployments" }, "/apis/apps/v1/deployments"],
  [
    { namespace: "a b" },
    { group: "apps", resource: "deployments", namespace: "a b" },
    "/apis/apps/v1/namespaces/a%20b/deployments",
  ],
  [{ resource: controllers }, { group: "", resource: "replicationcontrollers" }, "/api/v1/replicationcontrollers"],
])("a list of %j is asked for as RBAC names it", async (given, right, path) => {
  const { asked } = await list(empty, given);
  expect(asked).toEqual([
    expect.objectContaining({
      ...{ method: "GET", large: true, failureKey: `list ${path}`, timeoutMs: 60_000, query: { limit: "500" } },
      subject: { verb: "list", ...right, path },
    }),
  ]);
});

test.each<[string, object, object]>([
  ["whole", { metadata: { resourceVersion: "12", continue: "" } }, { resourceVersion: 12n, isWhole: true }],
  ["cut", { metadata: { resourceVersion: "12", continue: "x" } }, { resourceVersion: 12n, isWhole: false }],
  ["without items", { ...empty, items: null }, { scales: new Map(), elsewhere: 0 }],
])("a list that is %s", async (_what, answer, expected) => {
  expect((await list({ ...empty, ...answer })).read).toMatchObject(expected);
});

test.each([
  {},
  { metadata: { resourceVersion: 7 } },
  { metadata: { resourceVersion: "7x" } },
  { metadata: { resourceVersion: "x7" } },
  { metadata: { resourceVersion: "x".repeat(300) } },
])("a list without a version that is a number is no answer: %j", async (answer) => {
  await expect(list({ items: [], ...answer })).rejects.toMatchObject({
    kind: "badAnswer",
    message: expect.stringMatching(
      /^deployments: expected metadata\.resourceVersion as a number, got .{1,200}$/,
    ) as string,
  });
});

describe("the objects of a list", () => {
  const object = (metadata: object, spec: object = { replicas: 3, selector: {} }) => ({ metadata, spec });
  const web = { name: "web", namespace: "shop", uid: "u1", resourceVersion: "5", creationTimestamp: "t" };
  const read = async (...items: readonly unknown[]) => {
    const api: ApiClient = ({ trim }) =>
      Promise.resolve({ kind: "DeploymentList", ...empty, items: items.map((item) => trim?.keep(item)) });
    const wanted = new Map([["shop", new Set(["web", "api"])]]);
    const given = { resource: deployments, form: builtInForm(deployments)!, most: 500, timeoutMs: 60_000, wanted };
    return listScales(api, given, noLimit());
  };

  test("that are wanted have their scales, each a new one at each call", async () => {
    const { scales, elsewhere } = await read(
      object(web),
      object({ ...web, name: "other" }),
      object({ ...web, namespace: "x" }),
    );
    expect([[...scales.keys()], elsewhere]).toEqual([["shop/web"], 1]);
    const [one, two] = [scales.get("shop/web")?.(), scales.get("shop/web")?.()];
    expect(one).toMatchObject({ metadata: web, spec: { replicas: 3 }, status: { replicas: 0, selector: "" } });
    expect(two).toEqual(one);
    expect(two).not.toBe(one);
  });

  test.each<[string, unknown]>([
    ["no map", "web"],
    ["without metadata", { spec: {} }],
    ["without a name", object({ ...web, name: 5 })],
    ["without a namespace", object({ ...web, namespace: undefined })],
    ["without a uid", object({ ...web, uid: undefined })],
    ["without a version", object({ ...web, resourceVersion: undefined })],
    ["without replicas", object(web, { selector: {} })],
    ["with replicas that are no number", object(web, { replicas: "3", selector: {} })],
    ["with replicas below zero", object(web, { replicas: -1, selector: {} })],
    ["with a selector that cannot be read", object(web, { replicas: 3, selector: "app" })],
  ])("one that is %s is left to be asked for alone", async (_what, item) => {
    const { scales, elsewhere } = await read(item, object({ ...web, name: "api" }));
    expect([...scales.keys()]).toEqual(["shop/api"]);
    expect(elsewhere).toBe(0);
  });

  test("one that is there twice is left to be asked for alone", async () => {
    expect([...(await read(object(web), object({ ...web, uid: "u2" }))).scales.keys()]).toEqual([]);
  });
});

describe("a scale", () => {
  const target = { apiVersion: "apps/v1", kind: "Deployment", namespace: "a b", name: "web" };
  const subject = scaleSubject("get", deployments, target);
  const read = (object: object) => readScale({ kind: "Scale", ...object }, subject);
  const metadata = { resourceVersion: "7" };

  test("is named as RBAC names it", () => {
    const path = "/apis/apps/v1/namespaces/a%20b/deployments/web/scale";
    const right = { group: "apps", resource: "deployments", subresource: "scale", namespace: "a b", name: "web" };
    expect(subject).toEqual({ verb: "get", ...right, path });
    expect(scaleSubject("update", controllers, target).path).toBe(
      "/api/v1/namespaces/a%20b/replicationcontrollers/web/scale",
    );
  });

  test("keeps what it has, and what it lacks is its target's or nothing", () => {
    const all = { ...metadata, name: "w", namespace: "n", uid: "u", creationTimestamp: "t" };
    const whole = { spec: { replicas: 3 }, status: { replicas: 2, selector: "a=b" } };
    expect(read({ metadata: { ...all, labels: {} }, ...whole })).toStrictEqual({
      ...{ apiVersion: "autoscaling/v1", kind: "Scale", metadata: all, ...whole },
    });
    expect(read({ metadata: { ...metadata, name: 5, uid: "" } })).toStrictEqual({
      ...{ apiVersion: "autoscaling/v1", kind: "Scale", metadata: { name: "web", resourceVersion: "7" } },
      ...{ spec: { replicas: 0 }, status: { replicas: 0, selector: "" } },
    });
  });
});
