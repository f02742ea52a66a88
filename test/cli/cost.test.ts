import { readFileSync } from "node:fs";
import { billOf, deployed, type Line, totalOf } from "../../cli/cost/bill";
import { kedaCost } from "../../cli/cost/keda";
import { plannedBy } from "../../cli/cost/planned";
import { type FakeCloudWatch, startCloudWatch } from "../fakes/cloudwatch/start-cloudwatch";
import { ebb } from "./run-ebb";
import { now, tableForTests } from "./table";

const { byHand, register, run } = tableForTests();

/** In $ a month, MOVING, to a tenth of a cent. */
const amountsOf = (lines: readonly Line[]) =>
  Object.fromEntries(lines.map(({ what, moving }) => [what, Number(moving.toFixed(3))]));

test("what 1,000 HPAs with a queue each cost, by hand", () => {
  // 2,628,000 s a month are 175,200 slots of 15 s and 43,800 minutes.
  const lines = billOf(plannedBy({ hpas: "1000" }, 512));
  expect(amountsOf(lines)).toMatchObject({
    "write values that move": 1.396, // 43,800 × 51 writes × 0.625 a million
    "read sqs: 1,000 queues": 70.08, // 175,200 × 1,000 × 0.40 a million
    "load entries and states": 17.739, // 175,200 × 810 reads × 0.125 a million
    "ebb's own metrics and alarms": 4.1, // 11 × 0.30 + 8 × 0.10
    "Lambda polls the slot queue": 0.263, // 657,000 × 0.40 a million
    "messages of slots": 0.147, // 175,200 × 2.1 × 0.40 a million
    "write shards": 0.11, // 175,200 × 0.625 a million
  });
  const amounts = lines.map(({ moving }) => moving);
  expect(amounts).toEqual(amounts.toSorted((a, b) => b - a));
  expect(totalOf(lines, "atRest")).toBeLessThan(totalOf(lines, "moving"));
});

test("a slower period costs less in each line that it lowers, and no more in any other", () => {
  const [fast, slow] = ["15", "60"].map((period) => billOf(plannedBy({ hpas: "500", period }, 512)));
  for (const line of fast ?? []) {
    const other = slow?.find(({ what }) => what === line.what)?.moving ?? Number.NaN;
    if (line.knob.startsWith("a longer syncPeriodSeconds")) expect(other).toBeLessThan(line.moving);
    else expect(other).toBeLessThanOrEqual(line.moving);
  }
});

test("CloudWatch's metrics are read at most once a minute, and kinds that AWS does not bill cost nothing", () => {
  const lines = billOf(plannedBy({ hpas: "10", sources: ["cloudwatch=10,prometheus=5"] }, 512));
  expect(amountsOf(lines)["read cloudwatch: 10 metrics"]).toBe(4.38); // 43,800 × 10 × 0.01 a thousand
  expect(lines.filter(({ readsSources }) => readsSources)).toHaveLength(1);
});

test("HPAs and sources are spread over clusters, each with a shard of its own", () => {
  const { clusters } = plannedBy({ hpas: "10", clusters: "3", sources: ["sqs=4"] }, 512);
  expect(clusters.map(({ hpas, queries }) => [hpas, queries["sqs"]])).toEqual([
    [4, 2],
    [3, 1],
    [3, 1],
  ]);
  const [one, five] = ["1", "5"].map((count) => amountsOf(billOf(plannedBy({ hpas: "10", clusters: count }, 512))));
  expect(five?.["write shards"]).toBeCloseTo(5 * (one?.["write shards"] ?? 0), 2);
});

test("KEDA's pods in each cluster and its reads, by hand", () => {
  // 0.3 vCPU × 730 h × 0.0408 = 8.9352; 87,600 polls and 175,200 questions of the HPA controller, at 0.40 a million
  const { atRest, moving } = kedaCost(plannedBy({ hpas: "10", clusters: "2" }, 512));
  expect([atRest, moving].map((amount) => Number(amount.toFixed(3)))).toEqual([18.221, 18.922]);
});

test("the deployment has the metrics and alarms that the bill counts", () => {
  const alarms = readFileSync("infra/alarms.yml", "utf8").match(/Type: AWS::CloudWatch::Alarm/g);
  expect(alarms).toHaveLength(deployed.alarms);
  const page = readFileSync("docs/deploy.md", "utf8");
  const listed = page.slice(page.indexOf("- from sync:"), page.indexOf("ebb honours"));
  expect(new Set(listed.match(/`[A-Z]\w+`/g)).size).toBe(deployed.customMetrics);
});

test("docs/deploy.md shows what the command prints", async () => {
  const { stdout, exitCode } = await ebb(["cost", "--hpas", "100"]);
  expect(exitCode).toBe(0);
  const printed = stdout.replace(/ +$/gm, "");
  const page = readFileSync("docs/deploy.md", "utf8");
  expect(page).toContain(`$ ebb cost --hpas 100\n${printed}\`\`\``);
});

test("as data, with the arithmetic of each line", async () => {
  const { stdout } = await ebb(["cost", "--hpas=100", "--sources=sqs=20", "-o", "json"]);
  const cost = JSON.parse(stdout) as { readonly lines: readonly Line[]; readonly total: object };
  expect(cost.total).toEqual({ atRest: totalOf(cost.lines, "atRest"), moving: totalOf(cost.lines, "moving") });
  expect(cost.lines.find(({ what }) => what === "read sqs: 20 queues")?.arithmetic).toBe(
    "3,504,000 requests × $0.40 a million",
  );
});

