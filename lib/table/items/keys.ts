import type { HpaKey } from "../../model/hpa-key";
import type { CreateTableCommandInput } from "@aws-sdk/client-dynamodb";
import type { EpochMs } from "../../k8s/time";
import type { ShardRange } from "../../model/stored/shard";

/**
 * People and Terraform write CLUSTER, HPA# and SOURCE# items.
 *
 *   pk                 sk
 *   CLUSTER#<cluster>  CLUSTER
 *   CLUSTER#<cluster>  HPA#<namespace>/<name>
 *   CLUSTER#<cluster>  SOURCE#<name>
 *   CLUSTER#<cluster>  STATE#<namespace>/<name>
 *   CLUSTER#<cluster>  DECISION#<namespace>/<name>#<RFC 3339 time>
 *   CLUSTER#<cluster>  EVENTS#<namespace>/<name>
 *   CLUSTER#<cluster>  LATEST#<from of the shard>
 *   CLUSTER#<cluster>  IDLE#<from of the shard>
 *   INDEX#<cluster>    SHARD#<from>
 *   HISTORY#<cluster>  ROSTER#<from>#<hash>
 *   HISTORY#<cluster>  MINUTE#<from>#<RFC 3339 time>
 *   HISTORY#<cluster>  HPA#<namespace>/<name>#<RFC 3339 time>
 *   SHARD              <cluster>#<from>
 *   WATCH              LEASE
 *   NOTIFY             HPA#<cluster>#<namespace>/<name>
 *   NOTIFY             HOUR
 */
export const clusterPrefix = "CLUSTER#";
export const clusterSk = "CLUSTER";
export const shardPk = "SHARD";
export const hpaPrefix = "HPA#";
export const sourcePrefix = "SOURCE#";
export const statePrefix = "STATE#";
export const decisionPrefix = "DECISION#";
export const eventsPrefix = "EVENTS#";
export const latestPrefix = "LATEST#";
export const idlePrefix = "IDLE#";

/** Only ebb writes here. */
export const indexPartition = "INDEX#";
export const indexPrefix = "SHARD#";

/** Only ebb writes here. docs/decisions/0098-a-history.md */
export const historyPartition = "HISTORY#";
const rosterPrefix = "ROSTER#";
const minutePrefix = "MINUTE#";

/** docs/decisions/0002-finding-clusters.md */
export const byKindIndex = "by-kind";

/** DynamoDB's TTL, in epoch seconds. Expired items are still returned for days. */
export const expiresAtAttribute = "expiresAt";

export interface ItemKey {
  readonly pk: string;
  readonly sk: string;
}

export const clusterKey = (cluster: string): ItemKey => ({ pk: clusterPrefix + cluster, sk: clusterSk });

export const hpaItemKey = (cluster: string, key: HpaKey): ItemKey => ({
  pk: clusterPrefix + cluster,
  sk: hpaPrefix + key,
});

export const sourceKey = (cluster: string, name: string): ItemKey => ({
  pk: clusterPrefix + cluster,
  sk: sourcePrefix + name,
});

export const stateKey = (cluster: string, key: HpaKey): ItemKey => ({
  pk: clusterPrefix + cluster,
  sk: statePrefix + key,
});

export const decisionKey = (cluster: string, key: HpaKey, at: EpochMs): ItemKey => ({
  pk: clusterPrefix + cluster,
  sk: `${decisionPrefix}${key}#${new Date(at).toISOString()}`,
});

export const eventsKey = (cluster: string, key: HpaKey): ItemKey => ({
  pk: clusterPrefix + cluster,
  sk: eventsPrefix + key,
});

export const latestKey = ({ cluster, from }: Pick<ShardRange, "cluster" | "from">): ItemKey => ({
  pk: clusterPrefix + cluster,
  sk: latestPrefix + from,
});

export const idleKey = ({ cluster, from }: Pick<ShardRange, "cluster" | "from">): ItemKey => ({
  pk: clusterPrefix + cluster,
  sk: idlePrefix + from,
});

export const indexKey = ({ cluster, from }: Pick<ShardRange, "cluster" | "from">): ItemKey => ({
  pk: indexPartition + cluster,
  sk: indexPrefix + from,
});

export function indexKeys({ cluster, from, to }: ShardRange): KeyRange {
  return { ...shardKeys(indexPrefix, { cluster, from, to }), pk: indexPartition + cluster };
}

