import { type StoreBench, sharedBench } from "./store/bench";
import { idleContract } from "./store/idle";
import { indexContract } from "./store/index-items";
import { latestContract } from "./store/latest";
import { loadContract } from "./store/load";
import { lostAnswersContract } from "./store/lost-answers";
import { oneEvent, decision, shardOf, state } from "./store/samples";
import { shardsContract } from "./store/shards";
import { statesContract } from "./store/states";

/** What the sync relies on from its table, whatever is behind the port: in memory, on disk or in DynamoDB. */
export function storeContract(name: string, setUp: () => Promise<StoreBench>): void {
  describe(`a store: ${name}`, () => {
    const shared = sharedBench(setUp);

    loadContract(shared);
    statesContract(shared);
    latestContract(shared);
    idleContract(shared);
    indexContract(shared);
    shardsContract(shared);
    describe("a lost answer", () => lostAnswersContract(shared));

    describe("an aborted signal", () => {
      const aborted = AbortSignal.abort();
      const key = "shop/worker";
      const spending = { month: "2026-03", spent: 0 };
      const lease = { version: 1, holder: "a", minute: 0, until: 0, spending };
      const calls = (store = shared.store, cluster = shared.cluster) => ({
        clusters: () => store.clusters(aborted),
        shards: () => store.shards(aborted),
        shardsOf: () => store.shardsOf(cluster, aborted),
        shard: () => store.shard({ cluster, from: "" }, aborted),
        createShard: () => store.createShard(shardOf(cluster), aborted),
        replaceShard: () => store.replaceShard(shardOf(cluster), null, aborted),
        load: () => store.load({ cluster, from: "", to: null }, aborted),
        document: () => store.document(cluster, key, aborted),
        putState: () => store.putState(cluster, key, state(1), aborted),
        deleteState: () => store.deleteState(cluster, key, 1, aborted),
        putLatest: () => store.putLatest({ cluster, from: "", to: null }, {}, aborted),
        latest: () => store.latest({ cluster, from: "", to: null }, aborted),
        putIdle: () => store.putIdle({ cluster, from: "", to: null }, {}, aborted),
        idle: () => store.idle({ cluster, from: "", to: null }, aborted),
        putIndex: () => store.putIndex({ cluster, from: "", to: null }, { hash: "h", hpas: {} }, aborted),
        index: () => store.index({ cluster, from: "" }, aborted),
        states: () => store.states(cluster, [key], aborted),
        pollerLease: () => store.pollerLease(aborted),
        replacePollerLease: () => store.replacePollerLease(undefined, lease, aborted),
        putDecision: () => store.putDecision(cluster, key, decision(1_000), aborted),
        deleteRecords: () => store.deleteRecords(cluster, key, aborted),
        events: () => store.events({ cluster, from: "", to: null }, aborted),
        eventLogs: () => store.eventLogs(cluster, [key], aborted),
        replaceEvents: () => store.replaceEvents({ cluster, key }, 0, { version: 1, log: oneEvent }, aborted),
      });

      test.each(
        Object.keys({
          ...{ clusters: 0, shards: 0, shardsOf: 0, shard: 0, createShard: 0, replaceShard: 0, load: 0, document: 0 },
          ...{ putState: 0, deleteState: 0, putDecision: 0, deleteRecords: 0, events: 0, eventLogs: 0 },
          ...{ replaceEvents: 0, putLatest: 0, latest: 0, putIdle: 0, idle: 0, states: 0, putIndex: 0, index: 0 },
          ...{ pollerLease: 0, replacePollerLease: 0 },
        } satisfies Record<keyof ReturnType<typeof calls>, 0>),
      )("ends %s as a timeout, and nothing is written", async (method) => {
        const call = calls()[method as keyof ReturnType<typeof calls>];
        await expect(call()).rejects.toMatchObject({ kind: "timeout" });
        const { cluster, store, signal, bench } = shared;
        expect(await store.shard({ cluster, from: "" }, signal)).toBeUndefined();
        expect((await shared.load()).states).toEqual({});
        expect((await store.eventLogs(cluster, [key], signal)).size).toBe(0);
        expect(await bench.decisions(cluster, key)).toEqual([]);
      });
    });
  });
}
