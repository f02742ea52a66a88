import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { onThisMachine } from "../../../lib/net/address";
import { openKafkaSource, lagOf } from "../../../lib/sources/kafka/kafka";
import { kafkaProtocol } from "../../../lib/sources/kafka/kafka-session";
import { networkWith } from "../contract/contract";
import { startTcpServers, tcpCases, tcpContract, type TcpServers } from "../contract/tcp-cases";
import { contextOf } from "../read-context";
import type { SourceReading } from "../../../lib/model/ports/sources";
import type { CommittedOffsets } from "../../../lib/model/stored/state";
import type { SourceNetwork } from "../../../lib/sources/network/network";
import { type ReceivedRequest, keys, type Log, serve } from "./broker";

let servers: TcpServers;
const secrets = new Map<string, string>();
beforeAll(async () => {
  servers = await startTcpServers();
  Object.assign(servers, { secrets });
});
afterAll(() => servers.stop());

const portOf = (address: string) => Number(address.split(":").at(-1));

/** The contract's secrets have no mechanism. */
function withMechanism() {
  for (const [name, text] of secrets)
    secrets.set(name, JSON.stringify({ mechanism: "PLAIN", ...(JSON.parse(text) as object) }));
}

describe("the contract", () => {
  const parameters = (address: string) => ({ address, group: "invoices", topics: "orders", lagThreshold: 1000 });
  const behind = (lag: number): Log => ({
    port: portOf(servers.address),
    topics: { orders: [{ start: 0, end: 100 }] },
    committed: { orders: [100 - lag] },
  });
  const trusting = () => ({ ...parameters(servers.address), certificateAuthorityData: servers.ca });
  const serving = (log: () => Log) => () => {
    servers.accept = (socket) => serve(socket, log);
  };
  const instead = (bytes: Buffer) => (socket: Socket) =>
    serve(socket, () => behind(1), { instead: (key) => (key === keys.apis ? undefined : bytes) });
  const cases = tcpCases(() => servers, {
    scheme: "kafkas",
    parameters,
    answering: (value, accepts) => (socket) =>
      serve(socket, () => ({
        ...behind(value),
        ...(accepts && {
          password: accepts.password,
          refused() {
            accepts.refused();
            withMechanism();
          },
        }),
      })),
    answeringWith: (text) => instead(Buffer.from(text)),
    refusal: /does not accept the credential/,
  });
  const secretCase = (name: "authFailure" | "rotated") => () => {
    const given = (cases[name] as () => ReturnType<Extract<typeof cases.found, () => unknown>>)();
    return {
      ...given,
      async before() {
        await given.before?.();
        withMechanism();
      },
    };
  };
  tcpContract({
    open: openKafkaSource,
    secrets,
    cases: {
      ...cases,
      authFailure: secretCase("authFailure"),
      rotated: secretCase("rotated"),
      missing: () => ({
        parameters: { ...trusting(), topics: "none" },
        before: serving(() => behind(1)),
        expected: { error: /there is no such topic \(UNKNOWN_TOPIC_OR_PARTITION\)/ },
      }),
      empty: () => ({
        parameters: { ...trusting(), topics: undefined },
        before: serving(() => ({ ...behind(1), committed: {} })),
        expected: { error: /the group has committed no offsets/ },
      }),
      malformed: () => ({
        parameters: trusting(),
        before() {
          servers.accept = instead(Buffer.from([0, 0, 0, 8, 0, 0, 0, 1, 127, 255, 255, 255]));
        },
        expected: { error: /expected an answer in Kafka's protocol|no answer within 1 s/ },
      }),
      many: () => ({
        parameters: { ...trusting(), topics: "orders,mails" },
        before: serving(() => ({
          ...behind(1),
          topics: {
            orders: [{ start: 0, end: 9 }],
            mails: [
              { start: 0, end: 5 },
              { start: 0, end: 7 },
            ],
          },
          committed: { orders: [3], mails: [5, 1] },
        })),
        expected: { values: ["12"] },
      }),
      hostile: () => ({
        parameters: { ...trusting(), group: "g\0\r\n" },
        before: serving(() => behind(1)),
        expected: { error: /parameter group: expected a consumer group's name/ },
      }),
    },
  });
});

/** The reading of a source by brokers without TLS. */
async function readFrom(
  accept: (socket: Socket, port: number) => void,
  parameters: Readonly<Record<string, unknown>>,
  network = networkWith(secrets),
): Promise<string> {
  const reading = await readingFrom(accept, parameters, { network });
  return "items" in reading ? reading.items.map(({ value }) => value).join() : reading.error;
}

interface Around {
  readonly network?: SourceNetwork;
  readonly now?: number;
  readonly committedOffsets?: CommittedOffsets;
}

async function readingFrom(
  accept: (socket: Socket, port: number) => void,
  parameters: Readonly<Record<string, unknown>>,
  { network = networkWith(secrets), now = Date.now(), committedOffsets = {} }: Around = {},
): Promise<SourceReading> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket.on("error", () => undefined));
    accept(socket, (server.address() as AddressInfo).port);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  const { address = "127.0.0.1:PORT", ...more } = parameters as { readonly address?: string };
  const where = {
    address: address.replace("PORT", String(port)),
    tls: false,
    group: "invoices",
    topics: "orders",
  };
  try {
    const reader = openKafkaSource(network).open(contextOf({ now }));
    return await reader.read({
      metricName: "jobs",
      parameters: { ...where, lagThreshold: 1000, ...more },
      committedOffsets,
    });
  } finally {
    for (const socket of sockets) socket.destroy();
    await new Promise((done) => server.close(done));
  }
}

