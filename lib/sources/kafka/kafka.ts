import { once } from "../../async/shared";
import { Fault, type FaultKind, isFault } from "../../model/fault";
import type { MetricSource } from "../../model/ports/sources";
import type { CommittedOffsets } from "../../model/stored/state";
import { badAnswer, asReading } from "../network/as-reading";
import { peerText } from "../network/peer";
import type { SourceNetwork } from "../network/network";
import { openTcpClient, type WithConnection } from "../network/tcp-client";
import { quantityOf } from "../parameters";
import { parseKafkaQuery, type OffsetResetPolicy, type KafkaQuery } from "./kafka-query";
import { KafkaRefusal, kafkaProtocol, type KafkaSession } from "./kafka-session";
import type { EpochMs } from "../../k8s/time";
import { earliest, findGroup, latest, partitionName, offsetsAt, type Partition, partitionsOf } from "./offsets";

interface Lag {
  readonly lag: number;
  readonly committedOffsets?: CommittedOffsets;
}

interface Before {
  readonly committedOffsets: CommittedOffsets;
  readonly now: EpochMs;
}

interface PartitionLag {
  readonly name: string;
  readonly committed: bigint | undefined;
  readonly lag: number;
}

/** 500 in each state take 30 KB. The lag of other partitions always counts. */
const mostOffsets = 500;

export function openKafkaSource(network: SourceNetwork): MetricSource {
  const connect = openTcpClient(kafkaProtocol(network), network);

  return {
    keepMs: () => 0,
    open(context) {
      const lags = once<Lag>();
      return {
        async read(query) {
          let committedOffsets: CommittedOffsets | undefined;
          const reading = await asReading("kafka", query, context, async () => {
            const parsed = parseKafkaQuery(query, network.addresses);
            const { server, description } = parsed;
            const failureKey = JSON.stringify(parsed);
            const before = { committedOffsets: query.committedOffsets ?? {}, now: context.now };
            const found = await lags(failureKey, () =>
              connect(context, server, { description, failureKey, priority: query.priority }, (withConnection) =>
                readLag(parsed, naming(withConnection), before).catch((error: unknown) => {
                  throw error instanceof KafkaRefusal ? faultOf(error) : error;
                }),
              ),
            );
            ({ committedOffsets } = found);
            return [{ value: quantityOf(found.lag), labels: {} }];
          });
          return committedOffsets === undefined ? reading : { ...reading, committedOffsets };
        },
      };
    },
  };
}

const meanings: Readonly<Record<string, readonly [FaultKind, string]>> = {
  UNKNOWN_TOPIC_OR_PARTITION: ["notFound", "there is no such topic"],
  TOPIC_AUTHORIZATION_FAILED: ["forbidden", "the user may not describe the topic"],
  GROUP_AUTHORIZATION_FAILED: ["forbidden", "the user may not describe the group"],
  CLUSTER_AUTHORIZATION_FAILED: ["forbidden", "the user may not do that"],
  NOT_LEADER_FOR_PARTITION: ["badAnswer", "the leader of a partition is moving"],
  LEADER_NOT_AVAILABLE: ["badAnswer", "the leader of a partition is moving"],
  GROUP_COORDINATOR_NOT_AVAILABLE: ["badAnswer", "the group's coordinator is moving"],
  NOT_COORDINATOR_FOR_GROUP: ["badAnswer", "the group's coordinator is moving"],
  GROUP_LOAD_IN_PROGRESS: ["badAnswer", "the group's coordinator is moving"],
  REBALANCE_IN_PROGRESS: ["badAnswer", "the group is rebalancing"],
};

function faultOf({ type }: KafkaRefusal): Fault {
  const [kind, meaning] = meanings[type] ?? ["badAnswer", "the broker refused"];
  return new Fault(kind, `${meaning} (${type})`);
}

