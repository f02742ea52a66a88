import { DeleteItemCommand, PutItemCommand } from "@aws-sdk/client-dynamodb";
import { correlate } from "../../lib/core/correlate-events";
import { emptyLog, type EventLog } from "../../lib/model/event-log";
import type { EpochMs } from "../../lib/k8s/time";
import { openStore, type TableStore } from "../../lib/table/store";
import { sharedServer, type StoreUnderTest } from "./shared-server";

const at = (text: string): EpochMs => Date.parse(`2026-03-01T${text}Z`);

/** What is relied on from the table about events, whichever server is behind it. */
export function eventsContract(name: string, setUp: () => Promise<StoreUnderTest>): void {
  describe(`events in ${name}`, () => {
    const server = sharedServer(setUp);
    const { signal } = server;
    let store: TableStore;
    let cluster: string;
    let now: EpochMs;

    beforeEach(() => {
      cluster = server.newCluster();
      now = at("12:30:00");
      store = openStore({ client: server.client, table: server.table, now: () => now });
    });

    const keyOf = (key: string) => ({ pk: { S: `CLUSTER#${cluster}` }, sk: { S: `EVENTS#${key}` } });
    const rawItem = (key: string) => server.rawItem(`CLUSTER#${cluster}`, `EVENTS#${key}`);
    const put = (key: string, before: number, version: number, log: EventLog) =>
      store.replaceEvents({ cluster, key }, before, { version, log }, signal);
    const shown = async (range: { from?: string; to?: string | null } = {}) =>
      (await store.events({ cluster, from: "", to: null, ...range }, signal)).map(
        ({ key, events }) => `${key}: ${events.map(({ reason, count }) => `${reason} x${count}`).join(", ")}`,
      );

    test("a log comes back as it was written, with all that it can hold", async () => {
      await put("shop/worker", 0, 7, full);
      expect(await store.eventLogs(cluster, ["shop/worker", "shop/none"], signal)).toEqual(
        new Map([["shop/worker", { value: { version: 7, log: full } }]]),
      );
    });

    test("what is shown is what was recorded within the last hour, whatever stands", async () => {
      await put("shop/worker", 0, 1, full);
      const [{ events } = { events: [] }] = await store.events({ cluster, from: "", to: null }, signal);
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
      now = at("13:00:01");
      expect(await shown()).toEqual(["shop/worker: FailedGetScale x3"]);
      now = at("13:20:01");
      expect(await shown()).toEqual(["shop/worker: "]);
    });

    test("a range gives its HPAs in key order: a shard, a namespace, one HPA", async () => {
      for (const key of ["shop/b", "shop/a", "web/a"]) await put(key, 0, 1, one);
      expect(await shown()).toEqual(["shop/a: Bad x1", "shop/b: Bad x1", "web/a: Bad x1"]);
      expect(await shown({ from: "shop/", to: "shop0" })).toEqual(["shop/a: Bad x1", "shop/b: Bad x1"]);
      expect(await shown({ from: "shop/b", to: "shop/b\u0000" })).toEqual(["shop/b: Bad x1"]);
    });

    test("a write is conditional on the version that it was computed from", async () => {
      const key = "shop/worker";
      expect(await put(key, 3, 4, one)).toEqual({ ok: false, current: undefined });
      expect(await put(key, 0, 5, one)).toEqual({ ok: true });
      expect(await put(key, 0, 6, full)).toEqual({ ok: false, current: { value: { version: 5, log: one } } });
      expect(await put(key, 5, 6, full)).toEqual({ ok: true });
      expect(await put(key, 5, 6, one)).toEqual({ ok: false, current: { value: { version: 6, log: full } } });
    });

    test("an item expires once nothing in it can matter any more", async () => {
      await put("shop/worker", 0, 1, one);
      expect((await rawItem("shop/worker"))?.expiresAt).toEqual({ N: String(at("12:20:00") / 1000 + 25 * 300) });
    });

    test("an HPA that is gone loses its events and all its decisions, and no other's", async () => {
      const decision = { from: 0, scaleTo: 4, desiredReplicas: 4, events: [], steps: [] };
      const decide = (key: string, index: number) =>
        store.putDecision(cluster, key, { ...decision, at: at("12:00:00") + index }, signal);
      await Promise.all(["shop/a", "shop/a-b"].map((key) => put(key, 0, 1, one)));
      await decide("shop/a-b", 0);
      for (let index = 0; index < 260; index += 20)
        await Promise.all(Array.from({ length: 20 }, (_, more) => decide("shop/a", index + more)));
      const rounds: boolean[] = [];
      while (rounds.at(-1) !== true) rounds.push(await store.deleteRecords(cluster, "shop/a", signal));
      expect(rounds).toEqual([false, true]);
      expect(await shown()).toEqual(["shop/a-b: Bad x1"]);
      expect(await store.decisions(cluster, "shop/a", { limit: 1 }, signal)).toEqual([]);
      expect(await store.decisions(cluster, "shop/a-b", { limit: 500 }, signal)).toHaveLength(1);
      expect(await store.deleteRecords(cluster, "shop/a", signal)).toBe(true);
    }, 30_000);

    test("an item that cannot be read says why, and harms no other", async () => {
      await put("shop/a", 0, 1, one);
      await server.client.send(
        new PutItemCommand({ TableName: server.table, Item: { ...keyOf("shop/b"), version: { N: "1" } } }),
      );
      const why = "entries: expected a list, got nothing";
      expect(await store.events({ cluster, from: "", to: null }, signal)).toEqual([
        { key: "shop/a", events: [expect.objectContaining({ reason: "Bad" })] },
        { key: "shop/b", events: [], broken: why },
      ]);
      const logs = await store.eventLogs(cluster, ["shop/a", "shop/b"], signal);
      expect([...logs.keys()].sort()).toEqual(["shop/a", "shop/b"]);
      expect(logs.get("shop/b")).toEqual({ broken: why });
    });

    test("more logs than one batch all come", async () => {
      const keys = Array.from({ length: 130 }, (_, index) => `shop/${index}`);
      await Promise.all(keys.map((key) => put(key, 0, 1, one)));
      const logs = await store.eventLogs(cluster, keys, signal);
      expect([...logs.keys()].sort()).toEqual([...keys].sort());
    });

    test("an item that the table's expiry took is written anew", async () => {
      await put("shop/worker", 0, 1, one);
      await server.client.send(new DeleteItemCommand({ TableName: server.table, Key: keyOf("shop/worker") }));
      expect(await put("shop/worker", 1, 2, one)).toEqual({ ok: false, current: undefined });
      expect(await put("shop/worker", 0, 9, one)).toEqual({ ok: true });
    });
  });
}