const read = (
  log: Omit<Log, "port">,
  parameters: Readonly<Record<string, unknown>> = {},
  asked: ReceivedRequest[] = [],
) => readFrom((socket, port) => serve(socket, () => ({ port, ...log }), { asked }), parameters);

const three: Omit<Log, "port"> = {
  topics: {
    orders: [
      { start: 0, end: 50 },
      { start: 10, end: 40 },
      { start: 0, end: 7 },
    ],
    "orders-eu": [{ start: 0, end: 5 }],
  },
  committed: { orders: [20, 40, -1], "orders-eu": [1] },
};

test.each<[Readonly<Record<string, unknown>>, string]>([
  [{}, "30"],
  [{ offsetResetPolicy: "earliest" }, "37"],
  [{ partitions: "0" }, "30"],
  [{ partitions: "1-2,7", offsetResetPolicy: "earliest" }, "7"],
  [{ topics: undefined, topicPrefix: "orders" }, "34"],
  [{ topics: undefined }, "34"],
  [{ topics: "orders-eu, orders,orders" }, "34"],
  [{ lagThreshold: 5 }, "15"],
  [{ lagThreshold: 5, limitToPartitionsWithLag: true }, "5"],
  [{ lagThreshold: 5, allowIdleConsumers: true }, "30"],
  [{ lagThreshold: undefined, allowIdleConsumers: true }, "30"],
])("what counts with %j: %s", async (parameters, expected) => {
  expect(await read(three, parameters)).toBe(expected);
});

const at = (committed: number | undefined, start: number, end: number, policy: "earliest" | "latest") =>
  lagOf({
    name: "t-0",
    committed: committed === undefined ? undefined : BigInt(committed),
    start: BigInt(start),
    end: BigInt(end),
    policy,
  });

test.each([
  ["committed within the log", 30, 10, 50, 20, 20],
  ["nothing committed", undefined, 10, 50, 40, 0],
  ["nothing committed, in an empty log that had messages", undefined, 50, 50, 0, 0],
  ["committed before the log begins, because messages expired", 5, 10, 50, 40, 0],
  ["committed beyond the log's end, because the topic is new", 90, 0, 50, 50, 0],
  ["all done", 50, 10, 50, 0, 0],
] as const)("%s", (...[, committed, start, end, earliest, latest]) => {
  expect(at(committed, start, end, "earliest")).toBe(earliest);
  expect(at(committed, start, end, "latest")).toBe(latest);
});

test("uncommittedLag takes the place of the policy only without a committed offset", () => {
  const place = { name: "t-0", start: 10n, end: 50n, uncommittedLag: 1 };
  for (const policy of ["earliest", "latest", "none"] as const)
    expect(lagOf({ ...place, committed: undefined, policy })).toBe(1);
  expect(lagOf({ ...place, committed: 5n, policy: "earliest" })).toBe(40);
  expect(lagOf({ ...place, committed: undefined, uncommittedLag: 0, policy: "none" })).toBe(0);
});

test("offsets beyond 2^53 keep their differences", () => {
  const [committed, start, end] = [2n ** 62n + 1n, 0n, 2n ** 62n + 4n];
  expect(lagOf({ name: "t-0", committed, start, end, policy: "none" })).toBe(3);
});

test("without a policy, an offset that is not valid is an error", async () => {
  expect(await read(three, { offsetResetPolicy: "none" })).toContain("the group has no valid offset of orders-2");
});

