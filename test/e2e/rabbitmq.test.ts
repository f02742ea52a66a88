import { openRabbitmqSource } from "../../lib/sources/rabbitmq/rabbitmq";
import { base64, makeCertificates } from "../cluster/certificates";
import { type Case, networkWith, sourceContract } from "../sources/contract/contract";
import { imported } from "../sources/imported";
import { contextOf } from "../sources/read-context";
import { eventually } from "./servers/eventually";
import { type Rabbitmq, startRabbitmq } from "./servers/rabbitmq";
import { startScaledConsumer } from "./servers/scaled-consumer";
import { startStompConsumer } from "./servers/stomp";

/** The source against a real RabbitMQ: what of the contract is possible there, and readings beside rabbitmqctl's. */
let rabbitmq: Rabbitmq;
let otherCa: string;
const secrets = new Map<string, string>();
const secretName = "ebb/prod/mq";
const reader = { username: "ebb", password: "r3ad3r-0f-qu3u3s" };

const secretOf = (credential: object) =>
  JSON.stringify({
    endpoint: rabbitmq.url,
    certificateAuthorityData: rabbitmq.certificateAuthorityData,
    ...credential,
  });

const setPassword = (password: string) =>
  rabbitmq.call("PUT", `/users/${reader.username}`, { password, tags: "management" });

const publish = async (queue: string, count: number) => {
  const message = { properties: {}, routing_key: queue, payload: "work", payload_encoding: "string" };
  for (let sent = 0; sent < count; sent += 1)
    expect(await rabbitmq.call("POST", "/exchanges/%2F/amq.default/publish", message)).toEqual({ routed: true });
};

const declare = (queue: string, type = "classic") =>
  rabbitmq.call("PUT", `/queues/%2F/${encodeURIComponent(queue)}`, {
    durable: true,
    arguments: { "x-queue-type": type },
  });

const hostileName = "a/../b?columns=x&name=#%2F é";

beforeAll(async () => {
  rabbitmq = await startRabbitmq();
  otherCa = base64((await makeCertificates()).ca);
  await setPassword(reader.password);
  // As docs/sources/rabbitmq.md says: no right to configure, write or read.
  const none = { configure: "^$", write: "^$", read: "^$" };
  await rabbitmq.call("PUT", `/permissions/%2F/${reader.username}`, none);
  for (const [queue, type] of Object.entries({
    orders: "classic",
    "orders-quorum": "quorum",
    log: "stream",
    idle: "classic",
  }))
    await declare(queue, type);
  await declare(hostileName);
  await publish("orders", 5);
  await publish("orders-quorum", 4);
  await publish("log", 3);
  secrets.set(secretName, secretOf(reader));
}, 120_000);

afterAll(() => rabbitmq?.stop());

const parameters = (more: Readonly<Record<string, unknown>> = {}) => ({
  url: rabbitmq.url,
  certificateAuthorityData: rabbitmq.certificateAuthorityData,
  secret: secretName,
  ...more,
});

async function read(more: Readonly<Record<string, unknown>>): Promise<string> {
  const source = openRabbitmqSource(networkWith(secrets)).open(contextOf());
  const reading = await source.read({ metricName: "jobs", parameters: parameters(more) });
  return "items" in reading ? reading.items.map(({ value }) => value).join() : reading.error;
}

const soonMs = 20_000;

/** The server counts classic queues once a second, and others every five. */
const untilRead = (more: Readonly<Record<string, unknown>>, expected: unknown) =>
  eventually(
    `${JSON.stringify(more)} reads ${String(expected)}`,
    async () => expect(await read(more)).toEqual(expected),
    soonMs,
  );

