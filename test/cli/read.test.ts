import { startSqsServer, type SqsServer } from "../sources/sqs/sqs-server";
import { json, startServer, type TestServer } from "../cluster/api-server";
import { sourceKinds } from "../../lib/sources/registry";
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
  const mail = { name: "mail", source: "jobs", labels: { "var.queue": "${queue}" } };
  const operands = [mail, { name: "orders", source: "jobs" }];
  const formula = (text: string, made: readonly object[] = operands) => ({
    kind: "formula",
    parameters: { formula: text, operands: made },
  });
  await byHand({ pk: "CLUSTER#prod", sk: "SOURCE#work", spec: formula("mail * 2 + (orders ?? 1)") });
  await byHand({ pk: "CLUSTER#prod", sk: "SOURCE#all", spec: formula("mail + orders") });
  await byHand({ pk: "CLUSTER#prod", sk: "SOURCE#none", spec: formula("mail", []) });
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

test("a formula prints its result, and what it is made of", async () => {
  const { stdout, stderr, exitCode } = await run(["read", "work", "var.queue=mail"]);
  expect([stdout, exitCode]).toEqual(["16\n", 0]);
  expect(stderr).toContain("  formula: mail * 2 + (orders ?? 1)\n");
  expect(stderr).toContain(`  var.queue: mail
made of:
  mail = 7500m (source jobs)
  orders = missing: ${server.url}/queues/orders: there is no such thing on the server (status 404) (source jobs)
`);
});

test("a formula that misses an operand says which, and what the others read", async () => {
  const { stdout, stderr, exitCode } = await run(["read", "all", "var.queue=mail"]);
  expect([stdout, exitCode]).toEqual(["", 1]);
  expect(stderr).toContain(`error: operand orders (source jobs): ${server.url}/queues/orders: there is no such thing`);
  expect(stderr).toContain("made of:\n  mail = 7500m (source jobs)\n  orders = missing: ");
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
    'metricsources.ebb.dev "nothing" not found in cluster prod; there are all, bad, inside, jobs, none, odd, work, sqs, cloudwatch',
  ],
  [["read", "odd"], `source odd: expected a kind among ${Object.keys(sourceKinds).join(", ")}, got "nats"`],
  [["read", "work"], "set the label var.queue, got nothing\nfix the parameters"],
  [["read", "none"], "error: parameter operands: expected a list of operands"],
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
