import type { ApiClient, ApiRequest } from "../../../../lib/cluster/api/api-client";
import { definitionRight, openDefinitions } from "../../../../lib/cluster/api/scales/definitions";
import { noLimit } from "../../../time/no-limit";

const workers = { group: "a.io", version: "v1", resource: "workers", kind: "Worker", hasScale: true };
const paths = {
  specReplicasPath: ".spec.size",
  statusReplicasPath: ".status.size",
  labelSelectorPath: ".status.selector",
};

interface Given {
  readonly scale?: object | string;
  readonly version?: object;
  readonly spec?: object;
  readonly names?: object;
  readonly metadata?: unknown;
  /** In place of the spec. */
  readonly whole?: unknown;
}

function definitionOf(plural: string, { scale = paths, version = {}, spec = {}, names = {}, ...given }: Given = {}) {
  const { metadata, whole } = given;
  return {
    kind: "CustomResourceDefinition",
    metadata: metadata ?? { name: `${plural}.a.io`, uid: `u-${plural}`, resourceVersion: "7" },
    spec: {
      ...{ group: "a.io", scope: "Namespaced", names: { plural, kind: "Worker", listKind: "WorkerList", ...names } },
      versions: [{ name: "v0" }, { name: "v1", served: true, subresources: { scale }, ...version }],
      ...spec,
    },
    ...("whole" in given && { spec: whole }),
  };
}

function setUp(given: Given = {}) {
  const clock = { now: 1_000_000 };
  const asked: ApiRequest[] = [];
  const api: ApiClient = (request) => {
    asked.push(request);
    return Promise.resolve(definitionOf(request.subject.name?.split(".")[0] ?? "", given));
  };
  const definitions = openDefinitions(api, () => clock.now);
  return { clock, asked, definitions, settled: (resource = workers) => definitions.settled(resource, noLimit()) };
}

/** What a definition says once it is settled. */
async function read(given: Given = {}) {
  const { clock, settled } = setUp(given);
  await settled();
  clock.now += 10_000;
  return settled();
}

