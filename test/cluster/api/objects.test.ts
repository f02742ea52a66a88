import type { ApiClient, ApiRequest } from "../../../lib/cluster/api/api-client";
import { listObjects } from "../../../lib/cluster/api/pages";
import { listOwnedPods, listPods } from "../../../lib/cluster/api/pods";
import { targetCluster } from "../../../lib/cluster/cluster";
import { noLimit } from "../../time/no-limit";

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
  const getObject = (api: ApiClient, of: typeof reference, signal: AbortSignal) =>
    targetCluster({ api, discovery: {} as never, services: {} as never, now: () => 0 }).getObject(of, signal);
  const reference = { apiVersion: "batch/v1", resource: "jobs", namespace: "a b", name: "web" };

  test("is asked for by its path, whole", async () => {
    const { api, asked } = answering(() => ({ metadata: { name: "web" } }));
    expect(await getObject(api, reference, noLimit())).toEqual({ kind: "X", metadata: { name: "web" } });
    await getObject(api, { ...reference, apiVersion: "v1" }, noLimit());
    const paths = ["/apis/batch/v1/namespaces/a%20b/jobs/web", "/api/v1/namespaces/a%20b/jobs/web"];
    expect(asked.map(({ subject }) => subject.path)).toEqual(paths);
    expect(asked[0]).toEqual({
      ...{ method: "GET", large: true, maxBytes: 3 * 2 ** 20, kinds: "any", failureKey: paths[0] },
      subject: { verb: "get", group: "batch", resource: "jobs", namespace: "a b", name: "web", path: paths[0] },
    });
  });

  test.each([{ metadata: { name: "other" } }, { metadata: {} }, { metadata: "web" }, {}])(
    "is none if it is another: %j",
    async (object) => {
      const { api } = answering(() => object);
      await expect(getObject(api, reference, noLimit())).rejects.toMatchObject({
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
    expect(await listObjects(api, pods, noLimit())).toEqual([named]);
    expect(asked[0]?.subject).toEqual({ verb: "list", group: "", resource: "pods", path: "/api/v1/pods" });
  });

  test.each([{ metadata: {} }, { metadata: { name: 1 } }, {}, "x", null])(
    "with an object without a name is none: %j",
    async (item) => {
      const { api } = list([{ metadata: { name: "a" } }, item]);
      await expect(listObjects(api, pods, noLimit())).rejects.toMatchObject({
        kind: "badAnswer",
        message: `pods: expected items[1].metadata.name, got ${JSON.stringify(item)}`,
      });
    },
  );

  test("names only the beginning of such an object", async () => {
    const { api } = list([{ spec: "x".repeat(10_000) }]);
    await expect(listObjects(api, pods, noLimit())).rejects.toThrow(/got .{200}$/);
  });
});

describe("a pod's owner", () => {
  const controller = { kind: "ReplicaSet", name: "web-1", controller: true };
  const ownersOf = async (items: readonly unknown[]) => {
    const { api, asked } = answering(() => ({ kind: "PodList", items: [] }));
    const trimming: ApiClient = async (request, signal) => {
      await api(request, signal);
      const keep = request.trim?.keep ?? ((item: unknown) => item);
      // The client hands on what is no object as it is.
      const kept = items.map((item) => (typeof item === "object" ? keep(item) : item));
      return { kind: "PodList", items: kept };
    };
    const pods = await listOwnedPods(trimming, "shop", "app=web", noLimit());
    return { pods, unread: asked[0]?.trim?.unread };
  };
  const pod = (ownerReferences: unknown) => ({ metadata: { name: "p", ownerReferences } });

  test.each<[string, unknown, object | undefined]>([
    [
      "its controller",
      [{ ...controller, controller: false, name: "x" }, controller],
      { kind: "ReplicaSet", name: "web-1" },
    ],
    ["none without a controller", [{ kind: "Job", name: "x" }], undefined],
    ["none if its kind is no name", [{ ...controller, kind: 1 }], undefined],
    ["none if it has no name", [{ ...controller, name: "" }], undefined],
    ["none in a text", "owners", undefined],
    ["none in a list of texts", ["owner"], undefined],
  ])("is %s", async (_what, references, owner) => {
    const { pods } = await ownersOf([pod(references)]);
    expect(pods).toEqual([
      { pod: { metadata: { name: "p" }, spec: {}, status: { conditions: [] } }, ...(owner && { owner }) },
    ]);
  });

  test("is read, and what is no pod counts as one that cannot be read", async () => {
    const { pods, unread } = await ownersOf(["text"]);
    expect(pods).toEqual([{ pod: { metadata: { name: "<unreadable>" }, unreadable: true } }]);
    expect(unread).not.toContain("ownerReferences");
    expect(unread).toContain("managedFields");
  });
});

test("what takes most of a pod is not even parsed", async () => {
  const { api, asked } = answering(() => ({ kind: "PodList", items: [] }));
  await listPods(api, "shop", "", noLimit());
  const large = [
    ...["managedFields", "annotations", "ownerReferences", "finalizers", "volumes", "affinity", "tolerations"],
    ...["topologySpreadConstraints", "nodeSelector", "securityContext", "imagePullSecrets", "hostAliases", "dnsConfig"],
    ...["readinessGates", "ephemeralContainers", "resourceClaims", "env", "envFrom", "command", "args", "ports"],
    ...["volumeMounts", "volumeDevices", "limits", "lifecycle", "livenessProbe", "readinessProbe", "startupProbe"],
    ...["containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses", "podIPs", "hostIPs"],
  ];
  expect(asked[0]?.trim?.unread).toEqual(expect.arrayContaining(large));
});
