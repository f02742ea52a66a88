import type { State } from "../../../lib/model/stored/state";
import type { SharedBench } from "./bench";
import { decision, fullState, state } from "./samples";

const key = "shop/worker";

/** States and decisions: conditions, copies, and what a table cannot hold. */
export function statesContract(shared: SharedBench): void {
  const { signal, load } = shared;
  const put = (next: State) => shared.store.putState(shared.cluster, key, next, signal);
  const found = () => shared.state(key);

  describe("states", () => {
    test("come back as they were written, with all that they can hold", async () => {
      const full: State = { ...state(1), ...fullState };
      expect(await put(full)).toEqual({ ok: true });
      expect(await found()).toEqual(full);
      expect(await put({ ...state(2), history: null, open: false })).toEqual({ ok: true });
      expect(await found()).toEqual({ ...state(2), history: null, open: false });
    });

    test("are kept without members that are undefined", async () => {
      const { targetUid: _targetUid, ...without } = state(1);
      await put({ ...state(1), targetUid: undefined, selector: undefined } as unknown as State);
      expect(await found()).toStrictEqual(without);
    });

    test("with what a table cannot hold are refused", async () => {
      await expect(put({ ...state(1), slot: Number.NaN })).rejects.toThrow(TypeError);
      const holes = [undefined] as unknown as State["warnings"] & object;
      await expect(put({ ...state(1), warnings: holes })).rejects.toThrow(TypeError);
      expect(await found()).toBeUndefined();
    });

    test("are copies: what the caller changes afterwards is not in the table", async () => {
      const own = { ...state(1), status: { desiredReplicas: 1 } };
      await put(own);
      own.status.desiredReplicas = 9;
      expect((await found())?.status.desiredReplicas).toBe(1);
      const conflict = await put(state(1, 5));
      if (!conflict.ok) Reflect.set(conflict.current?.status ?? {}, "desiredReplicas", 9);
      expect((await found())?.status.desiredReplicas).toBe(1);
    });

    test("are written only over the version they were computed from", async () => {
      await put(state(1));
      await put(state(2));
      expect(await put(state(2, 9))).toEqual({ ok: false, current: state(2) });
      expect(await put(state(1, 9))).toEqual({ ok: false, current: state(2) });
      expect(await put(state(4, 9))).toEqual({ ok: false, current: state(2) });
      expect(await found()).toEqual(state(2));
    });

    test("are not written over what is gone", async () => {
      expect(await put(state(2))).toEqual({ ok: false, current: undefined });
      expect(await found()).toBeUndefined();
      await put(state(1));
      expect(await shared.store.deleteState(shared.cluster, key, 1, signal)).toBe(true);
      expect(await put(state(2))).toEqual({ ok: false, current: undefined });
      expect(await found()).toBeUndefined();
    });

    test("of ten writers at once, one learns that it wrote, and the table has what it wrote", async () => {
      await put(state(1));
      for (let version = 2; version <= 20; version += 1) {
        const writers = Array.from({ length: 10 }, (_, index) => state(version, index));
        const written = await Promise.all(writers.map(put));
        const winners = writers.filter((_, index) => written[index]?.ok);
        expect(winners).toHaveLength(1);
        expect(await found()).toEqual(winners[0]);
      }
    });

    test("that are equal are still one writer's: the second gets a conflict", async () => {
      expect([await put(state(1)), await put(state(1))]).toEqual([{ ok: true }, { ok: false, current: state(1) }]);
    });

    test("are deleted at their version only; deleting what is gone is done", async () => {
      const remove = (version: number) => shared.store.deleteState(shared.cluster, key, version, signal);
      await put(state(1));
      await put(state(2));
      expect(await remove(1)).toBe(false);
      expect(await remove(3)).toBe(false);
      expect(await found()).toEqual(state(2));
      expect(await remove(2)).toBe(true);
      expect(await found()).toBeUndefined();
      expect(await remove(2)).toBe(true);
    });

    test("that cannot be read are named with the reason, and never overwritten or deleted", async () => {
      const { bench, cluster, store } = shared;
      await put(state(1));
      await bench.breakState(cluster, key, 7);
      await store.putState(cluster, "shop/other", state(1), signal);

      const { states, brokenStates } = await load();
      expect(Object.keys(states)).toEqual(["shop/other"]);
      expect(brokenStates).toEqual({ [key]: expect.stringMatching(/^open: /) as string });
      for (const next of [state(1), state(2)]) {
        await expect(put(next)).rejects.toMatchObject({
          kind: "badEntry",
          message: expect.stringContaining("open:") as string,
        });
      }
      expect(await store.deleteState(cluster, key, 1, signal)).toBe(false);
      expect((await load()).brokenStates).toEqual(brokenStates);
    });

    test("that are larger than an item may be are refused before they are sent", async () => {
      const large = { ...state(1), targetUid: "x".repeat(410_000) };
      await expect(put(large)).rejects.toMatchObject({
        kind: "badEntry",
        message: expect.stringContaining("409600") as string,
      });
      expect(await found()).toBeUndefined();
    });
  });

  describe("decisions", () => {
    const record = (at: number, desiredReplicas = 4) =>
      shared.store.putDecision(shared.cluster, key, { ...decision(at), desiredReplicas }, signal);
    const recorded = () => shared.bench.decisions(shared.cluster, key);

    test("are kept by HPA and moment, and make no entry", async () => {
      for (const at of [2_000, 3_000, 1_000]) await record(at);
      await shared.store.putDecision(shared.cluster, "shop/worker-a", decision(4_000), signal);
      expect(await recorded()).toEqual([decision(3_000), decision(2_000), decision(1_000)]);
      expect((await load()).hpas).toEqual([]);
    });

    test("that are recorded twice are there once, as recorded last", async () => {
      await record(1_000);
      await record(1_000, 5);
      expect(await recorded()).toEqual([{ ...decision(1_000), desiredReplicas: 5 }]);
    });
  });
}
