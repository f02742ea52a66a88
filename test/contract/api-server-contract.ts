import type { TargetCluster } from "../../lib/cluster/cluster";
import { onThisMachine } from "../../lib/net/address";
import { openClusters } from "../../lib/cluster/clusters";
import { deployment, pod, scalableKinds, type ScalableKind } from "../cluster/contract-objects";
import { type ApiServerFixture, arrangedServer } from "./cluster/api-server";
import { setUpMs, signal } from "./cluster/bench";
import { customScalesContract } from "./cluster/custom-scales";
import { requestsContract } from "./cluster/requests/requests";
import { eventually } from "./eventually";

/**
 * What the client of an API server relies on beyond the Cluster port: rights, certificates, what is served as an Event.
 */
export function apiServerContract(name: string, setUp: () => Promise<ApiServerFixture>): void {
  describe(`an API server: ${name}`, () => {
    let fixture: ApiServerFixture;
    let server: Awaited<ReturnType<typeof arrangedServer>>;
    let cluster: TargetCluster;
    let namespace: string;
    let objects = 0;

    beforeAll(async () => {
      fixture = await setUp();
      server = await arrangedServer(fixture);
      namespace = server.namespace;
      cluster = await server.connect(fixture.adminToken);
    }, setUpMs);

    afterAll(async () => {
      await server.close();
    });

    const connect: typeof server.connect = (token, spec) => server.connect(token, spec);
    const create = async (kind: ScalableKind, replicas: number) => {
      const target = { apiVersion: kind.apiVersion, kind: kind.kind, name: `web-${++objects}`, namespace };
      const made = await server.create(kind, target.name, replicas);
      const read = () =>
        server.arrange<{ spec: { replicas: number }; metadata: { generation: number } }>(
          "GET",
          server.pathOf(kind, target.name),
        );
      return { target, uid: made.metadata.uid, read };
    };

    test.each(scalableKinds.map((kind) => [kind.kind, kind] as const))(
      "a scale of a %s that is written as it is makes no new generation",
      async (_kind, kind) => {
        const { target, read } = await create(kind, 3);
        const before = await cluster.getScale(target, signal());
        const { generation } = (await read()).metadata;
        expect((await cluster.putScale(target, before, signal())).spec.replicas).toBe(3);
        expect((await read()).metadata.generation).toBe(generation);
      },
    );

    describe("without the right", () => {
      const refusal = (verb: string, resource: string, object: string) =>
        `${object} is forbidden: User "${fixture.restricted.user}" cannot ${verb} resource "${resource}" in API group "${resource.startsWith("pods") ? "" : "apps"}" in the namespace "${namespace}"`;

      test("a scale is neither read nor written, and the refusal names verb and resource", async () => {
        const { target, read } = await create(deployment, 3);
        const scale = await cluster.getScale(target, signal());
        const restricted = await connect(fixture.restricted.token);
        const object = `deployments.apps "${target.name}"`;
        await expect(restricted.getScale(target, signal())).rejects.toMatchObject({
          kind: "forbidden",
          status: 403,
          message: refusal("get", "deployments/scale", object),
        });
        const write = restricted.putScale(target, { ...scale, spec: { replicas: 9 } }, signal());
        await expect(write).rejects.toMatchObject({
          kind: "forbidden",
          status: 403,
          message: refusal("update", "deployments/scale", object),
        });
        expect((await read()).spec.replicas).toBe(3);
      });

      test("pods are not listed", async () => {
        const restricted = await connect(fixture.restricted.token);
        await expect(restricted.listPods(namespace, "", signal())).rejects.toMatchObject({
          kind: "forbidden",
          status: 403,
          message: refusal("list", "pods", "pods"),
        });
      });

      test("the server says in advance what it would refuse, and its time", async () => {
        const restricted = await connect(fixture.restricted.token);
        const scale = { verb: "update", group: "apps", resource: "deployments", subresource: "scale", namespace };
        const pods = { verb: "list", group: "", resource: "pods", namespace };
        const askedAt = Date.now();
        for (const asked of [scale, pods]) {
          expect(await restricted.reviewAccess(asked, signal())).toMatchObject({ allowed: false });
          const { allowed, serverTime = NaN } = await cluster.reviewAccess(asked, signal());
          expect(allowed).toBe(true);
          // Both servers run on this machine, and the header knows whole seconds.
          expect(serverTime).toBeGreaterThanOrEqual(Math.floor(askedAt / 1000) * 1000);
          expect(serverTime).toBeLessThanOrEqual(Date.now());
        }
      });

      test("the server says who asks", async () => {
        const { username, groups } = await (await connect(fixture.restricted.token)).reviewSelf(signal());
        expect(username).toMatch(/restricted$/);
        expect(groups).toContain("system:authenticated");
        expect(groups).not.toContain("system:masters");
      });

      test("a token that nobody has is unauthorized", async () => {
        const stranger = await connect("nobody-has-this-token");
        await expect(stranger.listPods(namespace, "", signal())).rejects.toMatchObject({
          kind: "unauthorized",
          status: 401,
          message: "Unauthorized",
        });
      });
    });

    test("ebb does not talk to a server with an unknown CA", async () => {
      const clusters = openClusters({
        secrets: () => Promise.reject(new Error("no token may be asked for before the server is known")),
        awsCredentials: () => Promise.reject(new Error("no AWS in this contract")),
        now: Date.now,
        addresses: onThisMachine,
      });
      const spec = { endpoint: fixture.endpoint, auth: { type: "token", secret: "ebb/untrusting" } } as const;
      const untrusting = await clusters.connect({ name: "untrusting", spec }, signal());
      await expect(untrusting.listPods(namespace, "", signal())).rejects.toThrow();
      clusters.close();
      const trusted = await connect(fixture.adminToken, { tlsServerName: "another.name.example" });
      await expect(trusted.listPods(namespace, "", signal())).rejects.toMatchObject({ kind: "unreachable" });
    });

    test("pods come with the object that controls them, of all that own them", async () => {
      const owner = (kind: string, name: string, controller: boolean) => ({
        ...{ apiVersion: "apps/v1", kind, name, uid: `00000000-0000-4000-8000-${name.padStart(12, "0")}`, controller },
      });
      const make = async (name: string, ownerReferences?: readonly object[]) => {
        const made = pod(name, { app: "owned" });
        const metadata = { ...made.metadata, ...(ownerReferences && { ownerReferences }) };
        await server.arrange("POST", `/api/v1/namespaces/${namespace}/pods`, { ...made, metadata });
      };
      await make("owned-1", [owner("Node", "1", false), owner("ReplicaSet", "2", true)]);
      await make("owned-2", [owner("Node", "3", false)]);
      await make("owned-3");
      await eventually(async () => {
        const found = await cluster.listOwnedPods(namespace, "app=owned", signal());
        const read = found.map((one) => [one.pod.metadata.name, one.owner]).sort();
        expect(read).toEqual([
          ["owned-1", { kind: "ReplicaSet", name: "2" }],
          ["owned-2", undefined],
          ["owned-3", undefined],
        ]);
        const plain = await cluster.listPods(namespace, "app=owned", signal());
        expect(found.map((one) => one.pod)).toEqual(plain);
      });
    });

    customScalesContract(() => ({ server, fixture }));
    requestsContract(() => ({ server, fixture }));

    describe("events", () => {
      const at = Date.parse("2026-03-01T12:00:00Z");
      const event = (count: number, message: string, seconds: number) => ({
        ...({ type: "Normal", reason: "SuccessfulRescale", name: "worker.18e2f", firstTimestamp: at } as const),
        ...{ count, message, lastTimestamp: at + seconds * 1000 },
      });
      const shown = (name: string) =>
        server.arrange<Record<string, unknown>>("GET", `/api/v1/namespaces/${namespace}/events/${name}.18e2f`);
      const seen = async () => {
        const { target, uid } = await create(deployment, 1);
        const { resourceVersion = "" } = (await cluster.getScale(target, signal())).metadata;
        // As an HPA may write it: any version of the group, the kind in lower case.
        return { ...target, apiVersion: "apps/v1beta2", kind: "deployment", uid, resourceVersion };
      };

      test("are created on their target, and patched as they occur again", async () => {
        const target = await seen();
        await cluster.recordEvent(target, event(1, "New size: 4", 0), signal());
        expect(await shown(target.name)).toMatchObject({
          ...{ type: "Normal", reason: "SuccessfulRescale", message: "New size: 4", count: 1 },
          ...{ firstTimestamp: "2026-03-01T12:00:00Z", lastTimestamp: "2026-03-01T12:00:00Z" },
          involvedObject: {
            ...{ apiVersion: "apps/v1", kind: "Deployment", namespace, name: target.name },
            ...{ uid: target.uid, resourceVersion: target.resourceVersion },
          },
          source: { component: "horizontal-pod-autoscaler" },
          reportingComponent: "ebb",
        });
        await cluster.recordEvent(target, event(3, "New size: 5", 30), signal());
        expect(await shown(target.name)).toMatchObject({
          ...{ message: "New size: 5", count: 3 },
          ...{ firstTimestamp: "2026-03-01T12:00:00Z", lastTimestamp: "2026-03-01T12:00:30Z" },
        });
      });

      test("without the right are forbidden, in the server's words", async () => {
        const restricted = await connect(fixture.restricted.token);
        const forbidden = (verb: string) => ({
          kind: "forbidden",
          message: expect.stringContaining(`cannot ${verb} resource "events"`) as string,
        });
        const target = await seen();
        const create = restricted.recordEvent(target, event(1, "m", 0), signal());
        await expect(create).rejects.toMatchObject(forbidden("create"));
        const patch = restricted.recordEvent(target, event(2, "m", 0), signal());
        await expect(patch).rejects.toMatchObject(forbidden("patch"));
      });
    });
  });
}
