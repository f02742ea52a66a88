/** @jest-environment node */
import type { Cluster } from "../../../lib/model/ports/cluster";
import type { SlotQueue } from "../../../lib/model/ports/slot-queue";
import type { SlotMessage } from "../../../lib/model/messages";
import { openEventRecorder } from "../../../lib/sync/events/event-recorder";
import { splitAbove } from "../../../lib/model/stored/shard-size";
import { tick } from "../../../lib/scheduler/tick";
import { syncShard } from "../../../lib/sync/slot/sync-shard";
import { document, fixture, periodMs, queueSpec, slotAt, start } from "../../sync/sync-fixture";

const { signal } = new AbortController();
const minuteMs = 60_000;
const entries = 10_000;
/** A function works on one HPA after the other: on all of them for 20 s, which is longer than a period. */
const msPerHpa = 2;
const together = 100;

beforeEach(() => jest.useFakeTimers({ now: start }));
afterEach(() => jest.useRealTimers());

/** In virtual time: the real tick each minute, and the real sync for each message when it is due. */
function deployment() {
  const { store, cluster, reporter, depth, counts } = fixture();
  const events = openEventRecorder({ store, reporter });
  depth(5);

  async function sync(message: SlotMessage): Promise<void> {
    let reads = 0;
    let turn = Promise.resolve();
    const working: Cluster = {
      ...cluster,
      async getScale(target, limit) {
        reads += 1;
        if (reads % together === 0)
          turn = turn.then(() => new Promise((resolve) => setTimeout(resolve, together * msPerHpa)));
        await turn;
        return cluster.getScale(target, limit);
      },
    };
    const ports = { store, clusters: { connect: () => Promise.resolve(working) }, sources: {}, reporter, events };
    const workedMs = () => reads * msPerHpa;
    await syncShard(ports, message, { now: Date.now, workedMs, deadline: Date.now() + 30_000, signal });
  }

  const queue: SlotQueue = {
    send(messages) {
      for (const { message, delaySeconds } of messages)
        if ("slot" in message) setTimeout(() => void sync(message), delaySeconds * 1_000);
      return Promise.resolve();
    },
  };
  const runTick = (minute: number) =>
    tick({ store, queue, reporter }, start + minute * minuteMs, { now: Date.now, signal });
  return { store, cluster, counts, runTick };
}

test("four slots after 10,000 entries are applied, each is decided, and no shard is too large or late", async () => {
  const { store, cluster, counts, runTick } = deployment();
  await runTick(-1);
  await runTick(0);
  await jest.advanceTimersByTimeAsync(29_000);
  for (let index = 0; index < entries; index++) {
    const [key, name] = [`team-${index % 20}/h${index}`, `h${index}`];
    const spec = { ...queueSpec, scaleTargetRef: { ...queueSpec.scaleTargetRef, name } };
    store.documents.set(`prod ${key}`, document(spec, key));
    cluster.add(key, 1);
  }
  await jest.advanceTimersByTimeAsync(31_000);
  await runTick(1);
  await jest.advanceTimersByTimeAsync(slotAt(6) - Date.now());

  expect([...store.stateItems.values()].filter(({ slot }) => slot >= slotAt(2))).toHaveLength(entries + 1);
  const shards = [...store.shardItems.values()];
  expect(shards.reduce((sum, shard) => sum + shard.entries, 0)).toBe(entries + 1);
  for (const shard of shards) {
    expect(shard.entries).toBeLessThanOrEqual(splitAbove);
    expect(shard.slot).toBeGreaterThanOrEqual(slotAt(4));
  }
  const large = counts.filter(({ slot, hpas }) => slot < slotAt(4) && hpas > entries);
  expect(large.map(({ behind }) => behind > 0 && behind < entries / 2)).toEqual([true, true]);
  const small = counts.filter(({ slot, outcome }) => slot >= slotAt(4) && outcome === "synced");
  expect(small.length).toBeGreaterThanOrEqual(10);
  for (const { durationMs, failed } of small) {
    expect(durationMs).toBeLessThan(periodMs / 2);
    expect(failed).toBe(0);
  }
}, 60_000);