describe("lag that nobody takes", () => {
  const noon = Date.parse("2026-03-01T12:00:00Z");
  type Story = readonly (readonly [seconds: number, log: Omit<Log, "port">, value: string])[];
  const orders = (...partitions: readonly (readonly [committed: number, end: number])[]): Omit<Log, "port"> => ({
    topics: { orders: partitions.map(([, end]) => ({ start: 0, end })) },
    committed: { orders: partitions.map(([committed]) => committed) },
  });

  /** Each reading is one of a new process: it knows the places that the last one left. */
  async function follow(story: Story, parameters: Readonly<Record<string, unknown>> = {}) {
    let committedOffsets: CommittedOffsets | undefined;
    const values: string[] = [];
    for (const [seconds, log] of story) {
      const reading = await readingFrom(
        (socket, port) => serve(socket, () => ({ port, ...log })),
        { lagThreshold: 50, excludePersistentLagAfterSeconds: 30, ...parameters },
        { now: noon + seconds * 1000, ...(committedOffsets && { committedOffsets }) },
      );
      values.push("items" in reading ? String(reading.items[0]?.value) : reading.error);
      committedOffsets = reading.committedOffsets;
    }
    expect(values).toEqual(story.map(([, , value]) => value));
    return committedOffsets;
  }

  test("counts until its time is over, then as the lag of one replica, and again when somebody takes it", async () => {
    await follow([
      [0, orders([0, 80], [0, 60]), "100"], // 140, and two partitions have work for 100
      [15, orders([0, 80], [9, 60]), "100"],
      [30, orders([0, 90], [20, 60]), "50"], // 40 move; the first has stood for 30 s
      [45, orders([0, 90], [30, 130]), "100"],
      [60, orders([0, 90], [130, 130]), "50"],
      [75, orders([85, 90], [130, 130]), "5"],
      [90, orders([90, 90], [130, 130]), "0"],
    ]);
  });

  test("is work as long as there is any, and no more than it is", async () => {
    await follow([
      [0, orders([7, 10]), "3"],
      [600, orders([7, 10]), "3"],
      [6_000, orders([7, 99]), "50"],
    ]);
  });

  test("begins with the first message after a lag of none", async () => {
    const committedOffsets = await follow([
      [0, orders([10, 10]), "0"],
      [600, orders([10, 90]), "50"],
      [615, orders([10, 90]), "50"],
    ]);
    expect(committedOffsets).toEqual({ "orders-0": { at: "10", since: noon + 600_000 } });
    expect(await follow([[0, orders([10, 10]), "0"]])).toEqual({});
  });

  test("does not count for the most replicas, and a cap is not needed", async () => {
    const story = (value: string): Story => [
      [0, orders([0, 900], [0, 900]), value === "900" ? "1800" : "100"],
      [30, orders([0, 900], [1, 901]), value],
    ];
    await follow(story("50"), { limitToPartitionsWithLag: true });
    await follow(story("900"), { allowIdleConsumers: true });
  });

  test("of a partition without a commit is none that stands: its consumers have not begun", async () => {
    const policy = { offsetResetPolicy: "earliest" };
    expect(
      await follow(
        [0, 60].map((at) => [at, orders([-1, 40]), "40"] as const),
        policy,
      ),
    ).toEqual({});
  });

  test("is seen in 500 partitions at most; others always count", async () => {
    const many = orders(...Array.from({ length: 600 }, () => [0, 3] as const));
    const committedOffsets = await follow([
      [0, many, "1800"],
      [60, many, "300"],
    ]);
    expect(Object.keys(committedOffsets ?? {})).toHaveLength(500);
  });

  test("a moment that is ahead of this clock has not passed", async () => {
    const committedOffsets = await follow([
      [600, orders([0, 40], [0, 40]), "80"],
      [0, orders([0, 40], [0, 40]), "80"],
      [30, orders([0, 40], [0, 40]), "50"],
    ]);
    expect(committedOffsets?.["orders-0"]?.since).toBe(noon);
  });

  test("without the parameter, a reading leaves nothing behind", async () => {
    const log = (port: number): Log => ({ port, ...orders([0, 80]) });
    expect(await readingFrom((socket, port) => serve(socket, () => log(port)), {})).not.toHaveProperty(
      "committedOffsets",
    );
  });
});

