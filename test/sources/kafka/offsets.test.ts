import type Broker from "kafkajs/src/broker";
import type { PartitionOffset } from "kafkajs/src/broker";
import { Fault } from "../../../lib/model/fault";
import { type KafkaQuery, parseKafkaQuery } from "../../../lib/sources/kafka/kafka-query";
import type { KafkaSession } from "../../../lib/sources/kafka/kafka-session";
import { findGroup, latest, offsetsAt, partitionsOf } from "../../../lib/sources/kafka/offsets";
import type { Peer } from "../../../lib/sources/network/peer";
import type { WithConnection } from "../../../lib/sources/network/tcp-client";

const msk = "b-1.shop.a1.c2.kafka.eu-west-1.amazonaws.com";
const parameters = { address: "kafka:9092", group: "invoices", lagThreshold: 5 };
const query = (more: object = {}): KafkaQuery =>
  parseKafkaQuery({ metricName: "jobs", parameters: { ...parameters, ...more } });

/** Brokers that answer as this one. Shows who was asked. */
function brokers(broker: Partial<Broker>) {
  const asked: Peer[] = [];
  const withConnection: WithConnection<KafkaSession> = (peer, work) => {
    asked.push(peer);
    const session = { call: (send: (broker: Broker) => unknown) => send(broker as Broker) };
    return work(session as KafkaSession, new AbortController().signal);
  };
  return { asked, withConnection };
}

const metadata = (topics: readonly object[], host = "k1") => ({
  metadata: () => Promise.resolve({ brokers: [{ nodeId: 1, host, port: 9094 }], topicMetadata: topics } as never),
});
const one = { topic: "orders", partitionMetadata: [{ partitionId: 0, leader: 1 }] };
const orders = [{ topic: "orders", partition: 0, leader: { host: "k1", port: 9094 } }];

describe("the partitions of topics", () => {
  const read = (topics: readonly object[], of: Parameters<typeof partitionsOf>[1], host?: string) =>
    partitionsOf(query(), of, brokers(metadata(topics, host)).withConnection);

  test("are led by brokers, and one of Amazon MSK keeps the role that logs in", async () => {
    expect(await read([one], { names: ["orders"] })).toEqual(orders);
    const { asked, withConnection } = brokers(metadata([one], msk));
    const own = query({ awsIam: true, address: `${msk}:9098` });
    const leader = { host: msk, port: 9094, role: "aws-iam" };
    expect(await partitionsOf(own, { names: ["orders"] }, withConnection)).toEqual([{ ...orders[0], leader }]);
    expect(asked).toEqual([{ host: msk, port: 9098, role: "aws-iam" }]);
  });

  test("of a prefix are those of topics that are not Kafka's own", async () => {
    const internal = { ...one, topic: "orders-internal", isInternal: true };
    const other = { ...one, topic: "mail" };
    expect(await read([internal, other, one], { prefix: "orders" })).toEqual(orders);
  });

  test("a topic that was not asked for does not count", async () => {
    expect(await read([{ ...one, topic: "mail" }, one], { names: ["orders"] })).toEqual(orders);
  });

  test.each<[string, readonly object[], Parameters<typeof partitionsOf>[1], string, string | undefined]>([
    ["no topic", [], { names: ["orders"] }, "the answer has no topic orders", undefined],
    ["no broker's address", [one], { prefix: "o" }, 'expected a broker\'s address, got "k 1:9094"', "k 1"],
    ["no host", [one], { prefix: "o" }, 'expected a broker\'s address, got ":9094"', ""],
    [
      "a long host",
      [one],
      { prefix: "o" },
      `expected a broker's address, got "${"k".repeat(60)}`.slice(0, 60),
      "k".repeat(254),
    ],
  ])("%s is an error", async (...[, topics, of, message, host]) => {
    await expect(read(topics, of, host)).rejects.toMatchObject({
      ...{ kind: "badAnswer", message: expect.stringContaining(message) as string },
    });
  });

  test.each([0, 65_536])("a broker at port %i is an error", async (port) => {
    const { withConnection } = brokers({
      metadata: () => Promise.resolve({ brokers: [{ nodeId: 1, host: "k", port }], topicMetadata: [one] }),
    });
    await expect(partitionsOf(query(), { prefix: "o" }, withConnection)).rejects.toThrow(
      `expected a broker's address, got "k:${port}"`,
    );
  });

  test.each([1, 65_535])("a broker may be at port %i", async (port) => {
    const { withConnection } = brokers({
      metadata: () => Promise.resolve({ brokers: [{ nodeId: 1, host: "k", port }], topicMetadata: [one] }),
    });
    expect(await partitionsOf(query(), { prefix: "o" }, withConnection)).toMatchObject([{ leader: { port } }]);
  });
});

