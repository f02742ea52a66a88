import type { PartitionOffset, TopicOffsets } from "kafkajs/src/broker";
import { shown } from "../../model/check/problem";
import { isFault } from "../../model/fault";
import { badParameter } from "../parameters";
import type { Peer } from "../network/peer";
import type { WithConnection } from "../network/tcp-client";
import type { KafkaQuery, Topics } from "./kafka-query";
import type { KafkaSession } from "./kafka-session";
import { badAnswer } from "../network/as-reading";

export interface Partition {
  readonly topic: string;
  readonly partition: number;
  readonly leader: Peer;
}

export type Offsets = ReadonlyMap<string, bigint>;

const mostPartitions = 10_000;
export const latest = -1;
export const earliest = -2;

export interface ConsumerGroup {
  topics(): Promise<readonly string[]>;
  committed(partitions: readonly Partition[]): Promise<Offsets>;
}

export async function findGroup(
  query: KafkaQuery,
  withConnection: WithConnection<KafkaSession>,
): Promise<ConsumerGroup> {
  const groupId = query.group;
  const coordinator = await atBootstrap(query, withConnection, async (session) => {
    const { coordinator: found } = await session.call((broker) =>
      broker.findGroupCoordinator({ groupId, coordinatorType: 0 }),
    );
    return peerAt(query, found);
  });
  const fetch = async (partitions: readonly Partition[]) => {
    const topics = byTopic(partitions, (partition) => ({ partition }));
    const { responses } = await withConnection(coordinator, (session) =>
      session.call((broker) => broker.offsetFetch({ groupId, topics })),
    );
    return responses;
  };
  return {
    // Without partitions, the coordinator lists all that have a commit.
    topics: async () => topicsIn(await fetch([])),
    committed: async (partitions) => offsetsIn(await fetch(partitions), partitions),
  };
}

async function atBootstrap<T>(
  { server, role }: KafkaQuery,
  withConnection: WithConnection<KafkaSession>,
  work: (session: KafkaSession) => Promise<T>,
): Promise<T> {
  let failure: unknown;
  for (const peer of server.peers) {
    try {
      return await withConnection(withRole(peer, role), work);
    } catch (error) {
      if (!isFault(error, "unreachable")) throw error;
      failure ??= error;
    }
  }
  throw failure;
}

function withRole({ host, port }: Peer, role: Peer["role"]): Peer {
  return role === undefined ? { host, port } : { host, port, role };
}

function peerAt({ role }: KafkaQuery, { host, port }: { readonly host: string; readonly port: number }): Peer {
  if (!/^[A-Za-z0-9_.:-]{1,253}$/.test(host) || port < 1 || port > 65_535)
    throw badAnswer(`expected a broker's address, got ${shown(`${host}:${port}`)}`);
  return withRole({ host, port }, role);
}

export async function partitionsOf(
  query: KafkaQuery,
  topics: Exclude<Topics, "committed">,
  withConnection: WithConnection<KafkaSession>,
): Promise<readonly Partition[]> {
  const names = "names" in topics ? topics.names : [];
  if ("names" in topics && names.length === 0)
    throw badAnswer("the group has committed no offsets; set topics if that means no lag");
  // Without names, the broker lists all topics.
  const { brokers, topicMetadata } = await atBootstrap(query, withConnection, (session) =>
    session.call((broker) => broker.metadata(names)),
  );
  const leaders = new Map(brokers.map((broker) => [broker.nodeId, broker]));
  const wanted = topicMetadata.filter(({ topic, isInternal = false }) =>
    "names" in topics ? names.includes(topic) : topic.startsWith(topics.prefix) && !isInternal,
  );
  for (const name of names)
    if (!wanted.some(({ topic }) => topic === name)) throw badAnswer(`the answer has no topic ${name}`);
  const partitions = wanted.flatMap(({ topic, partitionMetadata }) =>
    partitionMetadata
      .filter(({ partitionId }) => isWanted(partitionId, query))
      .map(({ partitionId, leader }) => {
        const broker = leaders.get(leader);
        if (broker === undefined) throw badAnswer(`partition ${topic}-${partitionId} has no leader now`);
        return { topic, partition: partitionId, leader: peerAt(query, broker) };
      }),
  );
  if (wanted.length === 0) throw badParameter("topicPrefix", "a prefix of a topic's name", shown(query.topics));
  if (partitions.length === 0) throw badParameter("partitions", "partitions that the topics have", undefined);
  if (partitions.length > mostPartitions)
    throw badAnswer(`expected at most ${mostPartitions} partitions, got ${partitions.length}`);
  return partitions;
}

function isWanted(partition: number, { partitions }: KafkaQuery): boolean {
  return partitions === undefined || partitions.some(([first, last]) => first <= partition && partition <= last);
}

export async function offsetsAt(
  timestamp: number,
  partitions: readonly Partition[],
  withConnection: WithConnection<KafkaSession>,
): Promise<Offsets> {
  const leaders = new Map<string, Partition[]>();
  for (const one of partitions) {
    const name = `${one.leader.host}:${one.leader.port}`;
    leaders.set(name, [...(leaders.get(name) ?? []), one]);
  }
  const found = await Promise.all(
    [...leaders.values()].map(async (led) => {
      const [{ leader } = { leader: undefined }] = led;
      if (leader === undefined) return [];
      const topics = byTopic(led, (partition) => ({ partition, timestamp }));
      const { responses } = await withConnection(leader, (session) =>
        // Counts messages of open transactions, like kafka-consumer-groups.
        session.call((broker) => broker.listOffsets({ replicaId: -1, isolationLevel: 0, topics })),
      );
      return [...offsetsIn(responses, led)];
    }),
  );
  return new Map(found.flat());
}

function byTopic<Of>(partitions: readonly Partition[], read: (partition: number) => Of) {
  const topics = new Map<string, Of[]>();
  for (const { topic, partition } of partitions) {
    const known = topics.get(topic) ?? [];
    known.push(read(partition));
    topics.set(topic, known);
  }
  return [...topics].map(([topic, all]) => ({ topic, partitions: all }));
}

function topicsIn(found: readonly TopicOffsets[]): readonly string[] {
  return found.flatMap(({ topic, partitions }) => (partitions.some(isCommitted) ? [topic] : []));
}

function isCommitted({ offset }: PartitionOffset): boolean {
  return offset !== "-1";
}

/** @throws Fault "badAnswer" if a requested partition is missing. */
function offsetsIn(found: readonly TopicOffsets[], requested: readonly Partition[]): Offsets {
  const offsets = new Map(
    found.flatMap(({ topic, partitions }) => partitions.map((one) => [partitionName({ topic, ...one }), one] as const)),
  );
  return new Map(
    requested.flatMap((one) => {
      const name = partitionName(one);
      const given = offsets.get(name);
      if (given === undefined || !/^(-1|\d+)$/.test(given.offset))
        throw badAnswer(`expected an offset of ${name}, got ${shown(given?.offset)}`);
      return isCommitted(given) ? [[name, BigInt(given.offset)] as const] : [];
    }),
  );
}

export function partitionName({ topic, partition }: { readonly topic: string; readonly partition: number }): string {
  return `${topic}-${partition}`;
}
