import { eventsContract } from "../contract/events-contract";
import { storeContract } from "../contract/store-contract";
import type { StoreBench } from "../contract/store/bench";
import { clusterEntry, memoryItems, sourceEntry } from "./memory-items";
import { latestDecisions, memoryStore } from "./memory-store";
import { mishapSwitch } from "./wire";

storeContract("in memory", setUp);
eventsContract("in memory", setUp);

function setUp(): Promise<StoreBench> {
  const items = memoryItems();
  const mishaps = mishapSwitch();
  const done = (change: () => unknown) => Promise.resolve(change()).then(() => undefined);
  return Promise.resolve({
    open: ({ now, ...options }) => memoryStore(now, { items, mishaps, ...options }),
    table: "memory",
    putCluster: (name, spec) => done(() => items.clusterEntries.set(name, clusterEntry(name, spec))),
    deleteCluster: (name) => done(() => items.clusterEntries.delete(name)),
    putSource: (cluster, name, spec) =>
      done(() => items.sourceEntries.set(`${cluster} ${name}`, sourceEntry(name, spec))),
    putHpa: (cluster, key, entry) => done(() => items.documents.set(`${cluster} ${key}`, entry)),
    deleteHpa: (cluster, key) => done(() => items.documents.delete(`${cluster} ${key}`)),
    breakState: (cluster, key, version) =>
      done(() => items.broken.set(`STATE ${cluster} ${key}`, { why: "open: expected true or false", version })),
    breakEvents: (cluster, key) =>
      done(() =>
        items.broken.set(`EVENTS ${cluster} ${key}`, { why: "entries: expected a list, got nothing", version: 1 }),
      ),
    breakShard: (cluster, from) =>
      done(() => items.broken.set(`SHARD ${cluster}#${from}`, { why: "to: expected text, got nothing" })),
    deleteShard: (cluster, from) =>
      done(() => [items.broken.delete(`SHARD ${cluster}#${from}`), items.shardItems.delete(`${cluster}#${from}`)]),
    deleteEvents: (cluster, key) => done(() => items.eventItems.delete(`${cluster} ${key}`)),
    decisions: (cluster, key) =>
      Promise.resolve(
        latestDecisions(items, cluster, key).map(({ cluster: _cluster, key: _key, ...record }) => record),
      ),
    mishaps,
    close: () => Promise.resolve(),
  });
}
