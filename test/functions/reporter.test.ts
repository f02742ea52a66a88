import { Logger } from "@aws-lambda-powertools/logger";
import { Metrics } from "@aws-lambda-powertools/metrics";
import { Fault } from "../../lib/model/fault";
import { openReporter, type Telemetry } from "../../functions/reporter";

const at = Date.parse("2026-03-01T12:00:00Z");
const synced = {
  cluster: "prod",
  slot: at,
  outcome: "synced",
  hpas: 3,
  scaled: 1,
  failed: 2,
  behind: 0,
  lagMs: 40,
  durationMs: 900,
} as const;

type Line = Record<string, unknown>;

/** Everything that Powertools writes, as the objects that CloudWatch would parse. */
function capture(): { reporter: Telemetry; lines: () => Line[] } {
  process.env["POWERTOOLS_DEV"] = "true"; // writes to the global console, which can be watched
  process.env["POWERTOOLS_METRICS_DISABLED"] = "false"; // which POWERTOOLS_DEV implies otherwise
  const methods = (["log", "info", "warn", "error"] as const).map((method) =>
    jest.spyOn(console, method).mockImplementation(() => undefined),
  );
  const lines = () =>
    methods
      .flatMap((spy) =>
        spy.mock.calls.map((args: unknown[], call) => ({
          line: args[0],
          order: spy.mock.invocationCallOrder[call] ?? 0,
        })),
      )
      .sort((a, b) => a.order - b.order)
      .map(({ line }) => JSON.parse(String(line)) as Line);
  return { reporter: openReporter(), lines };
}

const environment = { ...process.env };
afterEach(() => {
  jest.restoreAllMocks();
  process.env = { ...environment };
});

describe("lines", () => {
  test("a scaling is one line of level info that says what, where and why", () => {
    const { reporter, lines } = capture();
    reporter.started("request-1");
    reporter.scaled({
      cluster: "prod",
      namespace: "shop",
      name: "orders",
      target: "Deployment/orders",
      from: 0,
      to: 4,
      reason: "SuccessfulRescale",
      message: "New size: 4; reason: external metric above target",
      at,
    });
    expect(lines()).toEqual([
      expect.objectContaining({
        level: "INFO",
        service: "ebb",
        message: "shop/Deployment/orders 0 → 4",
        cluster: "prod",
        hpa: "shop/orders",
        from: 0,
        to: 4,
        reason: "SuccessfulRescale",
        because: "New size: 4; reason: external metric above target",
        at: "2026-03-01T12:00:00.000Z",
        function_request_id: "request-1",
      }),
    ]);
  });

  test("a failure is one warning, of an HPA or of a whole shard, and so is its end one line", () => {
    const { reporter, lines } = capture();
    const failure = { cluster: "prod", reason: "FailedGetScale", message: "deployments.apps not found", at };
    reporter.failed({ ...failure, key: "shop/orders" });
    reporter.failed(failure);
    reporter.recovered({ cluster: "prod", key: "shop/orders" });
    expect(lines()).toEqual([
      expect.objectContaining({
        level: "WARN",
        message: "shop/orders: deployments.apps not found",
        hpa: "shop/orders",
      }),
      expect.objectContaining({ level: "WARN", message: "prod: deployments.apps not found" }),
      expect.objectContaining({ level: "INFO", message: "shop/orders: recovered", hpa: "shop/orders" }),
    ]);
    expect(lines()[1]).not.toHaveProperty("hpa");
  });

  test("a lasting failure says since when", () => {
    const { reporter, lines } = capture();
    const failure = { cluster: "prod", key: "shop/orders", reason: "FailedGetScale", message: "not found", at };
    reporter.failed({ ...failure, failingSince: at - 900_000 });
    const failingSince = "2026-03-01T11:45:00.000Z";
    const message = `shop/orders: has failed since ${failingSince}: not found`;
    expect(lines()).toEqual([expect.objectContaining({ level: "WARN", message, hpa: "shop/orders", failingSince })]);
  });

  test("a failure that a request to AWS caused has the request's id, however its text was wrapped", () => {
    const { reporter, lines } = capture();
    const { message } = new Fault("forbidden", 'queue "orders": access denied', { requestId: "abc-1" });
    const failure = { cluster: "prod", key: "shop/orders", reason: "FailedGetExternalMetric", at };
    reporter.failed({ ...failure, message: `unable to get external metric shop/sqs: ${message}; and more` });
    reporter.failed({ ...failure, message: 'queue "payments": access denied' });
    expect(lines()).toMatchObject([{ awsRequestId: "abc-1" }, {}]);
    expect(lines()[1]).not.toHaveProperty("awsRequestId");
  });

  test.each(["forbidden", "unauthorized"] as const)("an error that is %s keeps the request's id", (kind) => {
    const { reporter, lines } = capture();
    reporter.invocationFailed(new Fault(kind, "table ebb-dev", { requestId: "abc-2", cause: new Error("signed") }));
    expect(lines()[0]).toMatchObject({ error: { kind, requestId: "abc-2" } });
  });

  test("an error keeps its kind and its chain of causes", () => {
    const { reporter, lines } = capture();
    const cause = new Error("socket hang up");
    const fault = new Fault("unreachable", "table ebb-dev: no answer", { cause, status: 503 });
    reporter.messageFailed(fault, { messageId: "m1", body: "x".repeat(1000) });
    const [line] = lines();
    expect(line).toMatchObject({
      level: "ERROR",
      messageId: "m1",
      error: {
        name: "Fault",
        kind: "unreachable",
        retryable: true,
        status: 503,
        message: "table ebb-dev: no answer",
        cause: { message: "socket hang up" },
      },
    });
    expect(String(line?.["body"])).toHaveLength(257);
  });

  test("something thrown that is not an Error is still reported", () => {
    const { reporter, lines } = capture();
    reporter.invocationFailed("a string");
    expect(lines()[0]).toMatchObject({ error: { message: "expected an Error to be thrown, got a string" } });
  });

  test("the cause of refused credentials is not written: it may quote the signed request", () => {
    const { reporter, lines } = capture();
    const cause = new Error("x-amz-security-token:hunter2");
    reporter.invocationFailed(new Fault("unauthorized", "credentials not accepted", { cause }));
    expect(JSON.stringify(lines())).toContain("credentials not accepted");
    expect(JSON.stringify(lines())).not.toContain("hunter2");
  });

  test("POWERTOOLS_LOG_LEVEL and POWERTOOLS_SERVICE_NAME are honoured", () => {
    process.env["POWERTOOLS_LOG_LEVEL"] = "WARN";
    process.env["POWERTOOLS_SERVICE_NAME"] = "ebb-prod";
    const { reporter, lines } = capture();
    reporter.recovered({ cluster: "prod" });
    reporter.warned("slow", new Error("late"));
    expect(lines()).toEqual([expect.objectContaining({ level: "WARN", service: "ebb-prod", message: "slow" })]);
  });
});

