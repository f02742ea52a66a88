import * as schema from "./items/keys";
import { asHpaKey } from "../model/hpa-key";
import type { HpaMetrics, IndexedShard, QueueReads, QueueRequest } from "../model/ports/queue-reads";
import { itemBytes, type Item, fromItem, textOf, toItem } from "./items/attributes";
import { byHpa, decodeIndexedKeys, decodeIndexedQueues, inClear } from "./items/index-item";
import { decodeShard } from "./items/shard-item";
import { getItemsAs, getPartsAs } from "./get-items";
import { type Projection, type Table, itemsOf, onlyOf, pagesOfRange, queryKind } from "./reads";

const queueLabels = ["queue", "queues", "queuePrefix"];

/** The limit of an answer, in bytes. An entry that ebb syncs has 128 KB, at most 1.2 MB of JSON. */
const mostAnswer = 2 * 2 ** 20;

const metricsAlone = {
  ProjectionExpression: "#sk, #spec.#metrics",
  ExpressionAttributeNames: { "#sk": "sk", "#spec": "spec", "#metrics": "metrics" },
};

const sourceParts = { ProjectionExpression: "#sk, #s.#k, #s.#a" };
const keysAlone = { ProjectionExpression: "#sk" };

export function openQueueReads(table: Table): QueueReads {
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

    async indexed(cluster, requested, signal) {
      const byKey = new Map(requested.map((one) => [schema.indexKey({ cluster, from: one.from }).sk, one]));
      const keys = requested.map(({ from }) => toItem(schema.indexKey({ cluster, from })));
      const found = await getPartsAs(table, keys, { signal, projection: onlyOf(byHpa) }, (item) => {
        const one = byKey.get(textOf(item.sk?.S));
        const index = one && decodeIndexedKeys(item, one.hashes);
        if (one === undefined || index?.hash !== one.hash) return [];
        const { named, more } = index;
        return named.length + more.length === 0 ? [] : [[one.from, { named, more }] as const];
      });
      return new Map(found.flat());
    },

    hpas: (cluster, keys, signal) =>
      getPartsAs(
        table,
        keys.map((key) => toItem(schema.hpaItemKey(cluster, key))),
        { signal, projection: metricsAlone, maxBytes: mostAnswer },
        hpaMetrics,
      ),

    async sources(cluster, names, signal) {
      const keys = names.map((name) => toItem(schema.sourceKey(cluster, name)));
      return new Map(await getItemsAs(table, keys, signal, sourceSpec));
    },

    async *sourcesNaming(cluster, queues, signal) {
      const range = schema.allKeys(schema.sourcePrefix, cluster);
      for await (const page of pagesOfRange(table, range, signal, { ...sourceFilter(queues), ...sourceParts }))
        yield new Map(page.map(sourceSpec));
    },

    async *candidates(range, requested, signal) {
      const keys = schema.shardKeys(schema.hpaPrefix, range);
      for await (const page of pagesOfRange(table, keys, signal, { ...hpaFilter(requested), ...keysAlone }))
        yield page.map(({ sk }) => asHpaKey(textOf(sk?.S).slice(schema.hpaPrefix.length)));
    },
  };
}

function sourceSpec(item: Item): readonly [string, unknown] {
  const { sk, spec } = fromItem(item);
  return [textOf(sk).slice(schema.sourcePrefix.length), spec];
}

/** Keeps only the parts that decide which queues an HPA reads: the rest may be large. */
function hpaMetrics(item: Item): HpaMetrics {
  const { sk, spec } = item;
  const metrics = (spec?.M?.["metrics"]?.L ?? []).flatMap(({ M: listed }) => {
    const metric = listed?.["external"]?.M?.["metric"]?.M;
    const name = metric?.["name"]?.S;
    if (name === undefined) return [];
    const labels = metric?.["selector"]?.M?.["matchLabels"]?.M ?? {};
    // A label that is no text still replaces the parameter of a SOURCE.
    const given = queueLabels.flatMap((label) =>
      labels[label] === undefined ? [] : [[label, labels[label].S ?? null]],
    );
    return [{ external: { metric: { name, selector: { matchLabels: Object.fromEntries(given) as object } } } }];
  });
  return {
    key: asHpaKey(textOf(sk?.S).slice(schema.hpaPrefix.length)),
    document: { spec: { metrics } },
    bytes: itemBytes(item),
  };
}

type Filter = Required<Pick<Projection, "FilterExpression" | "ExpressionAttributeNames" | "ExpressionAttributeValues">>;

/** DynamoDB takes expressions of 4 KB. */
const mostCharacters = 3_900;
const mostMetrics = 16;

const parameterNames = { "#q": "queue", "#r": "queues", "#p": "queuePrefix" };

/** An entry may have a URL, an ARN or a list of names, so this looks for the name as a part of it. */
function sourceFilter(queues: readonly string[]): Filter {
  return {
    FilterExpression: `#s.#k = :k AND (${naming("#s.#a", queues).join(" OR ")})`,
    ExpressionAttributeNames: { ...parameterNames, "#s": "spec", "#k": "kind", "#a": "parameters" },
    ExpressionAttributeValues: toItem({ ":k": "sqs", ...numbered(":q", queues) }),
  };
}

/**
 * Matches HPAs with a metric whose labels or SOURCE name a queue. Entries with more metrics than the expression has
 * room for stay.
 */
function hpaFilter({ queues, sources }: QueueRequest): Filter {
  const clauses: string[] = [];
  let [metrics, characters] = [0, 0];
  for (; metrics < mostMetrics; metrics++) {
    const metric = `#s.#m[${metrics}].#e.#t`;
    const own = [...naming(`${metric}.#l.#x`, queues), ...namedBy(`${metric}.#n`, sources)].join(" OR ");
    characters += own.length + " OR ".length;
    if (characters > mostCharacters) break;
    clauses.push(own);
  }
  clauses.push(`attribute_exists(#s.#m[${metrics}])`);
  const metricNames = { "#s": "spec", "#m": "metrics", "#e": "external", "#t": "metric", "#l": "selector" };
  const isByName = sources === undefined || sources.length > 0;
  return {
    FilterExpression: clauses.join(" OR "),
    ExpressionAttributeNames: {
      ...parameterNames,
      ...metricNames,
      "#x": "matchLabels",
      ...(isByName && { "#n": "name" }),
    },
    ExpressionAttributeValues: toItem({ ...numbered(":q", queues), ...numbered(":s", sources ?? []) }),
  };
}

/** A prefix may be that of any queue. */
function naming(path: string, queues: readonly string[]): readonly string[] {
  const names = queues.flatMap((_, at) => [`contains(${path}.#q, :q${at})`, `contains(${path}.#r, :q${at})`]);
  return [...names, `attribute_exists(${path}.#p)`];
}

function namedBy(path: string, sources: readonly string[] | undefined): readonly string[] {
  if (sources === undefined) return [`attribute_exists(${path})`];
  return sources.length === 0 ? [] : [`${path} IN (${sources.map((_, at) => `:s${at}`).join(", ")})`];
}

function numbered(place: string, values: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(values.map((value, at) => [`${place}${at}`, value]));
}
