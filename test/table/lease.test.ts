import { PutItemCommand } from "../../lib/aws/http/dynamodb-commands";
import type { PollerLease } from "../../lib/model/stored/idle";
import { toItem } from "../../lib/table/items/attributes";
import { openStore } from "../../lib/table/store";
import { memoryDynamodb, memoryTableName } from "../fakes/memory-dynamodb";

/** The lease of the poller. An item that cannot be read must not stop all pollers for good. */
const { signal } = new AbortController();
const lease: PollerLease = {
  ...{ version: 1, holder: "first", minute: 60_000, until: 120_000 },
  spending: { month: "2026-11", spent: 0 },
};

function setUp() {
  const client = memoryDynamodb();
  const put = (more: object) =>
    client.send(
      new PutItemCommand({ TableName: memoryTableName, Item: toItem({ pk: "WATCH", sk: "LEASE", ...more }) }),
    );
  return { store: openStore({ client, table: memoryTableName, now: () => 0 }), put };
}

test("an item that cannot be read counts as none, and the first poller writes over it", async () => {
  const { store, put } = setUp();
  await put({ version: 9, holder: 7 });
  expect(await store.pollerLease(signal)).toBeUndefined();
  expect(await store.replacePollerLease(undefined, lease, signal)).toBe(true);
  expect((await store.pollerLease(signal))?.holder).toBe("first");
});

test("a lease that somebody holds is not written over by a poller that found none", async () => {
  const { store } = setUp();
  expect(await store.replacePollerLease(undefined, lease, signal)).toBe(true);
  expect(await store.replacePollerLease(undefined, { ...lease, holder: "second" }, signal)).toBe(false);
  expect((await store.pollerLease(signal))?.holder).toBe("first");
});

test("of two pollers that find the same unreadable item, one holds the lease", async () => {
  const { store, put } = setUp();
  await put({ junk: true });
  const both = ["a", "b"].map((holder) => store.replacePollerLease(undefined, { ...lease, holder }, signal));
  expect((await Promise.all(both)).filter(Boolean)).toHaveLength(1);
});
