import type { Mishap } from "../../fakes/wire";
import type { SharedBench } from "./bench";
import { decision, oneEvent, shardOf, state } from "./samples";

const key = "shop/worker" as const;

/** What a write reports when its request or answer is lost or late (test/fakes/wire.ts). */
export function lostAnswersContract(shared: SharedBench): void {
  const { signal } = shared;
  const put = (version: number, desiredReplicas?: number) =>
    shared.store.putState(shared.cluster, key, state(version, desiredReplicas), signal);

  const isState = (version: number | undefined) => async () => (await shared.state(key))?.version === version;
  const isShard = (version: number | undefined) => async () =>
    (await shared.store.shard({ cluster: shared.cluster, from: "" }, signal))?.version === version;
  const hasEvents = (expected: boolean) => async () =>
    (await shared.store.eventLogs(shared.cluster, [key], signal)).has(key) === expected;

  /** The writes of the port, each ready to be made, and whether its effect is there. */
  const writes = {
    "a state's creation": () => ({ write: () => put(1), done: { ok: true }, isThere: isState(1) }),
    "a state's change": async () => {
      await put(1);
      return { write: () => put(2), done: { ok: true }, isThere: isState(2) };
    },
    "a state's deletion": async () => {
      await put(1);
      const write = () => shared.store.deleteState(shared.cluster, key, 1, signal);
      return { write, done: true, isThere: isState(undefined) };
    },
    "a shard's creation": () => {
      const write = () => shared.store.createShard(shardOf(shared.cluster), signal);
      return { write, done: true, isThere: isShard(1) };
    },
    "a shard's change": async () => {
      const [first, second] = [shardOf(shared.cluster), shardOf(shared.cluster, { version: 2 })];
      await shared.store.createShard(first, signal);
      const write = () => shared.store.replaceShard(first, second, signal);
      return { write, done: true, isThere: isShard(2) };
    },
    "a shard's deletion": async () => {
      await shared.store.createShard(shardOf(shared.cluster), signal);
      const write = () => shared.store.replaceShard(shardOf(shared.cluster), null, signal);
      return { write, done: true, isThere: isShard(undefined) };
    },
    "an HPA's events": () => {
      const hpa = { cluster: shared.cluster, key };
      const write = () => shared.store.replaceEvents(hpa, 0, { version: 1, log: oneEvent }, signal);
      return { write, done: { ok: true }, isThere: hasEvents(true) };
    },
  };
  const unconditional = {
    "a decision": () => {
      const write = () => shared.store.putDecision(shared.cluster, key, decision(1_000), signal);
      const isThere = async () => (await shared.bench.decisions(shared.cluster, key)).length === 1;
      return { write, done: undefined, isThere };
    },
    "the deletion of an HPA's records": async () => {
      const hpa = { cluster: shared.cluster, key };
      await shared.store.replaceEvents(hpa, 0, { version: 1, log: oneEvent }, signal);
      const write = () => shared.store.deleteRecords(shared.cluster, key, signal);
      return { write, done: true, isThere: hasEvents(false) };
    },
  };

  const kinds = [
    ...Object.entries(writes).map(([name, arrange]) => [name, "lost", arrange] as const),
    ...Object.entries(unconditional).map(([name, arrange]) => [name, "timeout", arrange] as const),
  ];

  describe.each(kinds)("of %s", (_name, unknown, arrange) => {
    const meet = async (mishap: Mishap) => {
      const { write, done, isThere } = await arrange();
      expect(await isThere()).toBe(false);
      const landing = shared.bench.mishaps.nextWrite(mishap);
      const outcome = await (write() as Promise<unknown>).catch((error: unknown) => error);
      return { outcome, write, done, isThere, landing };
    };

    test("one answer is lost: the write finds that it was made", async () => {
      const { outcome, done, isThere } = await meet("answerLost");
      expect({ outcome, isThere: await isThere() }).toEqual({ outcome: done, isThere: true });
    });

    test(`no answer comes: ${unknown}, though the write was made`, async () => {
      const { outcome, isThere } = await meet("unanswered");
      expect(outcome).toMatchObject({ kind: unknown, retryable: true });
      expect(await isThere()).toBe(true);
    });

    test(`the request is lost: ${unknown}, and nothing was written; the same write can be made after it`, async () => {
      const { outcome, write, done, isThere } = await meet("requestLost");
      expect(outcome).toMatchObject({ kind: unknown, retryable: true });
      expect(await isThere()).toBe(false);
      expect(await write()).toEqual(done);
      expect(await isThere()).toBe(true);
    });

    test(`the request is late: ${unknown}, and the write is made when nobody waits for it any more`, async () => {
      const { outcome, isThere, landing } = await meet("late");
      expect(outcome).toMatchObject({ kind: unknown, retryable: true });
      expect(await isThere()).toBe(false);
      await landing.land();
      expect(await isThere()).toBe(true);
    });
  });

  describe("a late write", () => {
    const late = async (write: () => Promise<unknown>) => {
      const landing = shared.bench.mishaps.nextWrite("late");
      await expect(write()).rejects.toMatchObject({ kind: "lost" });
      return landing;
    };

    test("of a state takes the place of nothing newer", async () => {
      await put(1);
      const landing = await late(() => put(2, 9));
      await put(2);
      await put(3);
      await landing.land();
      expect(await shared.state(key)).toEqual(state(3));
    });

    test("of a state is made once, whatever its writer tried in between", async () => {
      const landing = await late(() => put(1));
      expect(await put(1)).toEqual({ ok: true });
      expect(await put(2)).toEqual({ ok: true });
      await landing.land();
      expect(await shared.state(key)).toEqual(state(2));
    });

    test("that made it between two attempts of its writer is a conflict with the writer's own data", async () => {
      const landing = await late(() => put(1));
      await landing.land();
      expect(await put(1)).toEqual({ ok: false, current: state(1) });
    });

    test("of a deletion spares a newer state", async () => {
      await put(1);
      const landing = await late(() => shared.store.deleteState(shared.cluster, key, 1, signal));
      await put(2);
      await landing.land();
      expect(await shared.state(key)).toEqual(state(2));
    });

    test("of a shard takes the place of nothing newer", async () => {
      const [first, second] = [shardOf(shared.cluster), shardOf(shared.cluster, { version: 2 })];
      await shared.store.createShard(first, signal);
      const landing = await late(() => shared.store.replaceShard(first, null, signal));
      await shared.store.replaceShard(first, second, signal);
      await landing.land();
      expect(await shared.store.shard(first, signal)).toEqual(second);
    });
  });

  test("a lost answer to a write that was refused is a conflict with the stored item", async () => {
    await put(1);
    shared.bench.mishaps.nextWrite("answerLost");
    expect(await put(1, 9)).toEqual({ ok: false, current: state(1) });
    shared.bench.mishaps.nextWrite("answerLost");
    expect(await shared.store.deleteState(shared.cluster, key, 3, signal)).toBe(false);
    expect(await shared.state(key)).toEqual(state(1));
  });

  test("a lost answer to the deletion of a shard that is gone is taken for its own doing", async () => {
    const gone = shardOf(shared.cluster);
    expect(await shared.store.replaceShard(gone, null, signal)).toBe(false);
    shared.bench.mishaps.nextWrite("answerLost");
    expect(await shared.store.replaceShard(gone, null, signal)).toBe(true);
  });
}
