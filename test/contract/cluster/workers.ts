import type { WorkerPod } from "../../../lib/model/ports/cluster";
import { setUpMs, type SharedCluster, signal } from "./bench";

/** Pods, as `ebb.dev/busy` reads them and sets their deletion costs. */
export function workersContract(shared: SharedCluster): void {
  describe("workers", () => {
    const selector = "app=crew";
    const list = async (annotation?: string) => {
      const query = { namespace: shared.namespace, selector, ...(annotation !== undefined && { annotation }) };
      return shared.cluster.listWorkers(query, signal());
    };
    const named = async (name: string): Promise<WorkerPod> => {
      const found = (await list("note")).pods.find((one) => one.name === name);
      if (found === undefined) throw new Error(`expected ${name} in the list`);
      return found;
    };
    const setCost = (pod: Pick<WorkerPod, "name" | "resourceVersion">, cost: number | null, isLate = false) =>
      shared.cluster.setDeletionCost({ namespace: shared.namespace, pod, cost, mayStart: () => !isLate }, signal());

    beforeAll(async () => {
      await shared.bench.createPod("crew-1", { app: "crew" }, true);
      await shared.bench.createPod("crew-2", { app: "crew" });
    }, setUpMs);

    test("have what says whether they are busy, and nothing else", async () => {
      const { pods, unreadable } = await list("note");
      expect(unreadable).toBe(0);
      const [one, two] = [...pods].sort((a, b) => (a.name < b.name ? -1 : 1));
      expect(one).toEqual({
        ...{ name: "crew-1", resourceVersion: expect.any(String) as string },
        ...{ phase: "Running", isReady: true, isEnding: false, mark: "of no use to" },
      });
      expect(two).toMatchObject({ name: "crew-2", isReady: false, isEnding: false });
      expect(pods).toHaveLength(2);
    });

    test.each(["other", "constructor", undefined])(
      "without the annotation %j, there is no mark",
      async (annotation) => {
        for (const pod of (await list(annotation)).pods) expect(pod).not.toHaveProperty("mark");
      },
    );

    test("get a cost, another one, and none, and keep what else they have", async () => {
      const before = await named("crew-1");
      await setCost(before, 7);
      expect(await named("crew-1")).toMatchObject({ cost: 7, isOwnCost: true, mark: before.mark });
      await setCost(await named("crew-1"), -2_147_483_648);
      expect(await named("crew-1")).toMatchObject({ cost: -2_147_483_648, isOwnCost: true });
      await setCost(await named("crew-1"), null);
      const { resourceVersion: _, ...after } = await named("crew-1");
      const { resourceVersion: __, ...first } = before;
      expect(after).toEqual(first);
    });

    test("a pod that has changed gets no cost", async () => {
      const outdated = await named("crew-2");
      await setCost(outdated, 1);
      await expect(setCost(outdated, 2)).rejects.toMatchObject({ kind: "conflict" });
      await expect(setCost(outdated, null)).rejects.toMatchObject({ kind: "conflict" });
      expect(await named("crew-2")).toMatchObject({ cost: 1 });
    });

    test("a patch that would start too late is not sent", async () => {
      const pod = await named("crew-1");
      await expect(setCost(pod, 3, true)).rejects.toMatchObject({ kind: "timeout" });
      expect(await named("crew-1")).toEqual(pod);
    });

    test("a pod that is gone says so", async () => {
      const pod = await named("crew-1");
      await expect(setCost({ ...pod, name: "crew-9" }, 1)).rejects.toMatchObject({ kind: "notFound" });
    });
  });
}
