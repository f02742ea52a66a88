import { isFault } from "../../../lib/model/fault";
import { deployment, scalableKinds, worker } from "../../cluster/contract-objects";
import { type SharedCluster, signal } from "./bench";

/** So many targets of one run are read by a list, where there is one. */
const enough = 24;

/** Reading and writing scales, by every form of reference to a target. */
export function scalesContract(shared: SharedCluster): void {
  describe.each(scalableKinds.map((kind) => [kind.kind, kind] as const))("the scale of a %s", (_kind, kind) => {
    const create = (replicas: number) => shared.create(kind, replicas);

    test("is found by group and kind, and read", async () => {
      const { target, uid } = await create(3);
      const scale = await shared.cluster.getScale(target, signal());
      expect(scale).toMatchObject({
        metadata: {
          ...{ name: target.name, namespace: shared.namespace, uid },
          resourceVersion: expect.stringMatching(/./) as string,
        },
        spec: { replicas: 3 },
        status: { replicas: 0, selector: kind.selector(target.name) },
      });
    });

    test("is written, to zero and back", async () => {
      const { target, replicas } = await create(3);
      const { cluster } = shared;
      const before = await cluster.getScale(target, signal());
      const zero = await cluster.putScale(target, { ...before, spec: { replicas: 0 } }, signal());
      expect(zero.spec.replicas).toBe(0);
      expect(await replicas()).toBe(0);
      expect((await cluster.getScale(target, signal())).spec.replicas).toBe(0);
      const back = await cluster.putScale(target, { ...zero, spec: { replicas: 5 } }, signal());
      expect(back.metadata.resourceVersion).not.toBe(before.metadata.resourceVersion);
      expect(await replicas()).toBe(5);
    });

    test("is not written over a newer version", async () => {
      const { target, replicas } = await create(3);
      const { cluster } = shared;
      const stale = await cluster.getScale(target, signal());
      await cluster.putScale(target, { ...stale, spec: { replicas: 4 } }, signal());
      await expect(cluster.putScale(target, { ...stale, spec: { replicas: 9 } }, signal())).rejects.toMatchObject({
        kind: "conflict",
        status: 409,
        message: `Operation cannot be fulfilled on ${kind.resource} "${target.name}": the object has been modified; please apply your changes to the latest version and try again`,
      });
      expect(await replicas()).toBe(4);
    });

    test("is not written over somebody else's scaling, nor after a mere change of status", async () => {
      const { target, name, replicas } = await create(3);
      const { bench, cluster } = shared;
      const first = await cluster.getScale(target, signal());
      await bench.scale(kind, name, 7);
      const conflict = { kind: "conflict", status: 409 };
      await expect(cluster.putScale(target, first, signal())).rejects.toMatchObject(conflict);
      const second = await cluster.getScale(target, signal());
      expect(second.spec.replicas).toBe(7);
      await bench.touch(kind, name);
      await expect(cluster.putScale(target, { ...second, spec: { replicas: 9 } }, signal())).rejects.toMatchObject(
        conflict,
      );
      expect(await replicas()).toBe(7);
      const third = await cluster.getScale(target, signal());
      expect(third.metadata.resourceVersion).not.toBe(second.metadata.resourceVersion);
      expect((await cluster.putScale(target, { ...third, spec: { replicas: 9 } }, signal())).spec.replicas).toBe(9);
    });

    test("is not written to a recreated namesake", async () => {
      const { target, name, replicas } = await create(3);
      const { bench, cluster } = shared;
      const former = await cluster.getScale(target, signal());
      await bench.delete(kind, name);
      const { uid } = await bench.create(kind, name, 3);
      expect(uid).not.toBe(former.metadata.uid);
      await expect(cluster.putScale(target, { ...former, spec: { replicas: 9 } }, signal())).rejects.toMatchObject({
        kind: "conflict",
        status: 409,
      });
      expect(await replicas()).toBe(3);
    });

    test("may be written as it is", async () => {
      const { target } = await create(3);
      const before = await shared.cluster.getScale(target, signal());
      expect((await shared.cluster.putScale(target, before, signal())).spec.replicas).toBe(3);
    });

    test("is the same among those of a run, and as fresh", async () => {
      const { bench, cluster } = shared;
      const made = [];
      for (let replicas = 0; replicas < enough; replicas += 1) made.push(await create(replicas));
      const targets = made.map(({ target }) => target);
      const readTogether = () => {
        const limit = signal();
        const batch = { targets };
        return Promise.allSettled(targets.map((target) => cluster.getScale(target, limit, batch)));
      };
      const readAlone = () => Promise.allSettled(targets.map((target) => cluster.getScale(target, signal())));
      const first = await readTogether();
      expect(first).toEqual(await readAlone());
      expect(first.map((read) => read.status === "fulfilled" && read.value.spec.replicas)).toEqual([...made.keys()]);
      await bench.scale(kind, made[1]!.name, 77);
      await bench.touch(kind, made[2]!.name);
      await bench.delete(kind, made[3]!.name);
      const scaled = await cluster.getScale(targets[4]!, signal());
      await cluster.putScale(targets[4]!, { ...scaled, spec: { replicas: 78 } }, signal());
      const second = await readTogether();
      expect(second).toEqual(await readAlone());
      expect(second.slice(1, 5)).toMatchObject([
        { value: { spec: { replicas: 77 } } },
        { value: { spec: { replicas: 2 } } },
        { status: "rejected", reason: { kind: "notFound", status: 404 } },
        { value: { spec: { replicas: 78 } } },
      ]);
    }, 60_000);

    test("of one that is not there is not found", async () => {
      const target = { apiVersion: kind.apiVersion, kind: kind.kind, name: "none", namespace: shared.namespace };
      const missing = { kind: "notFound", status: 404, message: `${kind.resource} "none" not found` };
      await expect(shared.cluster.getScale(target, signal())).rejects.toMatchObject(missing);
      const scale = {
        metadata: { name: "none", resourceVersion: "1" },
        spec: { replicas: 1 },
        status: { replicas: 0 },
      };
      await expect(shared.cluster.putScale(target, scale, signal())).rejects.toMatchObject({
        kind: "notFound",
        status: 404,
      });
    });

    test("of one that is gone is not found, nor written", async () => {
      const { target, name } = await create(3);
      const before = await shared.cluster.getScale(target, signal());
      await shared.bench.delete(kind, name);
      for (const call of [
        () => shared.cluster.getScale(target, signal()),
        () => shared.cluster.putScale(target, before, signal()),
      ])
        await expect(call()).rejects.toMatchObject({ kind: "notFound", status: 404 });
    });
  });

  test("a scale without its resourceVersion is not sent: that is a mistake of the caller's, and no Fault", async () => {
    const { target, replicas } = await shared.create(deployment, 3);
    const scale = { metadata: { name: target.name }, spec: { replicas: 9 }, status: { replicas: 0 } };
    const rejected = await shared.cluster.putScale(target, scale, signal()).catch((error: unknown) => error);
    expect(rejected).toBeInstanceOf(Error);
    expect(isFault(rejected)).toBe(false);
    expect(await replicas()).toBe(3);
  });

  test("a scale is a copy", async () => {
    const { target } = await shared.create(deployment, 3);
    Reflect.set((await shared.cluster.getScale(target, signal())).spec, "replicas", 9);
    expect((await shared.cluster.getScale(target, signal())).spec.replicas).toBe(3);
  });

  describe("a target reference", () => {
    test.each([
      ["another version of the group", { apiVersion: "apps/v1beta9" }],
      ["the kind in lower case", { kind: "deployment" }],
    ])("may name %s", async (_name, change) => {
      const { target } = await shared.create(deployment, 2);
      expect((await shared.cluster.getScale({ ...target, ...change }, signal())).spec.replicas).toBe(2);
    });

    test.each([
      ["an unknown kind", "apps/v1", "Nothing", 'no matches for kind "Nothing" in group "apps"'],
      ["an unknown group", "none.example/v1", "Deployment", 'no matches for kind "Deployment" in group "none.example"'],
      ["a core kind of another group", "v1", "Deployment", 'no matches for kind "Deployment" in group ""'],
    ])("to %s matches nothing", async (_name, apiVersion, kind, message) => {
      const target = { apiVersion, kind, name: "web", namespace: shared.namespace };
      await expect(shared.cluster.getScale(target, signal())).rejects.toMatchObject({ kind: "notFound", message });
    });

    test("names one kind: an object of another kind and the same name is not found", async () => {
      const { target } = await shared.create(deployment, 2);
      const other = { ...target, kind: "StatefulSet" };
      await expect(shared.cluster.getScale(other, signal())).rejects.toMatchObject({
        kind: "notFound",
        message: `statefulsets.apps "${target.name}" not found`,
      });
    });

    test("to a custom kind without /scale is not found, though the object is there", async () => {
      await shared.bench.createPlain("plain");
      const target = { apiVersion: worker.apiVersion, kind: "Plain", name: "plain", namespace: shared.namespace };
      await expect(shared.cluster.getScale(target, signal())).rejects.toMatchObject({ kind: "notFound", status: 404 });
    });

    test("to a core kind without /scale is not found, in upstream's words", async () => {
      await shared.bench.createPod("alone", { app: "alone" });
      const target = { apiVersion: "v1", kind: "Pod", name: "alone", namespace: shared.namespace };
      await expect(shared.cluster.getScale(target, signal())).rejects.toMatchObject({
        kind: "notFound",
        status: 404,
        message: "the server could not find the requested resource",
      });
    });
  });

  test("what a custom resource's status says of its pods is in its scale", async () => {
    const { target, name } = await shared.create(worker, 3);
    const status = { replicas: 2, selector: "app=x,tier in (a,b)" };
    await shared.bench.setWorkerStatus(name, status);
    expect((await shared.cluster.getScale(target, signal())).status).toEqual(status);
  });
}
