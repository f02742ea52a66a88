import { emptyLog } from "../../../lib/model/stored/event-log";
import { hpaKey } from "../../../lib/model/hpa-key";
import type { DecodedEvents, Store, StoredEvents } from "../../../lib/model/ports/store";
import { firstVersion } from "../../../lib/model/stored/version";
import {
  cachedEventLog,
  eventLogCache,
  type Occurrence,
  rebased,
  withOccurrences,
  withTarget,
} from "../../../lib/sync/events/cached-event-log";
import { brokenEvents, saveEvents } from "../../../lib/sync/events/event-recorder";

const { signal } = new AbortController();
const now = Date.parse("2026-03-01T12:00:00Z");
const hpa = { cluster: "prod", key: hpaKey("shop", "orders") };
const target = { apiVersion: "apps/v1", kind: "Deployment", name: "orders", namespace: "shop", uid: "u" };

const occurred = (message: string, at = now, name = `orders.${message}`): Occurrence => ({
  ...{ type: "Warning", reason: "FailedGetScale", message, name, at },
});
const stored = (version: number, ...occurrences: readonly Occurrence[]): StoredEvents => ({
  version,
  log: withOccurrences(cachedEventLog(undefined), occurrences).log,
});

/** A table that answers the writes in turn. */
function tableWith(...answers: readonly (DecodedEvents | undefined | "ok")[]) {
  const writes: { before: number; after: StoredEvents }[] = [];
  const left = [...answers];
  const store: Pick<Store, "replaceEvents"> = {
    replaceEvents(_hpa, before, after) {
      writes.push({ before, after });
      const answer = left.shift();
      return Promise.resolve(answer === "ok" ? { ok: true } : { ok: false, current: answer });
    },
  };
  return { writes, save: (due: ReturnType<typeof cachedEventLog>) => saveEvents(store, hpa, due, { now, signal }) };
}

const counts = ({ log }: Pick<StoredEvents, "log">) => log.entries.map(({ message, count }) => `${message} x${count}`);

describe("an HPA's due events", () => {
  test("a new item begins at the first version of this moment", async () => {
    const due = withTarget(withOccurrences(cachedEventLog(undefined), [occurred("gone")]), target);
    const { writes, save } = tableWith("ok");
    const saved = await save(due);
    expect(writes).toEqual([{ before: 0, after: { version: firstVersion(now), log: due.log } }]);
    expect(saved).toEqual({
      log: { version: firstVersion(now), log: due.log, unsaved: [], recorded: [], target },
      recorded: [expect.objectContaining({ message: "gone", count: 1 })],
    });
  });

  test("an item that is there gets the next version", async () => {
    const due = withOccurrences(cachedEventLog(stored(7, occurred("gone"))), [occurred("gone", now + 15_000)]);
    const { writes, save } = tableWith("ok");
    const { log, recorded } = await save(due);
    expect(writes.map(({ before, after }) => [before, after.version, counts(after)])).toEqual([[7, 8, ["gone x2"]]]);
    expect(log).toEqual({ version: 8, log: due.log, unsaved: [], recorded: [] });
    expect(recorded).toMatchObject([{ message: "gone", count: 2 }]);
  });

  test("nothing due: nothing is written", async () => {
    const due = cachedEventLog(stored(7, occurred("gone")));
    const { writes, save } = tableWith("ok");
    expect(await save(due)).toEqual({ log: due, recorded: [] });
    expect(writes).toEqual([]);
  });

  test("another writer was first: the same occurrences, on top of what it stored", async () => {
    const due = withTarget(withOccurrences(cachedEventLog(stored(7)), [occurred("gone")]), target);
    const { writes, save } = tableWith({ value: stored(12, occurred("gone"), occurred("other")) }, "ok");
    const { log } = await save(due);
    expect(writes.map(({ before, after }) => [before, after.version, counts(after)])).toEqual([
      [7, 8, ["gone x1"]],
      [12, 13, ["other x1", "gone x2"]],
    ]);
    expect(log).toMatchObject({ version: 13, target });
  });

  test("the item is gone meanwhile: it is made from what has occurred since", async () => {
    const due = withOccurrences(cachedEventLog(stored(7, occurred("old"))), [occurred("gone")]);
    const { writes, save } = tableWith(undefined, "ok");
    await save(due);
    expect(writes.map(({ before, after }) => [before, after.version, counts(after)])).toEqual([
      [7, 8, ["old x1", "gone x1"]],
      [0, firstVersion(now), ["gone x1"]],
    ]);
  });

  test("others were always first: after four writes they stay due, and nothing counts as written", async () => {
    const due = withOccurrences(cachedEventLog(undefined), [occurred("gone")]);
    const { writes, save } = tableWith(...[1, 2, 3, 4, 5].map((version) => ({ value: stored(version) })));
    const { log, recorded } = await save(due);
    expect(writes.map(({ before }) => before)).toEqual([0, 1, 2, 3]);
    expect(recorded).toEqual([]);
    expect(log).toMatchObject({ version: 4, dueSince: now, unsaved: [occurred("gone")] });
  });

  test("what the other writer stored may leave nothing to write", async () => {
    const spam = Array.from({ length: 30 }, (_, index) => occurred("gone", now, `orders.${index}`));
    const due = withOccurrences(cachedEventLog(undefined), [occurred("gone")]);
    const { writes, save } = tableWith({ value: stored(3, ...spam) });
    const { log, recorded } = await save(due);
    expect(writes).toHaveLength(1);
    expect(recorded).toEqual([]);
    expect(log.dueSince).toBeUndefined();
    expect(log).toMatchObject({ version: 3, unsaved: [occurred("gone")] });
  });

  test("an item that cannot be read is left as it is, and said", async () => {
    const { save } = tableWith({ broken: "entries: expected a list" });
    const due = withOccurrences(cachedEventLog(undefined), [occurred("gone")]);
    await expect(save(due)).rejects.toMatchObject({
      kind: "badEntry",
      message:
        "EVENTS#shop/orders: entries: expected a list: the item is left as it is; delete it, and ebb creates it again",
    });
    expect(brokenEvents(hpa.key, "x").retryable).toBe(false);
  });
});

