import type { Scale } from "../../../lib/k8s/objects";
import { deployment } from "../../cluster/contract-objects";
import type { Mishap } from "../../fakes/wire";
import { type SharedCluster, signal } from "./bench";

/** What a cluster says when the server refuses, and when its answer is lost or late (test/fakes/wire.ts). */
export function clusterFaultsContract(shared: SharedCluster): void {
  const put = (target: Parameters<typeof shared.cluster.putScale>[0], scale: Scale, replicas: number) =>
    shared.cluster.putScale(target, { ...scale, spec: { replicas } }, signal());

  describe("the server's refusal", () => {
    test.each([
      [403, "forbidden", "forbidden"],
      [409, "conflict", "conflict"],
      [429, "throttled", "throttled"],
      [500, "badAnswer", "badAnswer"],
      [502, "unreachable", "lost"],
      [503, "unreachable", "unreachable"],
      // An API server whose storage gave up does not know whether a write was done.
      [504, "unreachable", "lost"],
    ])("%i is %s to a read and %s to a write, in the server's words", async (status, read, write) => {
      const { target, replicas } = await shared.create(deployment, 3);
      const { bench, cluster } = shared;
      const scale = await cluster.getScale(target, signal());
      const message = `the server says ${status}`;
      bench.mishaps.nextAnswer({ status, message });
      await expect(cluster.getScale(target, signal())).rejects.toMatchObject({ kind: read, status, message });
      bench.mishaps.nextAnswer({ status, message });
      await expect(put(target, scale, 9)).rejects.toMatchObject({ kind: write, status, message });
      expect(await replicas()).toBe(3);
      expect((await put(target, scale, 4)).spec.replicas).toBe(4);
    });
  });

  describe("a scale write whose answer never comes is lost", () => {
    const lose = async (mishap: Mishap) => {
      const { target, name, replicas } = await shared.create(deployment, 3);
      const before = await shared.cluster.getScale(target, signal());
      const landing = shared.bench.mishaps.nextWrite(mishap);
      await expect(put(target, before, 5)).rejects.toMatchObject({ kind: "lost", retryable: true });
      return { target, name, before, replicas, landing };
    };

    test.each(["answerLost", "unanswered"] as const)(
      "and was made (%s): the same again is a conflict",
      async (mishap) => {
        const { target, before, replicas } = await lose(mishap);
        expect(await replicas()).toBe(5);
        await expect(put(target, before, 5)).rejects.toMatchObject({ kind: "conflict" });
        const after = await shared.cluster.getScale(target, signal());
        expect(after.metadata.resourceVersion).not.toBe(before.metadata.resourceVersion);
      },
    );

    test("and was not made: the same again is made", async () => {
      const { target, before, replicas } = await lose("requestLost");
      expect(await replicas()).toBe(3);
      expect((await put(target, before, 5)).spec.replicas).toBe(5);
    });

    test("and is made late, while the resourceVersion that it carries is there", async () => {
      const { target, before, replicas, landing } = await lose("late");
      expect(await replicas()).toBe(3);
      expect((await shared.cluster.getScale(target, signal())).metadata).toEqual(before.metadata);
      await landing.land();
      expect(await replicas()).toBe(5);
    });

    test("and is never made once that resourceVersion is gone", async () => {
      const { name, replicas, landing } = await lose("late");
      await shared.bench.touch(deployment, name);
      await landing.land();
      expect(await replicas()).toBe(3);
    });

    test("and is never made to a recreated namesake", async () => {
      const { name, replicas, landing } = await lose("late");
      await shared.bench.delete(deployment, name);
      await shared.bench.create(deployment, name, 1);
      await landing.land();
      expect(await replicas()).toBe(1);
    });

    test("and is made once, whatever its writer tried in between", async () => {
      const { target, before, replicas, landing } = await lose("late");
      await put(target, before, 6);
      await landing.land();
      expect(await replicas()).toBe(6);
    });
  });

  describe("an aborted signal", () => {
    const aborted = AbortSignal.abort();

    test("ends every read as a timeout", async () => {
      const { cluster, namespace } = shared;
      const { target } = await shared.create(deployment, 3);
      const metric = { name: "rate" };
      const describedObject = { apiVersion: "v1", kind: "Pod", name: "a" };
      for (const call of [
        () => cluster.getScale(target, aborted),
        () => cluster.listPods(namespace, "", aborted),
        () => cluster.podMetrics(namespace, "", aborted),
        () => cluster.podsMetric({ namespace, metric, selector: "" }, aborted),
        () => cluster.objectMetric({ namespace, metric, describedObject }, aborted),
        () => cluster.externalMetric({ namespace, metric }, aborted),
      ])
        await expect(call()).rejects.toMatchObject({ kind: "timeout" });
    });

    test("ends a write as a timeout, and nothing is written", async () => {
      const { target, replicas } = await shared.create(deployment, 3);
      const scale = await shared.cluster.getScale(target, signal());
      const write = shared.cluster.putScale(target, { ...scale, spec: { replicas: 9 } }, aborted);
      await expect(write).rejects.toMatchObject({ kind: "timeout" });
      expect(await replicas()).toBe(3);
    });
  });
}
