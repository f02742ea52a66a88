import { hpaKey } from "../../../lib/model/hpa-key";
import type { QueueIndex } from "../../../lib/model/stored/queue-index";
import { shardOf } from "./samples";
import type { SharedBench } from "./bench";

const [a, k, t] = [hpaKey("shop", "a"), hpaKey("shop", "k"), hpaKey("shop", "t")];

/** Which HPAs of a shard read which queues. */
export function indexContract(shared: SharedBench): void {
  const { signal } = shared;
  const shard = (from = "", to: string | null = null) => ({ cluster: shared.cluster, from, to });
  const put = (hash: string, hpas: QueueIndex["hpas"], range = shard()) =>
    shared.store.putIndex(range, { hash, hpas }, signal);
  const read = (from = "") => shared.store.index(shard(from), signal);

  describe("the index of a shard", () => {
    test("comes back as it was written, with all that it can hold", async () => {
      expect(await read()).toBeUndefined();
      const hpas = { [a]: { queues: [0, 1, 2 ** 32 - 1] }, [k]: { more: true as const } };
      expect(await put("h1", hpas)).toBe(true);
      expect(await read()).toEqual({ hash: "h1", hpas });
      expect(await put("h2", {})).toBe(true);
      expect(await read()).toEqual({ hash: "h2", hpas: {} });
    });

    test("goes when the shard on its left writes over its range, and stays while another does", async () => {
      await put("left", { [a]: { queues: [1] } }, shard("", k));
      await put("right", { [t]: { queues: [2] } }, shard(k));
      expect([(await read())?.hash, (await read(k))?.hash]).toEqual(["left", "right"]);
      await put("all", { [a]: { queues: [1] }, [t]: { queues: [2] } });
      expect([(await read())?.hash, await read(k)]).toEqual(["all", undefined]);
    });

    test("is recorded in the shard, whatever it lacks", async () => {
      const mark = { hash: "h", range: 7, at: 1_000 };
      const index = { version: 1, since: 1, mark, lacks: [[1, 2, 3] as const] };
      expect(await shared.store.createShard({ ...shardOf(shared.cluster), index }, signal)).toBe(true);
      expect((await shared.store.shard(shard(), signal))?.index).toEqual(index);
    });
  });
}
