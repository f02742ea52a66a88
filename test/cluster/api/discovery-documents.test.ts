import type { ApiClient, ApiRequest } from "../../../lib/cluster/api/api-client";
import { groupOf } from "../../../lib/cluster/api/discovery";
import { readGroup, readGroups } from "../../../lib/cluster/api/discovery-documents";
import { Fault } from "../../../lib/model/fault";
import { noLimit } from "../../time/no-limit";

test.each([
  [undefined, ""],
  ["", ""],
  ["v1", ""],
  ["apps/v1", "apps"],
  ["/", ""],
])("the group of apiVersion %j is %j", (apiVersion, group) => {
  expect(groupOf(apiVersion)).toBe(group);
});

test.each(["a/b/c", "//"])("apiVersion %s is none", (apiVersion) => {
  expect(() => groupOf(apiVersion)).toThrow(`unexpected GroupVersion string: ${apiVersion}`);
});

/** Answers by path. */
async function groups(document: object) {
  const asked: ApiRequest[] = [];
  const api: ApiClient = (request) => {
    asked.push(request);
    return Promise.resolve(document as never);
  };
  return { read: await readGroups(api, noLimit()), asked };
}

test("all groups are asked for at once, aggregated if the server can", async () => {
  const { asked } = await groups({ kind: "APIGroupList" });
  expect(asked).toEqual([
    {
      ...{ method: "GET", large: true, kinds: ["APIGroupDiscoveryList", "APIGroupList"] },
      subject: { verb: "get", group: "", path: "/apis" },
      accept: expect.stringMatching(/v=v2;as=APIGroupDiscoveryList,.*v=v2beta1;.*,application\/json$/) as string,
    },
  ]);
});

test("groups without resources have their preferred version first", async () => {
  const version = (name: unknown) => ({ groupVersion: "x", version: name });
  const { read } = await groups({
    kind: "APIGroupList",
    groups: [
      { name: "a.io", versions: [version("v1beta1"), version("v1")], preferredVersion: version("v1") },
      { name: "b.io", versions: [version("v1")] },
      { name: "c.io", versions: [version(5), "v1"], preferredVersion: "v1" },
      { name: "d.io" },
      "e.io",
    ],
  });
  expect(read).toEqual({
    versions: new Map([
      ["a.io", ["v1", "v1beta1"]],
      ["b.io", ["v1"]],
      ["c.io", []],
      ["d.io", []],
    ]),
  });
});

test("aggregated groups have their resources, and what is malformed has no name", async () => {
  const resource = { resource: "jobs", responseKind: { kind: "Job" }, subresources: [{ subresource: "scale" }] };
  const { read } = await groups({
    kind: "APIGroupDiscoveryList",
    items: [
      { metadata: { name: "a.io" }, versions: [{ version: "v1", resources: [resource] }, { version: "v2" }] },
      { metadata: "b.io", versions: [{ version: 1, resources: [{ responseKind: "Job", subresources: [{}] }, 7] }] },
    ],
  });
  const job = { group: "a.io", version: "v1", resource: "jobs", kind: "Job", hasScale: true };
  const nameless = { group: "", version: "", resource: "", kind: "", hasScale: false };
  expect(read.versions).toEqual(
    new Map([
      ["a.io", ["v1", "v2"]],
      ["", [""]],
    ]),
  );
  expect([...(read.complete ?? [])]).toEqual([
    [
      "a.io",
      {
        versions: [
          { version: "v1", resources: [job] },
          { version: "v2", resources: [] },
        ],
      },
    ],
    ["", { versions: [{ version: "", resources: [nameless] }] }],
  ]);
});

test("a group is read by its versions, whose lists name subresources beside their resources", async () => {
  const asked: ApiRequest[] = [];
  const api: ApiClient = (request) => {
    asked.push(request);
    const names = ["jobs", "jobs/scale", "crons", "crons/status", 5];
    const resources = [...names.map((name) => ({ name, kind: "K" })), { name: "odd" }];
    return Promise.resolve({ kind: "APIResourceList", resources });
  };
  const { versions } = await readGroup(api, "a b", ["v1"], noLimit());
  const served = (resource: string, hasScale: boolean, kind = "K") => ({
    ...{ group: "a b", version: "v1", resource, kind, hasScale },
  });
  expect(versions).toEqual([
    {
      version: "v1",
      resources: [served("jobs", true), served("crons", false), served("", false), served("odd", false, "")],
    },
  ]);
  await readGroup(api, "", ["v1"], noLimit());
  expect(asked).toEqual(
    ["/apis/a%20b/v1", "/api/v1"].map((path) => ({
      ...{ method: "GET", large: true, kinds: ["APIResourceList"], subject: { verb: "get", group: "", path } },
    })),
  );
});

describe("the versions of a group", () => {
  const read = (fault: Fault) =>
    readGroup(
      ({ subject }) =>
        subject.path.endsWith("v2")
          ? Promise.reject(fault)
          : Promise.resolve({ kind: "APIResourceList", resources: [] }),
      "a.io",
      ["v1", "v2"],
      noLimit(),
    );
  const both = {
    versions: [
      { version: "v1", resources: [] },
      { version: "v2", resources: [] },
    ],
  };

  test.each([
    new Fault("notFound", "gone", { status: 404 }),
    new Fault("unreachable", "its server is down", { status: 503 }),
  ])("count as empty where one is gone or down: %s", async (fault) => {
    expect(await read(fault)).toEqual(both);
  });

  test.each([new Fault("unreachable", "no answer"), new Fault("forbidden", "no", { status: 403 })])(
    "are not known otherwise: %s",
    async (fault) => {
      await expect(read(fault)).rejects.toBe(fault);
    },
  );
});