test.each([
  [["--hpas", "0"], '--hpas: expected a whole number from 1 to 10000000, got "0"'],
  [["--hpas", "1e3"], '--hpas: expected a whole number from 1 to 10000000, got "1e3"'],
  [["--period", "-1"], '--period: expected a whole number from 1 to 3600, got "-1"'],
  [["--sources", "sqs"], '--sources: expected KIND=NUMBER, such as sqs=1000, got "sqs"'],
  [["--sources", "constructor=1"], /--sources: expected a kind among sqs, .*, got "constructor"/],
  [["--sync-memory", "64"], '--sync-memory: expected a whole number from 128 to 10240, got "64"'],
  [["--this-month", "--hpas", "5"], "--this-month counts what was: leave out --hpas"],
])("%j is refused", async (args, message) => {
  const { stdout, stderr, exitCode } = await ebb(["cost", ...args]);
  expect([stdout, exitCode]).toEqual(["", 1]);
  if (typeof message === "string") expect(stderr).toBe(`error: ${message}\n`);
  else expect(stderr).toMatch(message);
});

describe("of a table", () => {
  let cloudwatch: FakeCloudWatch;
  beforeAll(async () => {
    cloudwatch = await startCloudWatch({ now: () => now });
    Object.assign(process.env, { AWS_ACCESS_KEY_ID: "test", AWS_SECRET_ACCESS_KEY: "test", AWS_REGION: "eu-west-1" });
    process.env["AWS_ENDPOINT_URL_CLOUDWATCH"] = cloudwatch.url;
    await register("prod");
  });
  afterAll(() => cloudwatch.close());

  test("without HPAs, it says what to do", async () => {
    const { stderr, exitCode } = await run(["cost"]);
    expect(exitCode).toBe(1);
    expect(stderr).toContain("describe what you plan, as in `ebb cost --hpas 100`");
  });

  test("distinct metrics count once, entries that cannot be used do not count", async () => {
    for (const [name, queue] of Object.entries({ a: "orders", b: "orders", c: "mail", broken: 7 }))
      await byHand({ pk: "CLUSTER#prod", sk: `HPA#shop/${name}`, ...hpa(name, queue) });
    const { stdout, stderr } = await run(["cost"]);
    expect(stdout).toContain("read sqs: 2 queues ");
    expect(stderr).toBe("3 HPAs in 1 cluster, every 15 s; list prices of us-east-1, 2026-11\n");
  });

  test("a month's counts come from CloudWatch", async () => {
    const put = (namespace: string, name: string, dimension: string, values: readonly (readonly [number, number])[]) =>
      cloudwatch.put(
        { Namespace: namespace, MetricName: name, Dimensions: [{ Name: dimension, Value: "ebb-prod" }] },
        values,
      );
    const first = Date.parse("2026-03-01T00:00:00Z") / 1000;
    put("ebb", "HpasSynced", "service", [
      [first - 60, 1_000_000], // last month's
      [first, 2_000_000],
      [first + 3_600, 1_000_000],
    ]);
    put("ebb", "SyncDuration", "service", [[first + 60, 7_200_000]]);
    put("ebb", "Messages", "service", [[first + 60, 100_000]]);
    put("AWS/DynamoDB", "ConsumedWriteCapacityUnits", "TableName", [[first + 60, 4_000_000]]);
    const { stdout, exitCode } = await run(["cost", "--this-month", "--table", "ebb-prod", "-o", "json"]);
    expect(exitCode).toBe(0);
    const { lines } = JSON.parse(stdout) as { readonly lines: readonly Line[] };
    expect(amountsOf(lines)).toEqual({
      "writes of the table": 2.5,
      "read sqs": 0.8, // 3,000,000 syncs × 2 queues for 3 HPAs × 0.40 a million
      "messages of slots": 0.084,
      "run sync": 0.068, // 3,600 GB-seconds, 100,000 requests
    });
  });

  test("a deployment that CloudWatch does not know, and a table on this machine", async () => {
    const unknown = await run(["cost", "--this-month", "--table", "ebb-dev"]);
    expect(unknown.stderr).toContain('CloudWatch has no syncs of "ebb-dev" this month');
    expect((await run(["cost", "--this-month"])).stderr).toContain("--this-month needs a deployment");
    expect(unknown.exitCode).toBe(1);
  });

  test("a refusal of CloudWatch names the right", async () => {
    cloudwatch.answer({ code: "AccessDeniedException", status: 400, message: "not authorized" }, 3);
    const { stderr, exitCode } = await run(["cost", "--this-month", "--table", "ebb-prod"]);
    expect(exitCode).toBe(1);
    expect(stderr).toContain("cloudwatch:GetMetricData");
  });
});

function hpa(name: string, queue: unknown) {
  const target = { type: "AverageValue", averageValue: "5" };
  const metric = { name: "sqs", selector: { matchLabels: { queue } } };
  return {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: { name, namespace: "shop" },
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name },
      ...{ minReplicas: 1, maxReplicas: 10, metrics: [{ type: "External", external: { metric, target } }] },
    },
  };
}
