import { openKafkaSource } from "../../lib/sources/kafka/kafka";
import { base64, makeCertificates } from "../cluster/certificates";
import { networkWith, sourceContract } from "../sources/contract/contract";
import { imported } from "../sources/imported";
import { contextOf } from "../sources/read-context";
import { eventually } from "./servers/eventually";
import type { CommittedOffsets } from "../../lib/model/stored/state";
import { type Kafka, startKafka } from "./servers/kafka";
import { startScaledConsumer } from "./servers/scaled-consumer";

/** The source against a real Kafka: what of the contract is possible there, and readings beside its own tool's. */
let kafka: Kafka;
let otherCa: string;
const secrets = new Map<string, string>();
const secretName = "ebb/prod/kafka";

const secretOf = (credential: object) =>
  JSON.stringify({
    endpoint: `kafkas://${kafka.address}`,
    certificateAuthorityData: kafka.certificateAuthorityData,
    mechanism: "SCRAM-SHA-512",
    ...credential,
  });

const createTopic = (topic: string) => kafka.tool("TopicCommand", ["--create", "--topic", topic, "--partitions", "3"]);

const produce = (topic: string, count: number) => {
  const lines = Array.from({ length: count }, (_, at) => `key-${at}:work ${at}\n`).join("");
  const properties = ["--property", "parse.key=true", "--property", "key.separator=:"];
  return kafka.tool("ConsoleProducer", ["--topic", topic, ...properties], lines);
};

/** Takes that many messages as a member of the group, commits them, and leaves. */
const consume = (topic: string, group: string, count: number) =>
  kafka.tool("consumer.ConsoleConsumer", [
    ...["--topic", topic, "--group", group, "--from-beginning", "--max-messages", String(count)],
    ...["--timeout-ms", "30000"],
  ]);

beforeAll(async () => {
  kafka = await startKafka();
  otherCa = base64((await makeCertificates()).ca);
  secrets.set(secretName, secretOf(kafka.user));
  await createTopic("orders");
  await produce("orders", 30);
  await consume("orders", "invoices", 12);
}, 120_000);

afterAll(() => kafka?.stop());

const parameters = (more: Readonly<Record<string, unknown>> = {}) => ({
  address: kafka.address,
  certificateAuthorityData: kafka.certificateAuthorityData,
  secret: secretName,
  group: "invoices",
  topics: "orders",
  allowIdleConsumers: true,
  ...more,
});

async function read(more: Readonly<Record<string, unknown>>): Promise<string> {
  const source = openKafkaSource(networkWith(secrets)).open(contextOf());
  const reading = await source.read({ metricName: "jobs", parameters: parameters(more) });
  return "items" in reading ? reading.items.map(({ value }) => value).join() : reading.error;
}

describe("the contract", () => {
  // A case may leave a wrong password behind.
  afterAll(() => void secrets.set(secretName, secretOf(kafka.user)));

  const onlyDouble = { notApplicable: "a healthy broker does not answer so: the double does" };
  sourceContract({
    open: openKafkaSource,
    secrets,
    cases: {
      found: () => ({
        parameters: parameters(),
        expected: { values: ["18"] },
        async hangUp() {
          await kafka.restart();
          await eventually("the broker serves the group again", async () =>
            expect(await listedLag("invoices")).toBe(18),
          );
        },
      }),
      many: () => ({ parameters: parameters({ topics: undefined, topicPrefix: "ord" }), expected: { values: ["18"] } }),
      missing: () => ({
        parameters: parameters({ topics: "none" }),
        expected: { error: /there is no such topic \(UNKNOWN_TOPIC_OR_PARTITION\)/ },
      }),
      empty: () => ({
        parameters: parameters({ topics: undefined, group: "nobody" }),
        expected: { error: /the group has committed no offsets/ },
      }),
      hostile: () => ({
        parameters: parameters({ group: "invoices\r\n'\"; ü" }),
        expected: { values: ["0"] },
      }),
      refused: () => ({
        parameters: parameters({ address: "127.0.0.1:1", secret: undefined }),
        expected: { error: /connection refused/ },
      }),
      authFailure: () => ({
        parameters: parameters(),
        expected: { error: /does not accept the credential/ },
        before: () => void secrets.set(secretName, secretOf({ ...kafka.user, password: "wr0ng-0n3" })),
        after: () => void secrets.set(secretName, secretOf(kafka.user)),
      }),
      wrongCa: () => ({
        parameters: parameters({ certificateAuthorityData: otherCa, secret: undefined }),
        expected: { error: /not signed by a trusted CA/ },
      }),
      wrongHost: () => ({
        parameters: parameters({ tlsServerName: "kafka.example.com", secret: undefined }),
        expected: { error: /its certificate is for another name/ },
      }),
      rotated: { notApplicable: "the double refuses the old password first" },
      malformed: onlyDouble,
      slow: onlyDouble,
      huge: onlyDouble,
      dropped: onlyDouble,
    },
  });
});

