import { Fault } from "../../../lib/model/fault";
import type { QueueReads } from "../../../lib/model/ports/queue-reads";
import { findWokenHpas } from "../../../lib/sync/wake/find-hpas";
import { wantedBy } from "../../../lib/sync/wake/queues-of";
import { openQueueReads } from "../../../lib/table/queue-reads";
import { indexedWorld, queueWorld, sqs } from "./queue-world";

const signal = new AbortController().signal;

/** Each group of HPAs that a search for a queue hands on, and what was asked of the table before it. */
async function groupsOf(
  world: ReturnType<typeof queueWorld>,
  { reads = openQueueReads(world.table), ...over }: Partial<{ reads: QueueReads; signal: AbortSignal }> = {},
) {
  const reporter = { failed: () => undefined };
  const groups: (readonly [readonly string[], boolean])[] = [];
  const context = { now: () => 0, deadline: Infinity, signal, ...over };
  for await (const hpas of findWokenHpas({ reads, reporter }, wantedBy([{ queue: "mail" }]), context))
    groups.push([hpas.map(({ cluster, name }) => `${cluster}/${name}`), world.searchedEntries()]);
  return groups;
}

/** "prod" has an index; "late" has none, so its entries are looked through. */
async function twoClusters() {
  const world = await indexedWorld("orders");
  await world.apply("orders", "mail");
  await world.slot(2);
  await world.register("late");
  await world.apply("mails", "mail", "late");
  world.searchedEntries();
  return world;
}

test("what an index names is handed on before any entries are looked through", async () => {
  expect(await groupsOf(await twoClusters())).toEqual([
    [["prod/orders"], false],
    [["late/mails"], true],
  ]);
});

test("a search that finds nothing hands on nothing", async () => {
  const world = await indexedWorld("orders");
  expect(await groupsOf(world)).toEqual([]);
});

test("an item whose key is none of an HPA is not woken", async () => {
  const world = queueWorld();
  await world.register();
  await world.apply("orders", "mail");
  await world.put("CLUSTER#prod", "HPA#no-namespace", { spec: { metrics: [sqs({ queue: "mail" })] } });
  expect(await groupsOf(world)).toEqual([[["prod/orders"], true]]);
});

test("what is no fault of the table, and a wake that is stopped, end the search", async () => {
  const world = await twoClusters();
  const failing = (error: Error): QueueReads => ({ ...openQueueReads(world.table), hpas: () => Promise.reject(error) });
  await expect(groupsOf(world, { reads: failing(new TypeError("no function")) })).rejects.toThrow("no function");
  const stopped = new AbortController();
  const reads: QueueReads = {
    ...openQueueReads(world.table),
    hpas() {
      stopped.abort();
      return Promise.reject(new Fault("timeout", "stopped"));
    },
  };
  await expect(groupsOf(world, { reads, signal: stopped.signal })).rejects.toThrow("stopped");
});