describe("the contract", () => {
  // A case may leave a wrong password behind.
  afterAll(() => void secrets.set(secretName, secretOf(reader)));

  const found = (more: Readonly<Record<string, unknown>>, expected: Case["expected"]) => () => ({
    parameters: parameters(more),
    expected,
    before: () => untilRead({ queues: "^orders" }, "9"),
    hangUp: () => rabbitmq.hangUp(),
  });
  const onlyDouble = { notApplicable: "a healthy server does not answer so: the double does" };
  sourceContract({
    open: openRabbitmqSource,
    secrets,
    cases: {
      found: found({ queue: "orders" }, { values: ["5"] }),
      many: found({ queues: "^orders" }, { values: ["9"] }),
      missing: found({ queue: "none" }, { error: /there is no such queue/ }),
      hostile: () => ({
        parameters: parameters({ queue: hostileName }),
        expected: { values: ["0"] },
        before: () => untilRead({ queue: hostileName }, "0"),
      }),
      refused: () => ({
        parameters: parameters({ url: "https://127.0.0.1:1", queue: "orders", secret: undefined }),
        expected: { error: /refused/ },
      }),
      authFailure: () => ({
        parameters: parameters({ queue: "orders" }),
        expected: { error: /the server does not accept the credential of the source's secret/ },
        before: () => void secrets.set(secretName, secretOf({ ...reader, password: "wr0ng-0n3" })),
        after: () => void secrets.set(secretName, secretOf(reader)),
      }),
      rotated: () => ({
        parameters: parameters({ queue: "orders" }),
        expected: { values: ["5"] },
        async before() {
          await untilRead({ queue: "orders" }, "5");
          await setPassword("r0tat3d-0n3");
          secrets.set(secretName, secretOf({ ...reader, password: "r0tat3d-0n3" }));
        },
        async after() {
          await setPassword(reader.password);
          secrets.set(secretName, secretOf(reader));
        },
      }),
      wrongCa: () => ({
        parameters: { ...parameters({ queue: "orders", secret: undefined }), certificateAuthorityData: otherCa },
        expected: { error: /not signed by a trusted CA/ },
      }),
      wrongHost: () => ({
        parameters: parameters({ queue: "orders", secret: undefined, tlsServerName: "mq.example.com" }),
        expected: { error: /its certificate is for another name/ },
      }),
      empty: onlyDouble,
      malformed: onlyDouble,
      slow: onlyDouble,
      huge: onlyDouble,
      dropped: onlyDouble,
    },
  });
});

interface Listed {
  readonly name: string;
  readonly messages: number;
  readonly messages_ready: number;
}

test("lengths are those that rabbitmqctl lists, of classic and quorum queues, while a consumer holds messages", async () => {
  const consumer = await startStompConsumer({
    port: rabbitmq.stompPort,
    user: rabbitmq.user,
    queue: "orders",
    prefetch: 2,
  });
  try {
    await eventually("the consumer holds two messages", () => expect(consumer.received).toBe(2), soonMs);
    // Quorum queues are counted every five seconds, for the tool as well.
    await eventually("the readings are what the tool lists", async () => {
      const listed = (await rabbitmq.ctl("list_queues", "name", "messages", "messages_ready")) as readonly Listed[];
      const of = (queue: string) => listed.find(({ name }) => name === queue);
      expect(of("orders")).toEqual({ name: "orders", messages: 5, messages_ready: 3 });
      expect(of("orders-quorum")).toEqual({ name: "orders-quorum", messages: 4, messages_ready: 4 });
      for (const queue of ["orders", "orders-quorum", "idle"]) {
        expect(await read({ queue })).toBe(String(of(queue)?.messages));
        expect(await read({ queue, measure: "ready" })).toBe(String(of(queue)?.messages_ready));
        // A trigger of KEDA, imported.
        const trigger = { host: rabbitmq.url, queueName: queue, mode: "QueueLength", value: "5" };
        expect(await read(imported("rabbitmq", trigger).parameters)).toBe(String(of(queue)?.messages));
      }
    });
    await untilRead({ queues: "^orders", operation: "max", measure: "ready" }, "4");
    await untilRead({ queues: "^orders", operation: "avg" }, "4500m");
  } finally {
    await consumer.stop();
  }
});

test("a stream's length is an error, and its rate is a number", async () => {
  await untilRead({ queue: "log" }, expect.stringContaining("is a stream"));
  await untilRead({ queue: "log", measure: "publishRate" }, expect.stringMatching(/^\d+m?$/));
});

test("rates of a queue that messages come into, and of one that never had any", async () => {
  await untilRead({ queue: "idle", measure: "publishRate" }, "0");
  await eventually("messages come in", async () => {
    await publish("idle", 5);
    expect(await read({ queue: "idle", measure: "publishRate" })).toMatch(/^[1-9]\d*m?$/);
  });
  await untilRead({ queue: "idle", measure: "deliverRate" }, "0");
});

test("the server's regular expressions match anywhere, and ignore case", async () => {
  await untilRead({ queues: "RDERS$" }, "5");
  expect(await read({ queues: "(" })).toContain("expected a regular expression that the server accepts");
});

test("absent is the value of a queue that does not exist, and not of a wrong virtual host or url", async () => {
  expect(await read({ queue: "none", absent: 0 })).toBe("0");
  expect(await read({ queues: "none", absent: 0 })).toBe("0");
  // The server says 401 of virtual hosts that the user may not see, and 404 of others.
  expect(await read({ queue: "none", absent: 0, vhost: "none" })).toMatch(/no such virtual host|does not accept/);
  const elsewhere = { url: `${rabbitmq.url}/mq`, secret: undefined };
  expect(await read({ queue: "orders", absent: 0, ...elsewhere })).toMatch(/\(status 4\d\d\)$/);
});

test("a consumer goes to zero, to as many as its messages ask for, and back to zero", async () => {
  await declare("work");
  const scaled = await startScaledConsumer({
    kind: "rabbitmq",
    parameters: { url: rabbitmq.url, certificateAuthorityData: rabbitmq.certificateAuthorityData, secret: secretName },
    labels: { queue: "work" },
    perReplica: "5",
    secrets,
  });
  try {
    await scaled.untilReplicas(0);
    await publish("work", 12);
    await scaled.untilReplicas(3);
    const consumer = await startStompConsumer({
      port: rabbitmq.stompPort,
      user: rabbitmq.user,
      queue: "work",
      prefetch: 50,
    });
    await eventually("the consumer holds all messages", () => expect(consumer.received).toBe(12));
    // They are unacknowledged now, so the work is not done.
    await untilRead({ queue: "work", measure: "ready" }, "0");
    // A run records what it scaled after it scaled.
    await eventually("the HPA shows it", () =>
      expect(scaled.ebb("get", "hpa", "--cluster", "prod")).toMatch(
        /^consumer +Deployment\/consumer +4\/5 \(avg\) +0 +10 +3/m,
      ),
    );
    consumer.acknowledgeAll();
    await scaled.untilReplicas(0);
    await consumer.stop();
  } finally {
    await scaled.stop();
  }
}, 120_000);
