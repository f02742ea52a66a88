import { deployment } from "../../cluster/contract-objects";
import { type SharedCluster, signal } from "./bench";

const at = Date.parse("2026-03-01T12:00:00Z");

/** An HPA's events on its target. */
export function targetEventsContract(shared: SharedCluster): void {
  const event = (count: number, message: string, seconds: number) => ({
    ...({ type: "Normal", reason: "SuccessfulRescale", name: "worker.18e2f", firstTimestamp: at } as const),
    ...{ count, message, lastTimestamp: at + seconds * 1000 },
  });
  const record = (target: Awaited<ReturnType<typeof seen>>, ...said: Parameters<typeof event>) =>
    shared.cluster.recordEvent(target, event(...said), signal());
  const shown = ({ name }: { name: string }) => shared.bench.event(`${name}.18e2f`);
  const seen = async () => {
    const { target, uid } = await shared.create(deployment, 1);
    const { resourceVersion = "" } = (await shared.cluster.getScale(target, signal())).metadata;
    // As an HPA may write it: any version of the group, the kind in lower case.
    return { ...target, apiVersion: "apps/v1beta2", kind: "deployment", uid, resourceVersion };
  };

  describe("events", () => {
    test("are created on their target, and patched as they occur again", async () => {
      const target = await seen();
      await record(target, 1, "New size: 4", 0);
      const first = {
        ...{ type: "Normal", reason: "SuccessfulRescale", message: "New size: 4", count: 1 },
        ...{ firstTimestamp: at, lastTimestamp: at },
        target: { ...target, apiVersion: "apps/v1", kind: "Deployment" },
      };
      expect(await shown(target)).toEqual(first);
      await record({ ...target, resourceVersion: "1" }, 3, "New size: 5", 30);
      expect(await shown(target)).toEqual({ ...first, message: "New size: 5", count: 3, lastTimestamp: at + 30_000 });
    });

    test("of two targets of one HPA's name are two", async () => {
      const [one, other] = [await seen(), await seen()];
      await record(one, 1, "New size: 4", 0);
      expect(await shown(other)).toBeUndefined();
      await record(other, 1, "New size: 5", 0);
      expect([(await shown(one))?.message, (await shown(other))?.message]).toEqual(["New size: 4", "New size: 5"]);
    });

    test("that have expired are created again, and one that is there already is left", async () => {
      const target = await seen();
      await record(target, 7, "New size: 4", 60);
      await record(target, 1, "another", 0);
      expect(await shown(target)).toMatchObject({ message: "New size: 4", count: 7 });
    });

    test("whose answer is lost are lost, and are there once the answer was on its way", async () => {
      const target = await seen();
      shared.bench.mishaps.nextWrite("requestLost");
      await expect(record(target, 1, "New size: 4", 0)).rejects.toMatchObject({ kind: "lost" });
      expect(await shown(target)).toBeUndefined();
      shared.bench.mishaps.nextWrite("answerLost");
      await expect(record(target, 1, "New size: 4", 0)).rejects.toMatchObject({ kind: "lost" });
      expect(await shown(target)).toMatchObject({ message: "New size: 4", count: 1 });
    });
  });
}