test.each<[string, Omit<Log, "port">, string]>([
  [
    "a group that rebalances",
    { ...three, errors: { [keys.offsetFetch]: 27 } },
    "the group is rebalancing (REBALANCE_IN_PROGRESS)",
  ],
  [
    "a coordinator that moves",
    { ...three, errors: { [keys.findCoordinator]: 15 } },
    "coordinator is moving (GROUP_COORDINATOR_NOT_AVAILABLE)",
  ],
  [
    "a leader that moves",
    { ...three, errors: { [keys.listOffsets]: 6 } },
    "leader of a partition is moving (NOT_LEADER_FOR_PARTITION)",
  ],
  [
    "a partition without leader",
    { ...three, topics: { orders: [{ start: 0, end: 1, leader: -1 }] } },
    "LEADER_NOT_AVAILABLE",
  ],
  [
    "a leader that nobody knows",
    { ...three, topics: { orders: [{ start: 0, end: 1, leader: 7 }] } },
    "partition orders-0 has no leader now",
  ],
  ["a topic that is gone", { topics: {} }, "there is no such topic (UNKNOWN_TOPIC_OR_PARTITION)"],
  [
    "a group that the user may not see",
    { ...three, errors: { [keys.offsetFetch]: 30 } },
    "the user may not describe the group (GROUP_AUTHORIZATION_FAILED)",
  ],
  ["a broker that refuses to begin", { ...three, errors: { [keys.apis]: 7 } }, "the broker says REQUEST_TIMED_OUT"],
  ["a broker of Kafka 0.10", { ...three, metadataVersion: 3 }, "expected Kafka 0.11 or newer, got an older one"],
  ["another error", { ...three, errors: { [keys.listOffsets]: 2 } }, "the broker refused (CORRUPT_MESSAGE)"],
])("%s is an error with its name", async (_name, log, expected) => {
  const error = await read(log);
  expect(error).toContain('group "invoices" of 127.0.0.1:');
  expect(error).toContain(expected);
});

test("1,000 groups use few connections", async () => {
  servers.accept = (socket) =>
    serve(socket, () => ({
      port: portOf(servers.address),
      topics: { orders: [{ start: 0, end: 100 }] },
      committed: { orders: [95] },
    }));
  const before = servers.connections();
  const reader = openKafkaSource(networkWith()).open(contextOf());
  const { address, ca: certificateAuthorityData } = servers;
  const parameters = { address, certificateAuthorityData, topics: "orders", lagThreshold: 1000, timeoutSeconds: 10 };
  const readings = await Promise.all(
    Array.from({ length: 1_000 }, (_, index) =>
      reader.read({ metricName: "jobs", parameters: { ...parameters, group: `invoices-${index}` } }),
    ),
  );
  const values = readings.map((reading) => ("items" in reading ? reading.items[0]?.value : reading.error));
  expect(new Set(values)).toEqual(new Set(["5"]));
  expect(servers.connections() - before).toBeLessThanOrEqual(20);
});

test("10,000 partitions are read in one request a broker, and more are an error", async () => {
  const partitions = (count: number) => Array.from({ length: count }, () => ({ start: 0, end: 3 }));
  const committed = (count: number) => Array.from({ length: count }, () => 2);
  const asked: ReceivedRequest[] = [];
  const most = { topics: { orders: partitions(10_000) }, committed: { orders: committed(10_000) } };
  expect(await read(most, { timeoutSeconds: 10 }, asked)).toBe("10000");
  expect(asked.filter(({ key }) => key === keys.listOffsets)).toHaveLength(2);
  expect(await read({ topics: { orders: partitions(10_001) } })).toContain("expected at most 10000 partitions");
});

