import { asHpaKey } from "../model/hpa-key";
import type { HpaMetrics, IndexedShard, QueueReads } from "../model/ports/queue-reads";
import type { ShardRange } from "../model/stored/state";
import { fromItem, type Item, textOf, toItem } from "./items/attributes";
import { decodeIndex, decodeIndexedQueues, inClear } from "./items/index-item";
import * as schema from "./items/keys";
import { decodeShard } from "./items/shard-item";
import { getItem, getItemsAs, getPartsAs, itemsOf, onlyOf, pagesOfRange, queryKind, type Table } from "./reads";

const metricsAlone = {
  ProjectionExpression: "#sk, #spec.#metrics",
  ExpressionAttributeNames: { "#sk": "sk", "#spec": "spec", "#metrics": "metrics" },
};

export function openQueueReads(table: Table): QueueReads {
  const clusterPk = (cluster: string) => schema.clusterPrefix + cluster;

  return {
    async clusters(signal) {
      const keys = await queryKind(table, schema.clusterSk, signal);
      return keys.flatMap(({ pk }) => {
        const text = pk?.S ?? "";
        return text.startsWith(schema.clusterPrefix) ? [text.slice(schema.clusterPrefix.length)] : [];
      });
    },

    async shards(cluster, signal) {
      const range = cluster === undefined ? schema.allShards : schema.shardsOf(cluster);
      const shards: IndexedShard[] = [];
      for await (const item of itemsOf(table, range, signal)) {
        const shard = decodeShard(item);
        if (!("value" in shard) || (cluster !== undefined && shard.value.cluster !== cluster)) continue;
        const { cluster: name, from, to, version, index } = shard.value;
        shards.push({ cluster: name, from, to, version, ...(index && { index }) });
      }
      return shards;
    },

    async *indexes(cluster, signal) {
      const range = schema.indexKeys({ cluster, from: "", to: null });
      for await (const item of itemsOf(table, range, signal, onlyOf(inClear))) {
        const indexed = decodeIndexedQueues(item);
        if (indexed !== undefined) yield { ...indexed, from: textOf(item.sk?.S).slice(schema.indexPrefix.length) };
      }
    },

    async index(shard, signal) {
      const item = await getItem(table, schema.indexKey(shard), signal);
      return item && decodeIndex(item);
    },

    hpas: (cluster, keys, signal) =>
      getPartsAs(
        table,
        keys.map((key) => toItem(schema.hpaItemKey(cluster, key))),
        { signal, projection: metricsAlone },
        hpaMetrics,
      ),

    async sources(cluster, names, signal) {
      const keys = names.map((name) => toItem(schema.sourceKey(cluster, name)));
      const found = await getItemsAs(table, keys, signal, (item) => {
        const { sk, spec } = fromItem(item);
        return [textOf(sk).slice(schema.sourcePrefix.length), spec] as const;
      });
      return new Map(found);
    },

    async *pages(range: ShardRange, signal) {
      const keys = { ...schema.shardKeys(schema.hpaPrefix, range), pk: clusterPk(range.cluster) };
      for await (const page of pagesOfRange(table, keys, signal, metricsAlone)) yield page.map(hpaMetrics);
    },
  };
}

function hpaMetrics(item: Item): HpaMetrics {
  const { sk, ...document } = fromItem(item);
  return { key: asHpaKey(textOf(sk).slice(schema.hpaPrefix.length)), document };
}