describe("the first address that answers", () => {
  const asking = async (faults: readonly Fault[]) => {
    const asked: string[] = [];
    const withConnection: WithConnection<KafkaSession> = (peer) => {
      asked.push(peer.host);
      return Promise.reject(faults[asked.length - 1] ?? new Error("no fault"));
    };
    const two = query({ address: "a:1,b:2" });
    const error = await findGroup(two, withConnection).catch((thrown: unknown) => thrown);
    return { asked, error };
  };
  const gone = new Fault("unreachable", "gone");
  const refused = new Fault("unauthorized", "refused");

  test("is asked, and the first failure is the one that counts", async () => {
    expect(await asking([gone, new Fault("unreachable", "gone, too")])).toEqual({ asked: ["a", "b"], error: gone });
  });

  test("ends the search, even if it refuses", async () => {
    expect(await asking([refused])).toEqual({ asked: ["a"], error: refused });
  });
});

describe("a group", () => {
  const group = (responses: readonly object[], asked: unknown[] = []) =>
    findGroup(
      query(),
      brokers({
        findGroupCoordinator: (of) => (asked.push(of), Promise.resolve({ coordinator: { host: "k2", port: 1 } })),
        offsetFetch: (of) => (asked.push(of), Promise.resolve({ responses } as never)),
      }).withConnection,
    );
  const committed = (...partitions: readonly PartitionOffset[]) => [{ topic: "orders", partitions }];

  test("has the topics of which a partition has a commit", async () => {
    const asked: unknown[] = [];
    const responses = [
      ...committed({ partition: 0, offset: "-1" }, { partition: 1, offset: "0" }),
      { topic: "mail", partitions: [{ partition: 0, offset: "-1" }] },
    ];
    expect(await (await group(responses, asked)).topics()).toEqual(["orders"]);
    expect(asked).toEqual([
      { groupId: "invoices", coordinatorType: 0 },
      { groupId: "invoices", topics: [] },
    ]);
  });

  test("has no offset of a partition without a commit", async () => {
    const of = await group(committed({ partition: 0, offset: "-1" }));
    expect(await of.committed(orders)).toEqual(new Map());
  });

  test.each([
    ["none", [], "nothing"],
    ["another partition's", committed({ partition: 1, offset: "5" }), "nothing"],
    ["one below every log", committed({ partition: 0, offset: "-2" }), '"-2"'],
    ["one that begins with text", committed({ partition: 0, offset: "x5" }), '"x5"'],
    ["one that ends with text", committed({ partition: 0, offset: "5x" }), '"5x"'],
  ])("whose answer has %s is an error, never a lag of 0", async (_what, responses, shown) => {
    await expect((await group(responses)).committed(orders)).rejects.toMatchObject({
      ...{ kind: "badAnswer", message: `expected an offset of orders-0, got ${shown}` },
    });
  });
});

test("each leader is asked once, for its own partitions", async () => {
  const asked: unknown[] = [];
  const { asked: peers, withConnection } = brokers({
    listOffsets: (of) => {
      asked.push(of);
      const answer = of.topics.map(({ topic, partitions }) => ({
        topic,
        partitions: partitions.map(({ partition }) => ({ partition, offset: String(partition + 10) })),
      }));
      return Promise.resolve({ responses: answer });
    },
  });
  const led = (topic: string, partition: number, host: string) => ({ topic, partition, leader: { host, port: 1 } });
  const partitions = [led("a", 0, "k1"), led("a", 1, "k1"), led("b", 2, "k1"), led("a", 3, "k2")];
  expect([...(await offsetsAt(latest, partitions, withConnection))]).toEqual([
    ...[
      ["a-0", 10n],
      ["a-1", 11n],
      ["b-2", 12n],
      ["a-3", 13n],
    ],
  ]);
  expect(peers.map(({ host }) => host)).toEqual(["k1", "k2"]);
  const [timestamp, common] = [-1, { replicaId: -1, isolationLevel: 0 }];
  expect(asked).toEqual([
    {
      ...common,
      topics: [
        {
          topic: "a",
          partitions: [
            { partition: 0, timestamp },
            { partition: 1, timestamp },
          ],
        },
        { topic: "b", partitions: [{ partition: 2, timestamp }] },
      ],
    },
    { ...common, topics: [{ topic: "a", partitions: [{ partition: 3, timestamp }] }] },
  ]);
});
