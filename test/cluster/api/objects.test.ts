import type { ApiClient, ApiRequest } from "../../../lib/cluster/api/api-client";
import { listObjects } from "../../../lib/cluster/api/list-objects";
import { getObject } from "../../../lib/cluster/api/objects";
import { patience } from "../../time/patience";

/** Reads through a client that answers by hand. */
function answering(answer: (request: ApiRequest) => object) {
  const asked: ApiRequest[] = [];
  const api: ApiClient = (request) => {
    asked.push(request);
    return Promise.resolve({ kind: "X", ...answer(request) });
  };
  return { api, asked };
}

describe("one object", () => {
  const reference = { apiVersion: "batch/v1", resource: "jobs", namespace: "a b", name: "web" };

  test("is asked for by its path, whole", async () => {
    const { api, asked } = answering(() => ({ metadata: { name: "web" } }));
    expect(await getObject(api, reference, patience())).toEqual({ kind: "X", metadata: { name: "web" } });
    await getObject(api, { ...reference, apiVersion: "v1" }, patience());
    const paths = ["/apis/batch/v1/namespaces/a%20b/jobs/web", "/api/v1/namespaces/a%20b/jobs/web"];
    expect(asked.map(({ subject }) => subject.path)).toEqual(paths);
    expect(asked[0]).toEqual({
      ...{ method: "GET", large: true, maxBytes: 3 * 2 ** 20, kinds: "any", fate: paths[0] },
      subject: { verb: "get", group: "batch", resource: "jobs", namespace: "a b", name: "web", path: paths[0] },
    });
  });

  test.each([{ metadata: { name: "other" } }, { metadata: {} }, { metadata: "web" }, {}])(
    "is none if it is another: %j",
    async (object) => {
      const { api } = answering(() => object);
      await expect(getObject(api, reference, patience())).rejects.toMatchObject({
        kind: "badAnswer",
        message: expect.stringMatching(
          /^\/apis\/batch\/v1\/namespaces\/a%20b\/jobs\/web: expected the object web, got /,
        ) as string,
      });
    },
  );
});

describe("a list", () => {
  const pods = { group: "", version: "v1", resource: "pods", kind: "Pod" };
  const list = (items: unknown) => answering(() => ({ kind: "PodList", metadata: {}, items }));

  test("of the core group has no group in its path", async () => {
    const { api, asked } = list([{ metadata: { name: "a" } }]);
    const named = { apiVersion: "v1", kind: "Pod", metadata: { name: "a" } };
    expect(await listObjects(api, pods, patience())).toEqual([named]);
    expect(asked[0]?.subject).toEqual({ verb: "list", group: "", resource: "pods", path: "/api/v1/pods" });
  });

  test.each([{ metadata: {} }, { metadata: { name: 1 } }, {}, "x", null])(
    "with an object without a name is none: %j",
    async (item) => {
      const { api } = list([{ metadata: { name: "a" } }, item]);
      await expect(listObjects(api, pods, patience())).rejects.toMatchObject({
        kind: "badAnswer",
        message: `pods: expected items[1].metadata.name, got ${JSON.stringify(item)}`,
      });
    },
  );

  test("names only the beginning of such an object", async () => {
    const { api } = list([{ spec: "x".repeat(10_000) }]);
    await expect(listObjects(api, pods, patience())).rejects.toThrow(/got .{200}$/);
  });
});