/** The brokers name each other, so a fault says at which one it was. */
function naming(withConnection: WithConnection<KafkaSession>): WithConnection<KafkaSession> {
  return (peer, work) =>
    withConnection(peer, work).catch((error: unknown) => {
      if (!isFault(error, "unreachable") || error.message.includes(peerText(peer))) throw error;
      throw new Fault("unreachable", `${peerText(peer)}: ${error.message}`, {
        cause: error,
        lack: error.lack,
        part: error.part,
      });
    });
}

/** Rejects with a Fault or a KafkaRefusal. */
async function readLag(query: KafkaQuery, withConnection: WithConnection<KafkaSession>, before: Before): Promise<Lag> {
  const { policy, uncommittedLag } = query;
  const group = await findGroup(query, withConnection);
  const topics = query.topics === "committed" ? { names: await group.topics() } : query.topics;
  const partitions = await partitionsOf(query, topics, withConnection);
  // In the other order, a commit between both reads could put the group ahead of the log.
  const committed = await group.committed(partitions);
  const ends = await offsetsAt(latest, partitions, withConnection);
  const behind = partitions.filter((one) => committed.get(partitionName(one)) !== ends.get(partitionName(one)));
  const starts = await offsetsAt(earliest, behind, withConnection);
  const lags = behind.map((one) => {
    const [at, start = 0n, end = 0n] = [committed, starts, ends].map((offsets) => offsets.get(partitionName(one)));
    const name = partitionName(one);
    return { name, committed: at, lag: lagOf({ name, committed: at, start, end, policy, uncommittedLag }) };
  });
  const { cap, persistent } = query;
  if (persistent === undefined) return { lag: capped(sumOf(lags), cap, { lags, partitions }) };
  const committedOffsets = waitingOffsets(lags, before);
  const standsFor = ({ name }: PartitionLag) => before.now - (committedOffsets[name]?.since ?? before.now);
  const moving = lags.filter((one) => standsFor(one) < persistent.afterMs);
  const ofOneReplica = Math.min(sumOf(lags), persistent.most);
  return { lag: Math.max(capped(sumOf(moving), cap, { lags: moving, partitions }), ofOneReplica), committedOffsets };
}

function sumOf(lags: readonly PartitionLag[]): number {
  return lags.reduce((sum, { lag }) => sum + lag, 0);
}

function capped(
  lag: number,
  cap: KafkaQuery["cap"],
  { lags, partitions }: { readonly lags: readonly PartitionLag[]; readonly partitions: readonly Partition[] },
): number {
  if (cap === undefined) return lag;
  const consumers = cap.onlyWithLag ? lags.filter((each) => each.lag > 0).length : partitions.length;
  return Math.min(lag, consumers * cap.lagThreshold);
}

/** Only those with lag, so a partition's time begins with its first message. */
function waitingOffsets(lags: readonly PartitionLag[], { committedOffsets, now }: Before): CommittedOffsets {
  const standing = lags.flatMap(({ name, committed, lag }) => {
    if (committed === undefined || lag === 0) return [];
    const [at, before] = [
      String(committed),
      Object.hasOwn(committedOffsets, name) ? committedOffsets[name] : undefined,
    ];
    return [[name, { at, since: before?.at === at ? Math.min(before.since, now) : now }] as const];
  });
  return Object.fromEntries(standing.slice(0, mostOffsets));
}

/** Without a commit that the log still has, consumers begin where the offset reset policy says. */
export function lagOf({
  name,
  committed,
  start,
  end,
  policy,
  uncommittedLag,
}: {
  readonly name: string;
  readonly committed: bigint | undefined;
  readonly start: bigint;
  readonly end: bigint;
  readonly policy: OffsetResetPolicy;
  readonly uncommittedLag?: number | undefined;
}): number {
  if (committed === undefined && uncommittedLag !== undefined) return uncommittedLag;
  if (committed !== undefined && committed >= start && committed <= end) return Number(end - committed);
  if (policy === "none")
    throw badAnswer(`the group has no valid offset of ${name}; set offsetResetPolicy if it needs none`);
  return policy === "earliest" && end > start ? Number(end - start) : 0;
}