test("a definition is read once, and used when it has been the same for 10 s", async () => {
  const { clock, asked, settled } = setUp();
  expect(await settled()).toBeUndefined();
  expect(await settled()).toBeUndefined();
  clock.now += 9_999;
  expect(await settled()).toBeUndefined();
  clock.now += 1;
  expect(await settled()).toMatchObject({ uid: "u-workers", resourceVersion: "7" });
  expect(asked).toHaveLength(1);
  const name = "workers.a.io";
  const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${name}`;
  const right = { group: "apiextensions.k8s.io", resource: "customresourcedefinitions", name };
  expect(asked[0]).toEqual({
    ...{ method: "GET", large: true, maxBytes: 3 * 2 ** 20, timeoutMs: expect.any(Number) as number, failureKey: path },
    ...{ kinds: ["CustomResourceDefinition"], subject: { verb: "get", ...right, path } },
  });
  expect(definitionRight(workers)).toEqual({ ...right, verbs: ["get"], namespace: "" });
});

test("after a clock that was set back, it is read again", async () => {
  const { clock, asked, settled } = setUp();
  await settled();
  clock.now -= 60_000;
  expect(await settled()).toBeUndefined();
  expect(asked).toHaveLength(2);
});

test("each resource has its own", async () => {
  const { clock, asked, settled } = setUp();
  const others = [{ ...workers, resource: "jobs" }, workers];
  for (const resource of others) await settled(resource);
  clock.now += 10_000;
  expect((await Promise.all(others.map(settled))).map((one) => one?.uid)).toEqual(["u-jobs", "u-workers"]);
  expect(asked).toHaveLength(2);
});

test("one that is another now is read again; what is compared is its uid and its version", async () => {
  const { asked, definitions, clock, settled } = setUp();
  await settled();
  const isCurrent = (uid: string, resourceVersion: string) =>
    definitions.isCurrent({ uid, resourceVersion, paths: {} as never }, workers, noLimit());
  expect(await isCurrent("u-workers", "7")).toBe(true);
  expect(asked[1]).toMatchObject({
    ...{ kinds: ["PartialObjectMetadata"], accept: "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1" },
  });
  clock.now += 10_000;
  expect(await settled()).toBeDefined();
  expect(await isCurrent("u-workers", "8")).toBe(false);
  expect(await settled()).toBeUndefined();
  expect(await isCurrent("other", "7")).toBe(false);
});

const list = { listKind: "WorkerList", specReplicasPath: ["spec", "size"], statusReplicasPath: ["status", "size"] };

test.each<[string, Given, object]>([
  ["whole", {}, { ...list, labelSelectorPath: ["status", "selector"] }],
  ["without a selector", { scale: { ...paths, labelSelectorPath: undefined } }, list],
  ["with an empty selector", { scale: { ...paths, labelSelectorPath: "" } }, list],
  [
    "with a selector in its spec, and deeper paths",
    { scale: { specReplicasPath: ".spec.a.b", statusReplicasPath: ".status.a", labelSelectorPath: ".spec.s" } },
    {
      ...{ listKind: "WorkerList", specReplicasPath: ["spec", "a", "b"], statusReplicasPath: ["status", "a"] },
      labelSelectorPath: ["spec", "s"],
    },
  ],
  [
    "without the kind of its lists",
    { names: { listKind: undefined } },
    { ...list, labelSelectorPath: ["status", "selector"] },
  ],
  [
    "with the longest kind of its lists",
    { names: { listKind: "x".repeat(1_024) } },
    { ...list, listKind: "x".repeat(1_024), labelSelectorPath: ["status", "selector"] },
  ],
])("a definition %s says where its scales are", async (_what, given, expected) => {
  expect((await read(given))?.paths).toEqual(expected);
});

test.each<[string, Given]>([
  ["of another group", { spec: { group: "b.io" } }],
  ["of another plural", { names: { plural: "jobs" } }],
  ["of another kind", { names: { kind: "Job" } }],
  ["of a cluster's scope", { spec: { scope: "Cluster" } }],
  ["whose lists have no kind", { names: { listKind: "" } }],
  ["whose lists have too long a kind", { names: { listKind: "x".repeat(1_025) } }],
  ["without names", { spec: { names: "workers" } }],
  ["with null for its names", { spec: { names: null } }],
  ["without a spec", { whole: undefined }],
  ["without versions", { spec: { versions: {} } }],
  ["without this version", { version: { name: "v2" } }],
  ["whose version is not served", { version: { served: false } }],
  ["without subresources", { version: { subresources: undefined } }],
  ["without a scale", { scale: "scale" }],
  ["whose size is in its status", { scale: { ...paths, specReplicasPath: ".status.size" } }],
  ["whose size is nowhere", { scale: { ...paths, specReplicasPath: ".spec" } }],
  ["whose size has no dot before it", { scale: { ...paths, specReplicasPath: "spec.size" } }],
  ["whose size has another character in place of the dot", { scale: { ...paths, specReplicasPath: "$spec.size" } }],
  ["whose status is in its spec", { scale: { ...paths, statusReplicasPath: ".spec.size" } }],
  ["whose selector is elsewhere", { scale: { ...paths, labelSelectorPath: ".metadata.labels" } }],
  ["whose selector is no text", { scale: { ...paths, labelSelectorPath: 5 } }],
])("a definition %s is refused", async (_what, given) => {
  await expect(read(given)).rejects.toMatchObject({
    kind: "badAnswer",
    message: expect.stringMatching(
      /^customresourcedefinitions workers\.a\.io: expected the paths of scales in version v1, got /,
    ) as string,
  });
});

test.each<[string, unknown]>([
  ["of another name", { name: "jobs.a.io", uid: "u", resourceVersion: "7" }],
  ["without a uid", { name: "workers.a.io", resourceVersion: "7" }],
  ["without a version", { name: "workers.a.io", uid: "u", resourceVersion: 7 }],
  ["that is no map", "workers.a.io"],
])("metadata %s is refused", async (_what, metadata) => {
  await expect(read({ metadata })).rejects.toMatchObject({
    kind: "badAnswer",
    message: expect.stringContaining("expected name workers.a.io, uid and resourceVersion in metadata, got") as string,
  });
});

test("what is refused is shown", async () => {
  await expect(read({ whole: "workers" })).rejects.toThrow(/ in version v1, got "workers"$/);
});