/** As the tool lists it: GROUP TOPIC PARTITION CURRENT-OFFSET LOG-END-OFFSET LAG … */
async function listedLag(group: string): Promise<number> {
  const listed = await kafka.tool("consumer.group.ConsumerGroupCommand", ["--describe", "--group", group]);
  const rows = listed.split("\n").filter((line) => line.startsWith(`${group} `));
  return rows.reduce((sum, row) => sum + Number(row.split(/\s+/)[5]), 0);
}

test("the lag is the one that kafka-consumer-groups lists, before and after more messages", async () => {
  expect(await read({})).toBe(String(await listedLag("invoices")));
  await produce("orders", 7);
  expect(await read({})).toBe("25");
  expect(await listedLag("invoices")).toBe(25);
  expect(await read({ topics: undefined })).toBe("25");
  // A trigger of KEDA, imported.
  const metadata = { bootstrapServers: kafka.address, consumerGroup: "invoices", topic: "orders", tls: "enable" };
  expect(await read(imported("kafka", { ...metadata, allowIdleConsumers: "true" }).parameters)).toBe("25");
  expect(await read({ allowIdleConsumers: false, lagThreshold: 2 })).toBe("6");
});

test("a lag that nobody takes asks for no replicas, until somebody takes it", async () => {
  await createTopic("stuck");
  await produce("stuck", 30);
  await consume("stuck", "slow", 3);
  let committedOffsets: CommittedOffsets | undefined;
  const readAt = async (seconds: number) => {
    const source = openKafkaSource(networkWith(secrets)).open(contextOf({ now: seconds * 1000 }));
    const waiting = { allowIdleConsumers: true, lagThreshold: 5, excludePersistentLagAfterSeconds: 60 };
    const reading = await source.read({
      metricName: "jobs",
      parameters: parameters({ topics: "stuck", group: "slow", ...waiting }),
      ...(committedOffsets && { committedOffsets }),
    });
    ({ committedOffsets } = reading);
    return "items" in reading ? reading.items.map(({ value }) => value).join() : reading.error;
  };
  expect(await listedLag("slow")).toBe(27);
  expect(await readAt(0)).toBe("27");
  const standing = Object.values(committedOffsets ?? {}).map(({ at }) => at);
  expect(standing.length).toBeGreaterThan(0);
  expect(await readAt(45)).toBe("27");
  expect(Number(await readAt(60))).toBeLessThan(27);
  await consume("stuck", "slow", 20);
  expect(await listedLag("slow")).toBe(7);
  expect(await readAt(75)).toBe("7");
});

test("a group that has committed nothing begins where its policy says", async () => {
  expect(await read({ group: "new" })).toBe("0");
  expect(await read({ group: "new", offsetResetPolicy: "earliest" })).toBe("37");
  expect(await read({ group: "new", offsetResetPolicy: "none" })).toContain("the group has no valid offset of orders-");
});

test("reading creates no topic", async () => {
  expect(await read({ topics: "made-by-reading" })).toContain("there is no such topic");
  expect(await kafka.tool("TopicCommand", ["--list"])).not.toContain("made-by-reading");
});

test("a consumer goes to zero, to as many as its messages ask for, and back to zero", async () => {
  await createTopic("work");
  const { address, certificateAuthorityData } = kafka;
  const scaled = await startScaledConsumer({
    kind: "kafka",
    parameters: {
      ...{ address, certificateAuthorityData, secret: secretName, group: "workers" },
      ...{ offsetResetPolicy: "earliest", lagThreshold: 5 },
    },
    labels: { topics: "work" },
    perReplica: "5",
    secrets,
  });
  try {
    await scaled.untilReplicas(0);
    await produce("work", 12);
    await scaled.untilReplicas(3);
    await consume("work", "workers", 12);
    await scaled.untilReplicas(0);
  } finally {
    await scaled.stop();
  }
}, 120_000);

test("a consumer that cannot take its messages keeps one replica, until somebody takes them", async () => {
  await createTopic("poison");
  const { address, certificateAuthorityData } = kafka;
  const scaled = await startScaledConsumer({
    kind: "kafka",
    parameters: {
      ...{ address, certificateAuthorityData, secret: secretName, group: "poisoned", topics: "poison" },
      ...{ lagThreshold: 5, excludePersistentLagAfterSeconds: 9 },
    },
    perReplica: "5",
    secrets,
  });
  try {
    await produce("poison", 3);
    await consume("poison", "poisoned", 3);
    await scaled.untilReplicas(0);
    await produce("poison", 12);
    await scaled.untilReplicas(3);
    await scaled.untilReplicas(1);
    await consume("poison", "poisoned", 12);
    await scaled.untilReplicas(0);
  } finally {
    await scaled.stop();
  }
}, 120_000);
