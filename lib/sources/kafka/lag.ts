import type { PartitionOffset, TopicOffsets } from "kafkajs/src/broker";
import { shown } from "../../model/check/problem";
import { Fault, isFault } from "../../model/fault";
import type { EpochMs } from "../../k8s/time";
import type { Places } from "../../model/state";
import { badParameter } from "../parameters";
import type { Peer } from "../network/peer";
import type { Lend } from "../network/tcp-client";
import type { OffsetResetPolicy } from "./fields";
import type { KafkaQuery, Topics } from "./kafka-query";
import type { KafkaSession } from "./kafka-session";

/** A partition, and the broker that leads it. */
interface Partition {
  readonly topic: string;
  readonly partition: number;
  readonly leader: Peer;
}

type Offsets = ReadonlyMap<string, bigint>;

const mostPartitions = 10_000;
const latest = -1;
const earliest = -2;

export interface Lag {
  readonly lag: number;
  /** Where each partition with lag is, if that matters to the next reading. */
  readonly places?: Places;
}

interface Before {
  readonly places: Places;
  readonly now: EpochMs;
}

/** What the group has still to do, over all partitions. Rejects with a Fault, or with a KafkaRefusal. */
export async function readLag(query: KafkaQuery, lend: Lend<KafkaSession>, before: Before): Promise<Lag> {
  const { group, policy } = query;
  const coordinator = await atBootstrap(query, lend, async (session) => {
    const { coordinator: found } = await session.call((broker) =>
      broker.findGroupCoordinator({ groupId: group, coordinatorType: 0 }),
    );
    return peerAt(query, found);
  });
  const committedOf = (partitions: readonly Partition[]) =>
    lend(coordinator, (session) =>
      session.call((broker) =>
        broker.offsetFetch({ groupId: group, topics: byTopic(partitions, (partition) => ({ partition })) }),
      ),
    );
  const topics = query.topics === "committed" ? { names: topicsIn((await committedOf([])).responses) } : query.topics;
  const partitions = await partitionsOf(query, topics, lend);
  // The commits first: a commit between both reads could make the group be ahead of the log.
  const committed = offsetsIn((await committedOf(partitions)).responses, partitions);
  const ends = await offsetsAt(latest, partitions, lend);
  // Where the log begins matters only where there is something to do.
  const behind = partitions.filter((one) => committed.get(nameOf(one)) !== ends.get(nameOf(one)));
  const starts = await offsetsAt(earliest, behind, lend);
  const lags = behind.map((one) => {
    const [at, start = 0n, end = 0n] = [committed, starts, ends].map((offsets) => offsets.get(nameOf(one)));
    const name = nameOf(one);
    return { name, committed: at, lag: lagOf({ name, committed: at, start, end, policy }) };
  });
  const { cap, persistent } = query;
  if (persistent === undefined) return { lag: capped(sumOf(lags), cap, { lags, partitions }) };
  const places = placesOf(lags, before);
  const standsFor = ({ name }: PartitionLag) => before.now - (places[name]?.since ?? before.now);
  const moving = lags.filter((one) => standsFor(one) < persistent.afterMs);
  const ofOneReplica = Math.min(sumOf(lags), persistent.most);
  return { lag: Math.max(capped(sumOf(moving), cap, { lags: moving, partitions }), ofOneReplica), places };
}

interface PartitionLag {
  readonly name: string;
  readonly committed: bigint | undefined;
  readonly lag: number;
}

function sumOf(lags: readonly PartitionLag[]): number {
  return lags.reduce((sum, { lag }) => sum + lag, 0);
}

/** No replica is without a partition. */
function capped(
  lag: number,
  cap: KafkaQuery["cap"],
  { lags, partitions }: { readonly lags: readonly PartitionLag[]; readonly partitions: readonly Partition[] },
): number {
  if (cap === undefined) return lag;
  const consumers = cap.onlyWithLag ? lags.filter((each) => each.lag > 0).length : partitions.length;
  return Math.min(lag, consumers * cap.lagThreshold);
}

/** A state keeps them: 500 are 30 KB. The lag of other partitions always counts. */
const mostPlaces = 500;

/** A partition has a place while it has lag, so its time begins with its first message. */
function placesOf(lags: readonly PartitionLag[], { places, now }: Before): Places {
  const standing = lags.flatMap(({ name, committed, lag }) => {
    if (committed === undefined || lag === 0) return [];
    const [at, before] = [String(committed), Object.hasOwn(places, name) ? places[name] : undefined];
    return [[name, { at, since: before?.at === at ? Math.min(before.since, now) : now }] as const];
  });
  return Object.fromEntries(standing.slice(0, mostPlaces));
}

