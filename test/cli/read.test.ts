import { execFileSync } from "node:child_process";
import { startSqsServer, type SqsServer } from "../sources/sqs/sqs-server";
import { json, startServer, type TestServer } from "../cluster/api-server";
import { parameterProblem, parametersOf } from "../../cli/look/kind-parameters";
import { descriptions } from "../../lib/sources/descriptions";
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

test.each(Object.values(descriptions))(
  "ebb read $name says which parameters it takes, and its example is a query",
  async (kind) => {
    const { name, example, fields } = kind;
    const { stdout, stderr, exitCode } = await run(["read", name]);
    expect([stdout, exitCode]).toEqual(["", 1]);
    const [error = "", head = "", ...lines] = stderr.trimEnd().split("\n");
    expect(error).toMatch(/^error: parameter /);
    expect(head).toBe(`${name} takes these parameters (docs/sources/${name}.md):`);
    const named = Object.entries(fields).filter(([, { type }]) => type !== "named");
    for (const [parameter] of named) expect(lines.some((line) => line.startsWith(`  ${parameter} `))).toBe(true);
    // A shell reads the words of the example: what they say is what the kind takes.
    const command = lines.at(-1)?.replace("for example: ebb read ", "") ?? "";
    const words = execFileSync("/bin/sh", ["-c", `printf '%s\\0' ${command}`], { encoding: "utf8" }).split("\0");
    const labels = words.slice(1, -1).map((word): [string, string] => {
      const at = word.indexOf("=");
      return [word.slice(0, at), word.slice(at + 1)];
    });
    const parameters = parametersOf(kind, Object.fromEntries(labels));
    expect(parameterProblem(kind, parameters)).toBeUndefined();
    expect(Object.keys(parameters)).toEqual(Object.keys(example));
  },
);

test("a kind is read with the parameters of the command line, lists as JSON", async () => {
  const at = (time: string) => ({ now: () => Date.parse(time) });
  const window = ["start=0 9 * * *", "end=0 18 * * *", "value=10"];
  expect((await run(["read", "schedule", ...window], at("2026-03-02T12:00:00Z"))).stdout).toBe("10\n");
  const windows = `windows=${JSON.stringify([{ start: "0 20 * * *", end: "0 21 * * *", value: 7 }])}`;
  expect((await run(["read", "schedule", ...window, windows], at("2026-03-02T20:30:00Z"))).stdout).toBe("7\n");
  const operands = `operands=${JSON.stringify([{ name: "mail", source: "jobs", labels: { "var.queue": "mail" } }])}`;
  expect((await run(["read", "formula", "formula=mail * 2", operands])).stdout).toBe("15\n");
  const path = "path=$.waiting[*]";
  expect((await run(["read", "http", `url=${server.url}/queues/mail`, path])).stdout).toBe("7500m\n");
});

test.each([
  [
    ["read", "nothing"],
    `metricsources.ebb.dev "nothing" not found in cluster prod; there are all, bad, inside, jobs, none, odd, work, ${Object.keys(sourceKinds).join(", ")}`,
  ],
  [["read", "job"], 'metricsources.ebb.dev "job" not found in cluster prod; did you mean jobs?'],
  [["read", "shedule"], 'metricsources.ebb.dev "shedule" not found in cluster prod; did you mean schedule?'],
  [["read", "schedule", "windows=x"], 'error: parameter windows: expected JSON, got "x"'],
  [["read", "redis", "adress=x"], "unknown field (did you mean address?)"],
  [["read", "odd"], `source odd: expected a kind among ${Object.keys(sourceKinds).join(", ")}, got "nats"`],
  [
    ["read", "work"],
    "set the label var.queue, or write $${queue} for the text itself, got nothing\nfix the parameters",
  ],
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
