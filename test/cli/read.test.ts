import { startSqsServer, type SqsServer } from "../sources/sqs/sqs-server";
import { json, startServer, type TestServer } from "../cluster/api-server";
import { tableForTests } from "./table";

const { run, byHand, register } = tableForTests();
let server: TestServer;
let sqs: SqsServer;

beforeAll(async () => {
  await register("prod");
  server = await startServer(({ url }, response) => {
    if (url === "/queues/mail") return json(response, 200, { waiting: [3, 4.5] });
    json(response, 404, {});
  });
  sqs = await startSqsServer();
  const parameters = { url: `${server.url}/queues/\${queue}`, path: "$.waiting[*]", vars: { queue: "orders" } };
  await byHand({ pk: "CLUSTER#prod", sk: "SOURCE#jobs", spec: { kind: "http", parameters } });
  await byHand({ pk: "CLUSTER#prod", sk: "SOURCE#odd", spec: { kind: "nats" } });
  await byHand({ pk: "CLUSTER#prod", sk: "SOURCE#bad", spec: { kind: 7 } });
  const via = { namespace: "shop", service: "stats", port: "80" };
  await byHand({
    pk: "CLUSTER#prod",
    sk: "SOURCE#inside",
    spec: { kind: "http", parameters: { url: "/", path: "$", via } },
  });
});
afterAll(() => Promise.all([server.stop(), sqs.close()]));

test("the number is on stdout, and how it came about beside it", async () => {
  const { stdout, stderr, exitCode } = await run(["read", "jobs", "var.queue=mail"]);
  expect([stdout, exitCode]).toEqual(["7500m\n", 0]);
  expect(stderr).toMatch(/^kind http, cluster prod, read from here in \d+ ms\n/);
  expect(stderr).toContain(
    "  var.queue: mail\n2 values, which an HPA sums:\n  3 path=waiting.0\n  4500m path=waiting.1\n",
  );
});

test("a failed read says what to do", async () => {
  const { stdout, stderr, exitCode } = await run(["read", "jobs"]);
  expect([stdout, exitCode]).toEqual(["", 1]);
  expect(stderr).toBe(
    `error: ${server.url}/queues/orders: there is no such thing on the server (status 404)\ncheck that the address answers (curl), and that path or metric finds the number in the answer\n`,
  );
});

test("a kind that needs no entry", async () => {
  sqs.queues.set("orders", { ApproximateNumberOfMessages: "3", ApproximateNumberOfMessagesNotVisible: "1" });
  const env = {
    AWS_REGION: "eu-west-1",
    AWS_ACCESS_KEY_ID: "k",
    AWS_SECRET_ACCESS_KEY: "s",
    AWS_ENDPOINT_URL_SQS: sqs.url,
  };
  const before = process.env;
  process.env = { ...before, ...env };
  try {
    expect(await run(["read", "sqs", "queue=orders"], { env })).toMatchObject({ stdout: "4\n", exitCode: 0 });
  } finally {
    process.env = before;
  }
});

test.each([
  [
    ["read", "nothing"],
    'metricsources.ebb.dev "nothing" not found in cluster prod; there are bad, inside, jobs, odd, sqs, cloudwatch',
  ],
  [
    ["read", "odd"],
    'source odd: expected a kind among sqs, cloudwatch, schedule, http, prometheus, rabbitmq, redis, postgresql, kafka, got "nats"',
  ],
  [["read", "bad"], "source bad: spec.kind: expected"],
  [["read", "jobs", "var.queue"], 'expected LABEL=VALUE, got "var.queue"'],
  [["read", "jobs", "=x"], 'expected LABEL=VALUE, got "=x"'],
  [["read"], "missing required argument 'source'"],
  [["read", "jobs", "--cluster", "nope"], 'clusters.ebb.dev "nope" not found'],
])("%j", async (args, expected) => {
  const { stdout, stderr, exitCode } = await run(args);
  expect(stderr).toContain(expected);
  expect([stdout, exitCode]).toEqual(["", 1]);
});

test("a service behind a cluster that cannot be reached is the reading's error", async () => {
  const { stderr, exitCode } = await run(["read", "inside"]);
  expect(stderr).toMatch(/^error: http:\/\/stats\.shop\.svc\/: /);
  expect(exitCode).toBe(1);
});