const full: EventLog = {
  entries: [
    {
      type: "Normal",
      reason: "SuccessfulRescale",
      message: "New size: 4",
      name: "worker.a1",
      firstTimestamp: at("11:00:00"),
      count: 2,
      seenAt: at("12:00:00"),
      recorded: { count: 2, at: at("12:00:00") },
    },
    {
      type: "Warning",
      reason: "FailedGetScale",
      message: "(combined from similar events): gone 10",
      combined: true,
      name: "worker.a2",
      firstTimestamp: at("12:10:00"),
      count: 5,
      seenAt: at("12:21:00"),
      recorded: { count: 3, at: at("12:20:00") },
    },
    {
      type: "Warning",
      reason: "FailedGetScale",
      message: "dropped from the first on",
      name: "worker.a3",
      firstTimestamp: at("12:10:00"),
      count: 5,
      seenAt: at("12:21:00"),
    },
  ],
  groups: [{ type: "Warning", reason: "FailedGetScale", messages: ["gone 2", "gone 3"], at: at("12:21:00") }],
  buckets: { Warning: { tokens: 0.123456789012345, at: at("12:20:00") }, Normal: { tokens: 23, at: at("12:00:00") } },
};

const { log: one } = correlate(
  emptyLog,
  { type: "Warning", reason: "Bad", message: "thing", name: "worker.1" },
  at("12:20:00"),
);
