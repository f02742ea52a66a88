import { type HpaKey } from "../../lib/model/hpa-key";
import type { EventLog } from "../../lib/model/stored/event-log";
import type { EpochMs } from "../../lib/k8s/time";
import { sharedBench, type StoreBench } from "./store/bench";
import { decision, fullLog, oneEvent as one } from "./store/samples";

const at = (text: string): EpochMs => Date.parse(`2026-03-01T${text}Z`);

/** What ebb relies on from the Store port for events, and for the records of deleted HPAs. */
export function eventsContract(name: string, setUp: () => Promise<StoreBench>): void {
  describe(`events in a store: ${name}`, () => {
    const shared = sharedBench(setUp);
    const { signal } = shared;

    beforeEach(() => {
      shared.clock.now = at("12:30:00");
    });

    const put = (key: HpaKey, before: number, version: number, log: EventLog) =>
      shared.store.replaceEvents({ cluster: shared.cluster, key }, before, { version, log }, signal);
    const read = (range: { from?: string; to?: string | null } = {}) =>
      shared.store.events({ cluster: shared.cluster, from: "", to: null, ...range }, signal);
    const logs = (keys: readonly HpaKey[]) => shared.store.eventLogs(shared.cluster, keys, signal);
    const shown = async (range: { from?: string; to?: string | null } = {}) =>
      (await read(range)).map(
        ({ key, events }) => `${key}: ${events.map(({ reason, count }) => `${reason} x${count}`).join(", ")}`,
      );

    test("a log comes back as it was written, with all that it can hold", async () => {
      await put("shop/worker", 0, 7, fullLog);
      expect(await logs(["shop/worker", "shop/none"])).toEqual(
        new Map([["shop/worker", { value: { version: 7, log: fullLog } }]]),
      );
    });

    test("what is shown is what was recorded within the last hour, whatever is in the table", async () => {
      await put("shop/worker", 0, 1, fullLog);
      const [{ events } = { events: [] }] = await read();
      expect(events).toEqual([
        {
          type: "Normal",
          reason: "SuccessfulRescale",
          message: "New size: 4",
          name: "worker.a1",
          count: 2,
          firstTimestamp: at("11:00:00"),
          lastTimestamp: at("12:00:00"),
        },
        {
          type: "Warning",
          reason: "FailedGetScale",
          message: "(combined from similar events): gone 10",
          name: "worker.a2",
          count: 3,
          firstTimestamp: at("12:10:00"),
          lastTimestamp: at("12:20:00"),
        },
      ]);
      shared.clock.now = at("13:00:01");
      expect(await shown()).toEqual(["shop/worker: FailedGetScale x3"]);
      shared.clock.now = at("13:20:01");
      expect(await shown()).toEqual(["shop/worker: "]);
    });

    test("a range gives its HPAs in key order: a shard, a namespace, one HPA", async () => {
      for (const key of ["shop/b", "shop/a", "web/a"] as const) await put(key, 0, 1, one);
      expect(await shown()).toEqual(["shop/a: Bad x1", "shop/b: Bad x1", "web/a: Bad x1"]);
      expect(await shown({ from: "shop/", to: "shop0" })).toEqual(["shop/a: Bad x1", "shop/b: Bad x1"]);
      expect(await shown({ from: "shop/b", to: "shop/b\u0000" })).toEqual(["shop/b: Bad x1"]);
    });

    test("a write is conditional on the version that it was computed from", async () => {
      const key = "shop/worker";
      expect(await put(key, 3, 4, one)).toEqual({ ok: false, current: undefined });
      expect(await put(key, 0, 5, one)).toEqual({ ok: true });
      expect(await put(key, 0, 6, fullLog)).toEqual({ ok: false, current: { value: { version: 5, log: one } } });
      expect(await put(key, 5, 6, fullLog)).toEqual({ ok: true });
      expect(await put(key, 5, 6, one)).toEqual({ ok: false, current: { value: { version: 6, log: fullLog } } });
    });

    test("logs are copies", async () => {
      await put("shop/worker", 0, 1, one);
      const given = (await logs(["shop/worker"])).get("shop/worker");
      if (given && "value" in given) Reflect.set(given.value.log.entries[0] ?? {}, "reason", "Changed");
      expect((await logs(["shop/worker"])).get("shop/worker")).toEqual({ value: { version: 1, log: one } });
    });

    test("an HPA that is gone loses its events and all its decisions, and no other's", async () => {
      const { bench, cluster, store } = shared;
      const decide = (key: HpaKey, index: number) => store.putDecision(cluster, key, decision(index), signal);
      await Promise.all((["shop/a", "shop/a-b"] as const).map((key) => put(key, 0, 1, one)));
      await decide("shop/a-b", 0);
      for (let index = 0; index < 260; index += 20)
        await Promise.all(Array.from({ length: 20 }, (_, more) => decide("shop/a", index + more)));
      const rounds: boolean[] = [await store.deleteRecords(cluster, "shop/a", signal)];
      const left = await bench.decisions(cluster, "shop/a");
      // The latest go first, and not all at once.
      expect(left.length).toBeGreaterThan(0);
      expect(left.map((each) => each.at)).toEqual(Array.from({ length: left.length }, (_, i) => left.length - 1 - i));
      while (rounds.at(-1) !== true) rounds.push(await store.deleteRecords(cluster, "shop/a", signal));
      expect(rounds).toEqual([false, true]);
      expect(await shown()).toEqual(["shop/a-b: Bad x1"]);
      expect(await bench.decisions(cluster, "shop/a")).toEqual([]);
      expect(await bench.decisions(cluster, "shop/a-b")).toHaveLength(1);
      expect(await store.deleteRecords(cluster, "shop/a", signal)).toBe(true);
    }, 30_000);

    test("an item that cannot be read says why, and harms no other", async () => {
      await put("shop/a", 0, 1, one);
      await shared.bench.breakEvents(shared.cluster, "shop/b");
      await shared.bench.breakEvents(shared.cluster, "web/c");
      const why = "entries: expected a list, got nothing";
      expect(await read({ to: "web/" })).toEqual([
        { key: "shop/a", events: [expect.objectContaining({ reason: "Bad" })] },
        { key: "shop/b", events: [], broken: why },
      ]);
      const found = await logs(["shop/a", "shop/b"]);
      expect([...found.keys()].sort()).toEqual(["shop/a", "shop/b"]);
      expect(found.get("shop/b")).toEqual({ broken: why });
    });

    test("an item that cannot be read is written over at its version only", async () => {
      await shared.bench.breakEvents(shared.cluster, "shop/b");
      const broken = { broken: "entries: expected a list, got nothing" };
      expect(await put("shop/b", 0, 5, one)).toEqual({ ok: false, current: broken });
      expect(await put("shop/b", 3, 5, one)).toEqual({ ok: false, current: broken });
      expect(await put("shop/b", 1, 5, one)).toEqual({ ok: true });
      expect(await shown()).toEqual(["shop/b: Bad x1"]);
    });

    test("more logs than one batch all come", async () => {
      const keys = Array.from({ length: 130 }, (_, index): HpaKey => `shop/${index}`);
      await Promise.all(keys.map((key) => put(key, 0, 1, one)));
      expect([...(await logs(keys)).keys()].sort()).toEqual([...keys].sort());
    });

    test("without logs, the answer is empty", async () => {
      expect(await logs([])).toEqual(new Map());
    });

    test("an item that the table's expiry took is written again", async () => {
      await put("shop/worker", 0, 1, one);
      await shared.bench.deleteEvents(shared.cluster, "shop/worker");
      expect(await put("shop/worker", 1, 2, one)).toEqual({ ok: false, current: undefined });
      expect(await put("shop/worker", 0, 9, one)).toEqual({ ok: true });
    });
  });
}
