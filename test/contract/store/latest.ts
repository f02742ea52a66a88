import { hpaKey } from "../../../lib/model/hpa-key";
import type { Latest, LatestValues } from "../../../lib/model/stored/latest";
import type { SharedBench } from "./bench";
import { fullState, state } from "./samples";

const { status, decision, warnings } = { ...state(1), ...fullState };
const full = { version: 3, status, decision, warnings } as LatestValues;
const values = (version: number): LatestValues => ({ version, status: { currentReplicas: version } });
const [a, k, t] = [hpaKey("shop", "a"), hpaKey("shop", "k"), hpaKey("shop", "t")];

/** What HPAs show beyond their states. */
export function latestContract(shared: SharedBench): void {
  const { signal } = shared;
  const shard = (from = "", to: string | null = null) => ({ cluster: shared.cluster, from, to });
  const put = (latest: Latest, range = shard()) => shared.store.putLatest(range, latest, signal);
  const read = (range = shard()) => shared.store.latest(range, signal);

  describe("the latest values", () => {
    test("come back as they were written, with all that they can hold", async () => {
      expect(await read()).toEqual({});
      await put({ [a]: full, [k]: values(2) });
      expect(await read()).toEqual({ [a]: full, [k]: values(2) });
    });

    test("of a shard take the place of those before", async () => {
      await put({ [a]: values(1), [k]: values(1) });
      await put({ [k]: values(2) });
      expect(await read()).toEqual({ [k]: values(2) });
      await put({});
      expect(await read()).toEqual({});
    });

    test("are found for a part of a shard, and for one HPA", async () => {
      await put({ [a]: values(1) }, shard("", k));
      await put({ [k]: values(2), [t]: values(3) }, shard(k));
      expect(await read(shard(a, k))).toEqual({ [a]: values(1) });
      expect(await read(shard(t, `${t}\0`))).toEqual({ [t]: values(3) });
      expect(await read(shard(k, `${k}\0`))).toEqual({ [k]: values(2) });
      expect(await read(shard("shop/", "shop0"))).toEqual({ [a]: values(1), [k]: values(2), [t]: values(3) });
    });

    test("of a shard that was split come from the new shard, once it has written", async () => {
      await put({ [a]: values(1), [t]: values(1) });
      expect(await read(shard(t, `${t}\0`))).toEqual({ [t]: values(1) });
      await put({}, shard(k));
      expect(await read()).toEqual({ [a]: values(1) });
      expect(await read(shard(t, `${t}\0`))).toEqual({});
    });

    test("of a shard that was merged go when the shard on its left writes", async () => {
      await put({ [a]: values(1) }, shard("", k));
      await put({ [t]: values(1) }, shard(k));
      await put({ [t]: values(2) });
      expect(await read()).toEqual({ [t]: values(2) });
      expect(await read(shard(t, `${t}\0`))).toEqual({ [t]: values(2) });
    });

    test("of another cluster are its own", async () => {
      const other = { ...shard(), cluster: `${shared.cluster}#` };
      await put({ [a]: values(1) });
      await put({ [a]: values(2) }, other);
      expect([await read(), await read(other)]).toEqual([{ [a]: values(1) }, { [a]: values(2) }]);
    });

    test("of 2,000 HPAs fit", async () => {
      const many = Array.from({ length: 2_000 }, (_, index) => [hpaKey("shop", `n${index}`), full] as const);
      await put(Object.fromEntries(many));
      expect(Object.keys(await read())).toHaveLength(2_000);
    });
  });
}
