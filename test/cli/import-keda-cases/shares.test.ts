import { convertScaledObject } from "../../../cli/set-up/import/keda/convert-scaled-object";
import { conversionOf } from "../../../cli/set-up/import/keda/left-over";
import { authenticationsIn } from "../../../cli/set-up/import/keda/authentication";
import { seededRandom } from "../../../local/random";

const random = seededRandom(35);
const draw = () => random.next();
const chance = (share: number) => draw() < share;
const oneOf = <T>(values: readonly T[]): T => values[Math.floor(draw() * values.length)]!;

/** Most people's servers are in the cluster. */
const host = (name: string) =>
  chance(0.7) ? oneOf([`${name}.infra.svc`, `${name}.infra.svc.cluster.local`, `${name}.shop`]) : `${name}.example.com`;

interface Drawn {
  readonly type: string;
  readonly metadata: Readonly<Record<string, string>>;
  /** Names in a TriggerAuthentication, or an identity in AWS. */
  readonly authentication?: readonly string[] | "aws";
}

/** By the shares of 280 sampled objects, of the triggers that ebb reads. */
const triggers: readonly (readonly [share: number, make: () => Drawn])[] = [
  [
    25,
    () => ({
      type: "prometheus",
      metadata: { serverAddress: `http://${host("prom")}:9090`, query: "q", threshold: "5" },
      ...(chance(0.45) && { authentication: ["bearerToken"] }),
    }),
  ],
  [
    11,
    () => {
      const isOwn = chance(0.6);
      const kafka = { topic: "t", consumerGroup: "g", lagThreshold: "50" };
      return {
        type: "kafka",
        metadata: { ...kafka, bootstrapServers: `${host("kafka")}:9092`, ...(isOwn ? { tls: "enable" } : {}) },
        ...(isOwn && { authentication: ["sasl", "username", "password"] }),
      };
    },
  ],
  [
    11,
    () => ({
      type: "cron",
      metadata: { timezone: "UTC", start: "0 8 * * *", end: "0 18 * * *", desiredReplicas: "3" },
    }),
  ],
  [
    10,
    () => ({
      type: "rabbitmq",
      metadata: { queueName: "q", mode: "QueueLength", value: "5", protocol: oneOf(["auto", "http", "amqp"]) },
      authentication: ["host"],
    }),
  ],
  [
    9,
    () => ({
      type: "aws-sqs-queue",
      metadata: { queueURL: "https://sqs.eu-west-1.amazonaws.com/123456789012/q", awsRegion: "eu-west-1" },
      authentication: "aws",
    }),
  ],
  [6, () => ({ type: "cpu", metadata: { value: "60" } })],
  [
    6,
    () => ({
      type: "redis",
      metadata: { address: `${host("redis")}:6379`, listName: "jobs" },
      ...(chance(0.5) && { authentication: ["password"] }),
    }),
  ],
  [
    3,
    () => ({
      type: "postgresql",
      metadata: {
        host: host("pg"),
        port: "5432",
        dbName: "d",
        userName: "u",
        query: "SELECT 1",
        targetQueryValue: "2",
      },
      authentication: ["password"],
    }),
  ],
  [
    2,
    () => ({
      type: "metrics-api",
      metadata: { url: `http://${host("stats")}/n`, valueLocation: "a.b", targetValue: "2" },
    }),
  ],
];

function drawTrigger(): Drawn {
  let at = draw() * triggers.reduce((sum, [share]) => sum + share, 0);
  return (triggers.find(([share]) => (at -= share) < 0) ?? triggers[0]!)[1]();
}

function drawObject(index: number) {
  const first = drawTrigger();
  const drawn = first.type !== "cpu" && chance(0.1) ? [first, { type: "cpu", metadata: { value: "60" } }] : [first];
  const given = drawn.map(({ type, metadata, ...rest }, at) => ({
    type,
    metadata: { ...metadata, ...(chance(0.4) && { metricName: "m" }) },
    ...(type === "cpu" && { metricType: "Utilization" }),
    ...("authentication" in rest && { authenticationRef: { name: `auth-${index}-${at}` } }),
  }));
  const authentications = drawn.flatMap((one, at) => {
    if (!("authentication" in one) || one.authentication === undefined) return [];
    const { authentication: held } = one;
    const spec =
      held === "aws"
        ? { podIdentity: { provider: "aws" } }
        : { secretTargetRef: held.map((parameter) => ({ parameter, name: "s", key: parameter })) };
    return [{ kind: "TriggerAuthentication", metadata: { name: `auth-${index}-${at}`, namespace: "shop" }, spec }];
  });
  const object = {
    metadata: { name: `o-${index}`, namespace: "shop" },
    spec: {
      scaleTargetRef: { name: "o" },
      ...(chance(1 / 3) && { cooldownPeriod: 60 }),
      ...(chance(0.72) && { pollingInterval: 15 }),
      minReplicaCount: chance(0.4) ? 0 : 1,
      maxReplicaCount: 20,
      triggers: given,
    },
  };
  return { object, authentications };
}

test("of 1,000 objects with the fields that people write, four fifths convert without a harmful note", () => {
  const found = Array.from({ length: 1_000 }, (_, index) => {
    const { object, authentications } = drawObject(index);
    const { notes } = convertScaledObject(object, {
      annotations: {},
      namespace: "shop",
      authentications: authenticationsIn(authentications, "shop"),
    });
    return {
      outcome: conversionOf(notes),
      isReady: notes.every(({ harm }) => harm === "none"),
      hasSecret: authentications.length > 0,
    };
  });
  const complete = found.filter(({ outcome }) => outcome === "completely");
  const share = (count: number) => `${((100 * count) / found.length).toFixed(1)} %`;
  process.stdout.write(
    `${share(complete.length)} of ${found.length} generated ScaledObjects convert without a harmful note; ` +
      `${share(found.filter(({ isReady }) => isReady).length)} leave nothing to do; ` +
      `${share(found.filter(({ hasSecret }) => hasSecret).length)} have an authenticationRef\n`,
  );
  expect(complete.length).toBeGreaterThanOrEqual(800);
});