describe("the log that a process keeps", () => {
  test("an event that occurs again is recorded once, in its latest form", () => {
    const kept = withOccurrences(cachedEventLog(undefined), [occurred("a"), occurred("b"), occurred("a", now + 1_000)]);
    expect(kept.recorded.map(({ message, count }) => `${message} x${count}`)).toEqual(["b x1", "a x2"]);
    expect(kept.dueSince).toBe(now);
  });

  test("at most 256 occurrences wait; the latest ones stay", () => {
    const many = Array.from({ length: 300 }, (_, index) => occurred("gone", now + index, `orders.${index}`));
    const { unsaved } = withOccurrences(cachedEventLog(undefined), many);
    expect([unsaved.length, unsaved[0]?.at, unsaved.at(-1)?.at]).toEqual([256, now + 44, now + 299]);
  });

  test("a target that was seen once stays", () => {
    const kept = withTarget(cachedEventLog(undefined), target);
    expect(withTarget(kept, undefined)).toBe(kept);
    expect(rebased(kept, undefined)).toEqual({ version: 0, log: emptyLog, unsaved: [], recorded: [], target });
    expect(withTarget(cachedEventLog(undefined), undefined)).not.toHaveProperty("target");
  });

  test("what is due comes by range, cluster and waiting time", () => {
    const logs = eventLogCache();
    const due = (at: number) => withOccurrences(cachedEventLog(undefined), [occurred("gone", at)]);
    const put = (cluster: string, name: string, log = cachedEventLog(undefined)) =>
      logs.set(cluster, hpaKey("shop", name), log);
    put("prod", "late", due(now + 30_000));
    put("prod", "first", due(now));
    put("prod", "second", due(now + 15_000));
    put("prod", "idle");
    put("prod", "zzz", due(now));
    put("other", "first", due(now));
    put("production", "first", due(now));
    expect(logs.due({ cluster: "prod", from: "", to: "shop/z" })).toEqual(["shop/first", "shop/second", "shop/late"]);
    expect(logs.due({ cluster: "prod", from: "shop/g", to: "shop/s" })).toEqual(["shop/late"]);
    logs.delete("prod", hpaKey("shop", "first"));
    expect(logs.get("prod", hpaKey("shop", "first"))).toBeUndefined();
    expect(logs.get("other", hpaKey("shop", "first"))).toEqual(due(now));
  });
});