describe("a broker that lies", () => {
  test.each<[string, Buffer]>([
    ["about a negative size", Buffer.from([255, 255, 255, 255])],
    ["about a size without an answer", Buffer.from([0, 0, 0, 0])],
    ["about a size that no answer has", Buffer.from([0, 0, 0, 3, 1, 2, 3])],
    ["about the size of 2 GB", Buffer.from([127, 255, 255, 255])],
    ["about a list of 2^31 items", Buffer.from([0, 0, 0, 10, 0, 0, 0, 0, 0, 0, 127, 255, 255, 255])],
    ["about a list of a negative size", Buffer.from([0, 0, 0, 10, 0, 0, 0, 0, 0, 0, 255, 255, 255, 240])],
  ])("%s ends this reading alone", async (_name, bytes) => {
    const error = await readFrom((socket) => socket.on("data", () => socket.write(bytes)), {});
    expect(error).toMatch(/expected an answer in Kafka's protocol|larger than 2097152 bytes/);
  });

  test.each([
    ["169.254.169.254", "does not connect to a link-local address"],
    ["evil host", "expected a broker's address"],
  ])("about the host of a broker: %s", async (host, expected) => {
    expect(await read({ ...three, host })).toContain(expected);
  });

  test("about a broker at a host that the deployment does not allow", async () => {
    const addresses = { ...onThisMachine, onlyHosts: ["127.0.0.1"] };
    const network = { ...networkWith(), addresses };
    const error = await readFrom(
      (socket, port) => serve(socket, () => ({ ...three, port, host: "evil.example.com" })),
      {},
      network,
    );
    expect(error).toContain("expected a host that the deployment's sourceHosts allows, got evil.example.com");
  });
});

test("a connection leaves no timer behind that keeps the process", async () => {
  const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;
  const before = timers();
  expect(await readFrom((socket, port) => serve(socket, () => ({ port, ...three })), {})).toBe("30");
  expect(timers()).toBe(before);
});

test("a broker of Amazon MSK is asked with a token of the function's role, and not without one", async () => {
  const host = "b-1.shop.a1.c2.kafka.eu-west-1.amazonaws.com";
  const { awsCredentials, now } = networkWith();
  const opening = { tls: {}, credential: undefined, addresses: onThisMachine, signal: new AbortController().signal };
  const protocol = kafkaProtocol({ awsCredentials, now });
  await expect(protocol.open({ ...opening, peer: { host, port: 9098, role: "aws-iam" } })).rejects.toMatchObject({
    ...{ kind: "unauthorized", lack: "credentials" },
    message: expect.stringContaining("expected AWS credentials to sign with") as string,
  });
});

test("a broker knows who asks", async () => {
  const asked: ReceivedRequest[] = [];
  await read(three, {}, asked);
  expect(new Set(asked.map(({ client }) => client))).toEqual(new Set(["ebb"]));
});

test("the first address that answers is asked", async () => {
  const accept = (socket: Socket, port: number) => serve(socket, () => ({ port, ...three }));
  expect(await readFrom(accept, { address: "127.0.0.1:1,127.0.0.1:PORT" })).toBe("30");
  expect(await readFrom(accept, { address: "127.0.0.1:1,127.0.0.1:2" })).toContain("127.0.0.1:1: connection refused");
});

test.each<[Readonly<Record<string, unknown>>, string]>([
  [{ lagThreshold: undefined }, "parameter lagThreshold: expected the lag of one replica"],
  ...["${TOPIC}", ".", "a,..", "a b", "x".repeat(250)].map((topics): [Readonly<Record<string, unknown>>, string] => [
    { topics },
    "parameter topics: expected a topic's name of 1 to 249 letters, digits, ., _ and -, or several with commas",
  ]),
  [{ topics: "a", topicPrefix: "b" }, "parameter topicPrefix: expected topics or topicPrefix"],
  [{ topics: "a b" }, "parameter topics: expected a topic's name"],
  [{ partitions: "4-2" }, "parameter partitions: expected a range that ends after it begins"],
  [{ partitions: "9" }, "parameter partitions: expected partitions that the topics have"],
  [{ topics: undefined, topicPrefix: "none" }, "parameter topicPrefix: expected a prefix of a topic's name"],
  [{ address: "kafka.example.com" }, "parameter address: expected host:port"],
  [{ secret: "ebb/prod/kafka", address: "kafka.example.com:9092" }, "plain kafka is allowed only to this machine"],
  [{ secret: "ebb/other/kafka" }, "a cluster uses only secrets named for it"],
  [{ awsIam: true }, "parameter tls: expected true with awsIam, got false"],
  [{ awsIam: true, secret: "ebb/prod/kafka", tls: true }, "parameter awsIam: expected no secret beside it, got true"],
  [
    { awsIam: true, tls: true, address: "kafka.example.com:9098" },
    'parameter address: expected brokers of Amazon MSK, because awsIam is true, got "kafka.example.com:9098"',
  ],
  [
    { awsIam: true, tls: true, address: "b-1.x.kafka.eu-west-1.amazonaws.com.evil.example:9098" },
    "expected brokers of Amazon MSK",
  ],
  [
    { allowIdleConsumers: true, limitToPartitionsWithLag: true },
    "parameter limitToPartitionsWithLag: expected false beside allowIdleConsumers, got true",
  ],
  [
    { allowIdleConsumers: true, lagThreshold: undefined, excludePersistentLagAfterSeconds: 60 },
    "parameter lagThreshold: expected the lag of one replica",
  ],
])("what cannot be read: %j", async (parameters, expected) => {
  expect(await read(three, parameters)).toContain(expected);
});
