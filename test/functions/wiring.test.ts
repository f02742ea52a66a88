import { existsSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { wireSync, wireTick, wireWake, wirePoller } from "../../functions/wiring";
import { noLimit } from "../time/no-limit";

const complete = { TABLE_NAME: "ebb-dev", QUEUE_URL: "https://sqs.eu-west-1.amazonaws.com/123456789012/slots" };
const before = { ...process.env };

beforeEach(() => {
  process.env["AWS_REGION"] = "eu-west-1";
});
afterEach(() => {
  process.env = { ...before };
});

describe.each([
  ["tick", wireTick],
  ["sync", wireSync],
  ["watch", wirePoller],
])("%s", (_name, wire) => {
  test("is wired from its environment, without calling anybody", () => {
    expect(Object.keys(wire(complete).ports)).toContain("store");
  });

  test.each([
    ["TABLE_NAME", undefined, "environment variable TABLE_NAME: expected the name of the DynamoDB table, got nothing"],
    ["QUEUE_URL", undefined, "environment variable QUEUE_URL: expected the URL of the slot queue, got nothing"],
    ["QUEUE_URL", "slots", "environment variable QUEUE_URL: expected the URL of the slot queue, got slots"],
    ["DECISION_TTL_DAYS", "soon", "environment variable DECISION_TTL_DAYS: expected a number of days, got soon"],
  ])("%s=%s is a clear error", (name, value, message) => {
    expect(() => wire({ ...complete, [name]: value })).toThrow(message);
  });
});

test("sync needs to know its memory as a number of MB, if the platform names it", () => {
  expect(() => wireSync({ ...complete, AWS_LAMBDA_FUNCTION_MEMORY_SIZE: "512" })).not.toThrow();
  expect(() => wireSync({ ...complete, AWS_LAMBDA_FUNCTION_MEMORY_SIZE: "much" })).toThrow(
    "environment variable AWS_LAMBDA_FUNCTION_MEMORY_SIZE: expected the function's memory in MB, got much",
  );
});

test.each([
  ["WATCH_BUDGET", "much", "environment variable WATCH_BUDGET: expected a number of $ such as 20, got much"],
  ["WATCH_BUDGET", "-1", "environment variable WATCH_BUDGET: expected a number of $ such as 20, got -1"],
  ["TABLE_STREAM", "yes", "environment variable TABLE_STREAM: expected false or true, got yes"],
  ["FAILING_MINUTES", "soon", "environment variable FAILING_MINUTES: expected a whole number of minutes, got soon"],
  ["HISTORY_DAYS", "long", "environment variable HISTORY_DAYS: expected a whole number of days, got long"],
  ["FAILING_HOURS", "-1", "environment variable FAILING_HOURS: expected a whole number of hours, got -1"],
  ["WAKE_DEFAULT", "quick", "environment variable WAKE_DEFAULT: expected slot or fast, got quick"],
])("%s=%s is a clear error", (name, value, message) => {
  expect(() => wireSync({ ...complete, [name]: value })).toThrow(message);
});

test.each<[Readonly<Record<string, string>>, unknown]>([
  [{}, { byDefault: false }],
  [{ WAKE_DEFAULT: "fast" }, { byDefault: true }],
  [{ WAKE_DEFAULT: "fast", WATCH_BUDGET: "0" }, undefined],
])("what a sync with %j watches", (env, watch) => {
  expect(wireSync({ ...complete, ...env }).ports.poller).toEqual(watch);
});

test.each<[Readonly<Record<string, string>>, unknown]>([
  [{}, undefined],
  [
    { FAILING_MINUTES: "15", FAILING_HOURS: "24" },
    { afterMs: 900_000, untilMs: 86_400_000 },
  ],
  [
    { FAILING_MINUTES: "0", FAILING_HOURS: "0" },
    { afterMs: 0, untilMs: Infinity },
  ],
])("which failing HPAs a sync with %j counts", (env, failing) => {
  expect(wireSync({ ...complete, ...env }).ports.failing).toEqual(failing);
});

test.each<[Readonly<Record<string, string>>, number | undefined]>([
  [{}, undefined],
  [{ HISTORY_DAYS: "0" }, undefined],
  [{ HISTORY_DAYS: "3" }, 3],
])("how long a sync with %j keeps the history", (env, days) => {
  expect(wireSync({ ...complete, ...env }).ports.history?.days).toBe(days);
});

test("an HPA that counts from a moment on must count for a while", () => {
  expect(() => wireSync({ ...complete, FAILING_MINUTES: "120", FAILING_HOURS: "2" })).toThrow(
    "environment variable FAILING_HOURS: expected more than FAILING_MINUTES, or 0, got 2",
  );
});

test("a sync keeps entries and states only if the table's stream says what changes", () => {
  expect(wireSync(complete).ports.shardCache).toBeUndefined();
  expect(wireSync({ ...complete, TABLE_STREAM: "true" }).ports.shardCache).toBeDefined();
});

test("the poller counts what its memory costs, and has a budget", () => {
  const { budget, prices } = wirePoller({ ...complete, WATCH_BUDGET: "7.5", AWS_LAMBDA_FUNCTION_MEMORY_SIZE: "256" });
  expect(budget).toBe(7.5);
  expect(prices.perSecond).toBeCloseTo(0.25 * 0.0000133334, 12);
});

test("the poller knows its role, if it has one", () => {
  const role = "arn:aws:iam::111122223333:role/ebb-prod-WatchRole-1ABC";
  expect(wirePoller({ ...complete, ROLE_ARN: role }).role).toBe(role);
  expect(wirePoller({ ...complete, ROLE_ARN: "" })).not.toHaveProperty("role");
});

test("sync reads the hosts that the deployment allows", () => {
  expect(() => wireSync({ ...complete, ALLOWED_HOSTS: "https://host" })).toThrow(
    "environment variable ALLOWED_HOSTS: expected host names or addresses, got https://host",
  );
});

test.each([
  ["", "ebb does not connect to a loopback address (127.0.0.1)"],
  ["127.0.0.1", "secret ebb/prod"],
])("a deployed sync with ALLOWED_HOSTS=%j on an entry of its own machine", async (allowed, message) => {
  // Nobody listens on port 1.
  const nowhere = { AWS_ENDPOINT_URL: "http://127.0.0.1:1", AWS_ACCESS_KEY_ID: "a", AWS_SECRET_ACCESS_KEY: "b" };
  Object.assign(process.env, nowhere);
  const { clusters } = wireSync({ ...complete, ALLOWED_HOSTS: allowed }).ports;
  const spec = { endpoint: "https://127.0.0.1:1", auth: { type: "token", secret: "ebb/prod" } } as const;
  const asked = (async () => {
    const signal = noLimit();
    await (await clusters.connect({ name: "prod", spec }, signal)).listPods("default", "", signal);
  })();
  await expect(asked).rejects.toThrow(message);
});

describe("wake", () => {
  test("is wired with the table's entries, and nothing that ebb decides from", () => {
    const env = { QUEUE_URL: complete.QUEUE_URL, TABLE_NAME: complete.TABLE_NAME };
    expect(Object.keys(wireWake(env))).toEqual(["queue", "reads", "reporter", "now"]);
  });

  test("needs to know its queue", () => {
    expect(() => wireWake({ TABLE_NAME: complete.TABLE_NAME })).toThrow(
      "environment variable QUEUE_URL: expected the URL of the slot queue, got nothing",
    );
  });
});

test("a function opens no kubeconfig file, whatever an entry or the environment names", async () => {
  const file = join(tmpdir(), `ebb-kubeconfig-${process.pid}`);
  const canary = `${file}.canary`;
  const exec = {
    command: process.execPath,
    args: ["-e", `require("fs").writeFileSync(${JSON.stringify(canary)}, "")`],
  };
  const kubeconfig = {
    "current-context": "x",
    clusters: [{ name: "c", cluster: { server: "https://127.0.0.1:1" } }],
    users: [{ name: "u", user: { exec } }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
  };
  writeFileSync(file, JSON.stringify(kubeconfig));
  try {
    const environment = { TABLE_NAME: "ebb", QUEUE_URL: "https://sqs.example/1/q", KUBECONFIG: file };
    const { clusters } = wireSync(environment).ports;
    const entry = { name: "evil", spec: { auth: { type: "kubeconfig", file } } } as const;
    await expect(clusters.connect(entry, noLimit())).rejects.toMatchObject({ kind: "forbidden" });
    expect(existsSync(canary)).toBe(false);
  } finally {
    rmSync(file);
  }
});

test("a function reads no variable of its environment for a source, not even one that is named for ebb", async () => {
  process.env["EBB_SECRET_STATS"] = JSON.stringify({ cluster: "prod", endpoint: "https://a.example", token: "t0k3n" });
  const { sources } = wireSync({ ...complete, SOURCE_HOSTS: "a.example" }).ports;
  const context = { now: 0, signal: noLimit() };
  const api = () => Promise.reject(new Error("no API server in this test"));
  const parameters = { url: "https://a.example/n", path: "$.n", secret: "env:EBB_SECRET_STATS" };
  const reading = await sources["http"]
    ?.open({ ...context, cluster: { name: "prod", api } })
    .read({ metricName: "stats", parameters });
  const error = expect.stringContaining("expected a secret in Secrets Manager or SSM, got a variable") as string;
  expect(reading).toMatchObject({ error });
});
