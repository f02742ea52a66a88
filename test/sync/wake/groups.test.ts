import { asHpaKey } from "../../../lib/model/hpa-key";
import type { HpaMetrics, IndexedShard, QueueReads } from "../../../lib/model/ports/queue-reads";
import { hashOfRange } from "../../../lib/model/stored/queue-index";
import { hashesFor, wantedBy } from "../../../lib/sync/wake/queues-of";
import { findWokenHpas } from "../../../lib/sync/wake/find-hpas";
import type { WakeRequest } from "../../../lib/model/wake-request";

const signal = new AbortController().signal;
const key = (name: string) => asHpaKey(`shop/${name}`);

function shard(cluster: string, from: string, to: string | null, hash: string): IndexedShard {
  return {
    cluster,
    from,
    to,
    version: 1,
    index: { version: 1, since: 1, mark: { hash, range: hashOfRange({ from, to }), at: 1 } },
  };
}

/** Each HPA reads "mail". A cluster has shards with an index of these HPAs, or pages of entries. */
interface Cluster {
  readonly indexes?: readonly { readonly named?: string; readonly more?: string }[];
  readonly pages?: readonly string[];
}

function readsOf(clusters: Readonly<Record<string, Cluster>>, onPage: () => void = () => undefined) {
  const from = (index: number) => (index === 0 ? "" : `shop/${index}`);
  const shardsOf = (cluster: string, { indexes = [] }: Cluster) =>
    indexes.map((_, index) => shard(cluster, from(index), indexes[index + 1] ? from(index + 1) : null, `h${index}`));
  const asked: (string | undefined)[] = [];
  const reads: QueueReads = {
    clusters: () => Promise.resolve(Object.keys(clusters)),
    shards(cluster) {
      asked.push(cluster);
      return Promise.resolve(Object.entries(clusters).flatMap(([name, one]) => shardsOf(name, one)));
    },
    async *indexes(cluster) {
      await Promise.resolve();
      for (const [index, { named, more }] of (clusters[cluster]?.indexes ?? []).entries()) {
        const queues = Uint32Array.from(named === undefined ? [] : hashesFor("mail")).sort();
        yield { from: from(index), hash: `h${index}`, queues, more: more === undefined ? 0 : 1 };
      }
    },
    indexed(cluster, requested) {
      const keysOf = ({ named, more }: { named?: string; more?: string }) => ({
        named: named === undefined ? [] : [key(named)],
        more: more === undefined ? [] : [key(more)],
      });
      const { indexes = [] } = clusters[cluster] ?? {};
      const found = [...indexes.entries()].filter(([index]) => requested.some((one) => one.from === from(index)));
      return Promise.resolve(new Map(found.map(([index, one]) => [from(index), keysOf(one)])));
    },
    hpas: (_cluster, keys) => Promise.resolve(keys.map(readsMail)),
    sources: () => Promise.resolve(new Map()),
    async *sourcesNaming() {},
    async *candidates({ cluster }) {
      await Promise.resolve();
      for (const name of clusters[cluster]?.pages ?? []) {
        onPage();
        yield [key(name)];
      }
    },
  };
  return { reads, asked };
}

const readsMail = (one: HpaMetrics["key"]): HpaMetrics => {
  const metric = { name: "sqs", selector: { matchLabels: { queue: "mail" } } };
  return { key: one, document: { spec: { metrics: [{ external: { metric } }] } }, bytes: 100 };
};

async function groupsOf(reads: QueueReads, now = () => 0, requests: readonly WakeRequest[] = [{ queue: "mail" }]) {
  const reporter = { failed: () => undefined };
  const groups: string[][] = [];
  for await (const hpas of findWokenHpas({ reads, reporter }, wantedBy(requests), { now, deadline: Infinity, signal }))
    groups.push(hpas.map(({ cluster, name }) => `${cluster}/${name}`));
  return groups;
}

test("what pages of entries hold is handed on together, while they come quickly", async () => {
  const { reads } = readsOf({ a: { pages: ["a1", "a2", "a3"] } });
  expect(await groupsOf(reads)).toEqual([["a/a1", "a/a2", "a/a3"]]);
});

test.each([
  ["166 ms: all three within 500 ms", 166, [["a/a1", "a/a2", "a/a3"]]],
  ["250 ms: after the second", 250, [["a/a1"], ["a/a2", "a/a3"]]],
  ["500 ms: one by one", 500, [["a/a1"], ["a/a2"], ["a/a3"]]],
])("a search whose pages take %s", async (_name, ms, groups) => {
  let now = 1_700_000_000_000;
  const { reads } = readsOf({ a: { pages: ["a1", "a2", "a3"] } }, () => void (now += ms));
  expect(await groupsOf(reads, () => now)).toEqual(groups);
});

const nine = Array.from({ length: 9 }, (_, index) => ({ named: `a${index}` }));

test.each<[string, Record<string, Cluster>, string[][]]>([
  [
    "all indexes before the HPAs that they name",
    { a: { indexes: nine }, b: { indexes: [{ named: "b" }] } },
    [[...nine.map(({ named }) => `a/${named}`), "b/b"]],
  ],
  [
    "HPAs that an index names before those with too many queues to name",
    { a: { indexes: [{ more: "many" }] }, b: { indexes: [{ named: "b" }] } },
    [["b/b"], ["a/many"]],
  ],
  [
    "those with too many queues to name before entries that are looked through",
    { a: { pages: ["a"] }, b: { indexes: [{ more: "many" }] } },
    [["b/many"], ["a/a"]],
  ],
])("clusters are searched in stages: %s", async (_name, clusters, groups) => {
  const found = await groupsOf(readsOf(clusters).reads);
  expect(found.map((group) => [...group].sort())).toEqual(groups);
});

test.each<[string, readonly WakeRequest[], readonly (string | undefined)[], string[]]>([
  ["of one cluster are asked for that cluster alone", [{ queue: "mail", cluster: "b" }], ["b"], ["b/b"]],
  [
    "of two clusters are asked for all at once",
    [
      { queue: "mail", cluster: "a" },
      { queue: "mail", cluster: "b" },
    ],
    [undefined],
    ["a/a", "b/b"],
  ],
])("shards %s", async (_name, requests, shardsOf, hpas) => {
  const { reads, asked } = readsOf({ a: { pages: ["a"] }, b: { pages: ["b"] }, c: { pages: ["c"] } });
  const searched: string[] = [];
  const watched: QueueReads = {
    ...reads,
    candidates(range, ...rest) {
      searched.push(range.cluster);
      return reads.candidates(range, ...rest);
    },
  };
  expect((await groupsOf(watched, undefined, requests)).flat().sort()).toEqual(hpas);
  expect(asked).toEqual(shardsOf);
  expect([...new Set(searched)].map((cluster) => `${cluster}/${cluster}`).sort()).toEqual(hpas);
});

test("a key that is none of an HPA is not woken", async () => {
  const { reads } = readsOf({ a: { pages: ["a1"] } });
  const spoilt: QueueReads = {
    ...reads,
    async *candidates() {
      await Promise.resolve();
      yield [asHpaKey("no-namespace"), key("a1")];
    },
  };
  expect(await groupsOf(spoilt)).toEqual([["a/a1"]]);
});

test("an event that names HPAs alone asks the table nothing", async () => {
  const { reads, asked } = readsOf({ a: { pages: ["a1"] } });
  expect(await groupsOf(reads, undefined, [{ cluster: "a", namespace: "shop", name: "a1" }])).toEqual([]);
  expect(asked).toHaveLength(0);
});