export const rosterKey = ({ cluster, from }: Pick<ShardRange, "cluster" | "from">, hash: string): ItemKey => ({
  pk: historyPartition + cluster,
  sk: `${rosterPrefix}${from}#${hash}`,
});

export const minuteKey = ({ cluster, from }: Pick<ShardRange, "cluster" | "from">, at: EpochMs): ItemKey => ({
  pk: historyPartition + cluster,
  sk: `${minutePrefix}${from}#${new Date(at).toISOString()}`,
});

/** `since` inclusive. */
export const minuteKeys = (shard: Pick<ShardRange, "cluster" | "from">, since: EpochMs): KeyRange => {
  const { pk, sk } = minuteKey(shard, since);
  return { pk, low: sk, high: `${minutePrefix}${shard.from}$` };
};

export const blockKey = (cluster: string, key: HpaKey, start: EpochMs): ItemKey => ({
  pk: historyPartition + cluster,
  sk: `${hpaPrefix}${key}#${new Date(start).toISOString()}`,
});

/** `since` inclusive, `until` exclusive. */
export const blockKeys = (cluster: string, key: HpaKey, since: EpochMs, until: EpochMs): KeyRange => {
  const { pk, sk } = blockKey(cluster, key, since);
  return { pk, low: sk, high: blockKey(cluster, key, until).sk };
};

export const leaseKey: ItemKey = { pk: "WATCH", sk: "LEASE" };

/** Only the function notify writes here. docs/decisions/0106-notifications.md */
export const notifyPk = "NOTIFY";
export const notifiedHourKey: ItemKey = { pk: notifyPk, sk: "HOUR" };
export const notifiedKey = (cluster: string, key: HpaKey): ItemKey => ({
  pk: notifyPk,
  sk: `${hpaPrefix}${cluster}#${key}`,
});
/** "$" is the character after "#". */
export const allNotified: KeyRange = { pk: notifyPk, low: hpaPrefix, high: "HPA$" };

export function decisionKeys(cluster: string, key: HpaKey, notAfter?: EpochMs): KeyRange {
  const all = allKeys(`${decisionPrefix}${key}#`, cluster);
  return notAfter === undefined ? all : { ...all, high: `${decisionKey(cluster, key, notAfter).sk}$` };
}

export const shardKey = (range: Pick<ShardRange, "cluster" | "from">): ItemKey => ({
  pk: shardPk,
  sk: `${range.cluster}#${range.from}`,
});

/** Includes those of a cluster whose name continues with "#". */
export const shardsOf = (cluster: string): KeyRange => ({ pk: shardPk, low: `${cluster}#`, high: `${cluster}$` });

export const allShards: KeyRange = { pk: shardPk, low: " ", high: "\u{10ffff}" };

/** Sort keys of one partition: `low` inclusive, `high` exclusive. */
export interface KeyRange {
  readonly pk: string;
  readonly low: string;
  readonly high: string;
}

export function shardKeys(prefix: string, { cluster, from, to }: ShardRange): KeyRange {
  const all = allKeys(prefix, cluster);
  return { pk: all.pk, low: prefix + from, high: to === null ? all.high : prefix + to };
}

/** "$" is the character after "#". */
export function allKeys(prefix: string, cluster: string): KeyRange {
  return { pk: clusterPrefix + cluster, low: prefix, high: `${prefix.slice(0, -1)}$` };
}

/** The table as local runs and tests create it; infra's CloudFormation holds the same layout. */
export function tableDefinition(name: string): CreateTableCommandInput {
  return {
    TableName: name,
    BillingMode: "PAY_PER_REQUEST",
    AttributeDefinitions: [
      { AttributeName: "pk", AttributeType: "S" },
      { AttributeName: "sk", AttributeType: "S" },
    ],
    KeySchema: [
      { AttributeName: "pk", KeyType: "HASH" },
      { AttributeName: "sk", KeyType: "RANGE" },
    ],
    GlobalSecondaryIndexes: [
      {
        IndexName: byKindIndex,
        KeySchema: [
          { AttributeName: "sk", KeyType: "HASH" },
          { AttributeName: "pk", KeyType: "RANGE" },
        ],
        Projection: { ProjectionType: "KEYS_ONLY" },
      },
    ],
  };
}