test("a refused signature is one warning and one count", () => {
  const { reporter, lines } = capture();
  reporter.signatureRefused();
  reporter.flush();
  expect(lines()).toEqual([
    expect.objectContaining({ level: "WARN", message: expect.stringContaining("refused a signature") as string }),
    expect.objectContaining({ SignaturesRefused: 1 }),
  ]);
});

test("notifications that are not sent are a count, which an alarm adds up", () => {
  const { reporter, lines } = capture();
  reporter.unsent(2);
  reporter.unsent(3);
  reporter.flush();
  expect(lines()).toEqual([expect.objectContaining({ NotificationsUnsent: [2, 3] })]);
});

describe("metrics", () => {
  test("an invocation's counts leave as one EMF line of namespace ebb, whose only dimension is the service", () => {
    const { reporter, lines } = capture();
    reporter.synced(synced);
    reporter.synced({ ...synced, hpas: 5 });
    reporter.flush();
    expect(lines()).toHaveLength(1);
    const [line] = lines();
    expect(line).toMatchObject({ HpasSynced: [3, 5], Scalings: [1, 1], Failures: [2, 2], SyncLag: [40, 40] });
    expect(line?.["_aws"]).toMatchObject({
      CloudWatchMetrics: [{ Namespace: "ebb", Dimensions: [["service"]] }],
    });
  });

  test.each([
    ["late", { LateSlots: 1 }],
    ["done", undefined],
    ["gone", undefined],
    ["fenced", undefined],
  ] as const)("a slot that came to %s", (outcome, expected) => {
    const { reporter, lines } = capture();
    reporter.synced({ ...synced, outcome });
    reporter.flush();
    if (expected === undefined) expect(lines()).toEqual([]);
    else expect(lines()).toEqual([expect.objectContaining(expected)]);
  });

  test("a flush publishes once, and nothing if nothing was counted", () => {
    const { reporter, lines } = capture();
    reporter.flush();
    reporter.ticked({ clusters: 2, shards: 3, messages: 12, failing: 5 });
    reporter.flush();
    reporter.flush();
    expect(lines()).toEqual([expect.objectContaining({ Clusters: 2, Shards: 3, Messages: 12, FailingHpas: 5 })]);
  });

  test("POWERTOOLS_METRICS_NAMESPACE is honoured", () => {
    process.env["POWERTOOLS_METRICS_NAMESPACE"] = "scaling";
    const { reporter, lines } = capture();
    reporter.ticked({ clusters: 1, shards: 1, messages: 4, failing: 0 });
    reporter.flush();
    expect(lines()[0]?.["_aws"]).toMatchObject({ CloudWatchMetrics: [{ Namespace: "scaling" }] });
  });

  test("metrics that cannot be written warn, and throw nothing", () => {
    process.env["POWERTOOLS_DEV"] = "true";
    const warn = jest.spyOn(console, "warn").mockImplementation(() => undefined);
    const metrics = new Metrics({ namespace: "ebb" });
    jest.spyOn(metrics, "publishStoredMetrics").mockImplementation(() => {
      throw new RangeError("stdout is gone");
    });
    const reporter = openReporter({ logger: new Logger(), metrics });
    reporter.ticked({ clusters: 1, shards: 1, messages: 4, failing: 0 });
    expect(() => reporter.flush()).not.toThrow();
    expect(String(warn.mock.calls[0]?.[0])).toContain("stdout is gone");
  });
});