/**
 * How many messages a consumer of the group gets from this partition. One that has committed nothing, or an offset that
 * the log does not have (any more), begins where its policy says.
 */
export function lagOf({
  name,
  committed,
  start,
  end,
  policy,
}: {
  readonly name: string;
  readonly committed: bigint | undefined;
  readonly start: bigint;
  readonly end: bigint;
  readonly policy: OffsetResetPolicy;
}): number {
  if (committed !== undefined && committed >= start && committed <= end) return Number(end - committed);
  if (policy === "none")
    throw new Fault("badAnswer", `the group has no valid offset of ${name}; set offsetResetPolicy if it needs none`);
  return policy === "earliest" && end > start ? Number(end - start) : 0;
}

/** The first of the addresses that answers. */
async function atBootstrap<T>(
  { server, role }: KafkaQuery,
  lend: Lend<KafkaSession>,
  work: (session: KafkaSession) => Promise<T>,
): Promise<T> {
  let failure: unknown;
  for (const peer of server.peers) {
    try {
      return await lend(withRole(peer, role), work);
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
    throw new Fault("badAnswer", `expected a broker's address, got ${shown(`${host}:${port}`)}`);
  return withRole({ host, port }, role);
}

async function partitionsOf(
  query: KafkaQuery,
  topics: Exclude<Topics, "committed">,
  lend: Lend<KafkaSession>,
): Promise<readonly Partition[]> {
  const names = "names" in topics ? topics.names : [];
  if ("names" in topics && names.length === 0)
    throw new Fault("badAnswer", "the group has committed no offsets; set topics if that means no lag");
  // Without names, the broker lists all topics.
  const { brokers, topicMetadata } = await atBootstrap(query, lend, (session) =>
    session.call((broker) => broker.metadata(names)),
  );
  const leaders = new Map(brokers.map((broker) => [broker.nodeId, broker]));
  const wanted = topicMetadata.filter(({ topic, isInternal = false }) =>
    "names" in topics ? names.includes(topic) : topic.startsWith(topics.prefix) && !isInternal,
  );
  for (const name of names)
    if (!wanted.some(({ topic }) => topic === name)) throw new Fault("badAnswer", `the answer has no topic ${name}`);
  const partitions = wanted.flatMap(({ topic, partitionMetadata }) =>
    partitionMetadata
      .filter(({ partitionId }) => isWanted(partitionId, query))
      .map(({ partitionId, leader }) => {
        const broker = leaders.get(leader);
        if (broker === undefined) throw new Fault("badAnswer", `partition ${topic}-${partitionId} has no leader now`);
        return { topic, partition: partitionId, leader: peerAt(query, broker) };
      }),
  );
  if (wanted.length === 0) throw badParameter("topicPrefix", "a prefix of a topic's name", shown(query.topics));
  if (partitions.length === 0) throw badParameter("partitions", "partitions that the topics have", undefined);
  if (partitions.length > mostPartitions)
    throw new Fault("badAnswer", `expected at most ${mostPartitions} partitions, got ${partitions.length}`);
  return partitions;
}

function isWanted(partition: number, { partitions }: KafkaQuery): boolean {
  return partitions === undefined || partitions.some(([first, last]) => first <= partition && partition <= last);
}

/** One call to each broker. */
async function offsetsAt(
  timestamp: number,
  partitions: readonly Partition[],
  lend: Lend<KafkaSession>,
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
      const { responses } = await lend(leader, (session) =>
        // As kafka-consumer-groups: messages of transactions that are open count, too.
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

/** Of every partition that was asked for; without those that have none. Throws a Fault "badAnswer". */
function offsetsIn(found: readonly TopicOffsets[], asked: readonly Partition[]): Offsets {
  const offsets = new Map(
    found.flatMap(({ topic, partitions }) => partitions.map((one) => [nameOf({ topic, ...one }), one] as const)),
  );
  return new Map(
    asked.flatMap((one) => {
      const name = nameOf(one);
      const given = offsets.get(name);
      if (given === undefined || !/^(-1|\d+)$/.test(given.offset))
        throw new Fault("badAnswer", `expected an offset of ${name}, got ${shown(given?.offset)}`);
      return isCommitted(given) ? [[name, BigInt(given.offset)] as const] : [];
    }),
  );
}

function nameOf({ topic, partition }: { readonly topic: string; readonly partition: number }): string {
  return `${topic}-${partition}`;
}
