import { readFileSync } from "node:fs";
import { billOf, deployed } from "../../cli/understand/cost/bill";
import { type Line, totalOf } from "../../cli/understand/cost/line";
import { kedaCosts, whenKedaIsCheaper } from "../../cli/understand/cost/keda";
import { plannedBy } from "../../cli/understand/cost/plan-of-table";
import { type FakeCloudWatch, startCloudWatch } from "../fakes/cloudwatch/start-cloudwatch";
import { type Plan, plannedReads } from "../../cli/understand/cost/plan";
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
    "load entries and states": 2.283, // 175,200 × (810 reads in one of 8 slots, and 3) × 0.125 a million
    "ebb's own metrics and alarms": 4.6, // 12 × 0.30 + 10 × 0.10
    "Lambda polls the slot queue": 0.263, // 657,000 × 0.40 a million
    "messages of slots": 0.147, // 175,200 × 2.1 × 0.40 a million
    "write the history": 0.371, // 43,800 × 4 minutes' writes, 1,000 blocks each 3 hours, 175,200 of counters, × 0.625 a million
    "write shards": 0.11, // 175,200 × 0.625 a million
  });
  const amounts = lines.map(({ moving }) => moving);
  expect(amounts).toEqual(amounts.toSorted((a, b) => b - a));
  expect(totalOf(lines, "atRest")).toBeLessThan(totalOf(lines, "moving"));
});

test("one HPA has no share of its own: what the deployment costs is not what an HPA costs", async () => {
  const shares = async (hpas: string) => (await ebb(["cost", "--hpas", hpas])).stdout.match(/^each HPA.*$/gm) ?? [];
  expect(await shares("1")).toEqual([]);
  expect(await shares("2")).toHaveLength(1);
});

test("a shard is loaded once in two minutes by each process that gets its slots", () => {
  const loading = (hpas: number, clusters = 1) =>
    billOf(plannedBy({ hpas: String(hpas), clusters: String(clusters) }, 512)).find(
      ({ what }) => what === "load entries and states",
    )?.moving ?? 0;
  expect(loading(4_000)).toBeCloseTo(4 * loading(1_000), 9);
  // Two processes: 2 × (1 − 1/2^8) loads in 8 slots, and 8 shards' own reads.
  const [slots, price] = [175_200, 0.125e-6];
  expect(loading(8_000)).toBeCloseTo(slots * price * (8 * 810 * ((2 * (1 - 2 ** -8)) / 8) + 3 * 8), 9);
  // With very many, no slot finds what it needs: also if they are shards of many clusters, whose slots come together.
  expect(loading(1_000_000)).toBeGreaterThan(0.98 * slots * price * 810_000);
  expect(loading(1_000_000, 1_000)).toBeCloseTo(loading(1_000_000), 9);
});

test("a shard writes once in a slot, and its index of queues once a day", () => {
  const writes = (hpas: string) => billOf(plannedBy({ hpas }, 512)).find(({ what }) => what === "write shards");
  // 2,628,000 s a month are 30.4 days. 1,000 HPAs are 16 writes of 1 KB, 1,000,000 are 1,000 shards of them.
  expect(writes("1000")?.atRest).toBeCloseTo((175_200 + 16 * 30.4167) * 0.625e-6, 7);
  expect(writes("1000000")?.arithmetic).toMatch(/^175,200,000 writes in slots and 486,667 of indexes × /);
});

test("watching queues at zero costs what running and reading cost, up to the budget", () => {
  const watched = (queues: string) =>
    billOf(plannedBy({ hpas: "10", watched: queues }, 512)).find(({ what }) => what.startsWith("watch "));
  expect(watched("0")).toBeUndefined();
  // 657,000 GB-seconds × 0.0000133334, and 2,628,000 × 0.40 a million for each queue.
  expect(watched("1")).toMatchObject({
    what: "watch 1 queue at zero",
    knob: expect.stringContaining("watchBudget") as string,
  });
  expect(watched("1")?.moving).toBeCloseTo(8.76 + 1.051, 2);
  expect(watched("1")?.atRest).toBe(watched("1")?.moving);
  expect(watched("100")).toMatchObject({ moving: 20, arithmetic: expect.stringContaining("slowed down") as string });
});

test("provisioned pollers cost by the hour, used or not", async () => {
  const kept = async (args: readonly string[]) =>
    (await ebb(["cost", "--hpas", "10", "-o", "wide", ...args])).stdout
      .split("\n")
      .find((line) => line.startsWith("keep"));
  expect(await kept([])).toBeUndefined();
  // 2 × 730 hours × 0.00925
  expect(await kept(["--sync-pollers", "2"])).toMatch(
    /^keep 2 pollers of the slot queue +13\.50 +13\.50 +the param syncPollers +1,460 hours × \$0\.00925, and more/,
  );
  const refused = await ebb(["cost", "--hpas", "10", "--sync-pollers", "1"]);
  expect(refused.stderr).toContain('--sync-pollers: expected a whole number from 2 to 200, got "1"');
  const counted = await run(["cost", "--this-month", "--sync-pollers", "2"]);
  expect(counted.stderr).toContain("--this-month counts what was: leave out --sync-pollers");
});

test("notifications cost what their function does each minute, and for changes of states", async () => {
  const line = async (args: readonly string[]) =>
    (await ebb(["cost", "--hpas", "1000", "-o", "wide", ...args])).stdout
      .split("\n")
      .find((one) => one.startsWith("notify"));
  expect(await line([])).toBeUndefined();
  // 43,800 × (0.0125 GB-seconds, a request, an invocation of the schedule, 2 reads), 525,600 × the first two, 2 alarms
  expect(await line(["--notify"])).toMatch(
    /^notify +0\.271 +0\.464 +the param notifyArn +43,800 invocations with 2 reads.*, 2 alarms/,
  );
  const counted = await run(["cost", "--this-month", "--notify"]);
  expect(counted.stderr).toContain("--this-month counts what was: leave out --notify");
});

test("metrics cost what a scrape a minute takes, more with more HPAs", async () => {
  const line = async (hpas: string, ...args: readonly string[]) =>
    (await ebb(["cost", "--hpas", hpas, "-o", "wide", ...args])).stdout
      .split("\n")
      .find((one) => one.startsWith("serve metrics"));
  expect(await line("1000")).toBeUndefined();
  // 43,800 × (0.43 s of half a GB, a request, and 6 reads), and with ten times as many 3.4 s and 60 reads
  expect(await line("1000", "--metrics")).toMatch(
    /^serve metrics +0\.167 +0\.167 +a longer scrape_interval +43,800 scrapes, one a minute: 9,417 GB-seconds and 262,800/,
  );
  expect(await line("10000", "--metrics")).toMatch(/^serve metrics +1\.33 +1\.33 /);
  const counted = await run(["cost", "--this-month", "--notify", "--metrics"]);
  expect(counted.stderr).toContain("leave out --notify, --metrics");
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

/** The lines that pay for reading, of one cluster with these queries every so many seconds: [amount, arithmetic]. */
function linesOf(periodSeconds: number, asked: readonly (readonly [kind: string, parameters: object])[]) {
  const reads = plannedReads(
    asked.map(([source, parameters]) => ({ source, metricName: source, parameters: { ...parameters }, periodSeconds })),
  );
  const plan: Plan = { syncMemory: 512, clusters: [{ hpas: asked.length, periodSeconds, reads }] };
  const paying = billOf(plan).filter(({ readsSources }) => readsSources);
  return Object.fromEntries(paying.map(({ what, moving, arithmetic }) => [what, [moving.toFixed(3), arithmetic]]));
}

describe("a query costs what it reads", () => {
  test("each of several queues is a request, and queries share a queue", () => {
    const asked = [
      ["sqs", { queues: "orders,returns, mail" }],
      ["sqs", { queue: "mail" }],
      ["sqs", { queue: "mail", includeInFlight: "false" }],
      ["sqs", { queue: "mail", region: "eu-west-1" }],
    ] as const;
    // 175,200 slots × 4
    expect(linesOf(15, asked)).toEqual({ "read sqs: 4 queues": ["0.280", "700,800 requests × $0.40 a million"] });
  });

  test("a prefix is a list and at least one queue", () => {
    const asked = [
      ["sqs", { queuePrefix: "orders-" }],
      ["sqs", { queuePrefix: "orders-", includeDelayed: "true" }],
      ["sqs", { queue: "mail" }],
    ] as const;
    expect(linesOf(15, asked)).toEqual({
      "read sqs: 1 queue list": ["0.070", "175,200 requests × $0.40 a million"],
      "read sqs: at least 2 queues": ["0.140", "at least 350,400 requests × $0.40 a million"],
    });
  });

  test("an age is a metric of CloudWatch once a minute, with its queue", () => {
    expect(linesOf(15, [["sqs", { queue: "orders", measure: "age" }]])).toEqual({
      "read sqs: 1 age": ["0.438", "43,800 metrics × $0.01 a thousand"],
      "read sqs: 1 queue": ["0.018", "43,800 requests × $0.40 a million"],
    });
    // Its count is read in every slot anyway.
    const both = [
      ["sqs", { queue: "orders", measure: "age" }],
      ["sqs", { queue: "orders" }],
    ] as const;
    expect(linesOf(15, both)["read sqs: 1 queue"]).toEqual(["0.070", "175,200 requests × $0.40 a million"]);
  });

  test("a metric of CloudWatch is read as often as it changes", () => {
    const metric = (period: string) => ["cloudwatch", { namespace: "Shop", metricName: "Jobs", period }] as const;
    const times = (seconds: number, period: string) =>
      linesOf(seconds, [metric(period)])["read cloudwatch: 1 metric"]?.[1];
    expect(times(15, "300")).toBe("8,760 metrics × $0.01 a thousand");
    expect(times(15, "10")).toBe("175,200 metrics × $0.01 a thousand");
    expect(times(120, "60")).toBe("21,900 metrics × $0.01 a thousand");
    // 60 s end within the third slot of 25 s.
    expect(times(25, "60")).toBe("35,040 metrics × $0.01 a thousand");
  });

  test("an expression costs as much as the metrics that it names, and a search what it finds", () => {
    const queries = ["a", "b", "c"].map((id) => ({ id, namespace: "Shop", metricName: id }));
    const asked = [
      ["cloudwatch", { expression: "a + b + c", queries }],
      ["cloudwatch", { expression: "SUM(SEARCH('{Shop} Jobs', 'Sum'))", namespace: "Shop" }],
    ] as const;
    expect(linesOf(60, asked)).toEqual({
      "read cloudwatch: at least 4 metrics": ["1.752", "at least 175,200 metrics × $0.01 a thousand"],
    });
  });

  test("what AWS does not bill costs nothing, and neither does a query that is never read", () => {
    const kafka = { address: "kafka:9092", group: "invoices", topics: "orders,returns", lagThreshold: 50 };
    expect(
      linesOf(15, [
        ["kafka", kafka],
        ["sqs", { queue: "a b" }],
        ["unheard-of", {}],
      ]),
    ).toEqual({});
  });
});

test("HPAs and sources are spread over clusters, each with a shard of its own", () => {
  const { clusters } = plannedBy({ hpas: "10", clusters: "3", sources: ["sqs=4"] }, 512);
  expect(clusters.map(({ hpas, reads }) => [hpas, reads[0]?.count])).toEqual([
    [4, 2],
    [3, 1],
    [3, 1],
  ]);
  const [one, five] = ["1", "5"].map((count) => amountsOf(billOf(plannedBy({ hpas: "10", clusters: count }, 512))));
  expect(five?.["write shards"]).toBeCloseTo(5 * (one?.["write shards"] ?? 0), 2);
});

test("KEDA's pods in each cluster and its reads, by hand", () => {
  // 0.3 vCPU × 730 h × 0.0408 = 8.9352; 87,600 polls and 175,200 questions of the HPA controller, at 0.40 a million
  const costs = kedaCosts(plannedBy({ hpas: "10", clusters: "2" }, 512));
  expect(costs.map(({ atRest, moving }) => [atRest, moving].map((amount) => Number(amount.toFixed(3))))).toEqual([
    [18.221, 18.922],
    [0.35, 1.051], // its pods on what is free anyway
    [0.35, 0.35], // and without the questions of the HPA controller
  ]);
});

test.each([
  ["a hundred HPAs in one cluster", { hpas: "100" }, "at rest with nodes for its pods; if your nodes have room"],
  [
    "ten small clusters",
    { hpas: "100", clusters: "10" },
    "if your nodes have room for its pods; with useCachedMetrics",
  ],
  ["once a minute", { hpas: "1000", period: "60" }, "in none of these cases"],
])("where KEDA costs less is said: %s", async (_, options, expected) => {
  const args = Object.entries(options).map(([flag, value]) => `--${flag}=${value}`);
  const { stderr } = await ebb(["cost", ...args]);
  expect(stderr).toContain(`\nKEDA costs less ${expected}`);
});

test("where KEDA costs more everywhere, that is said too", () => {
  const costs = kedaCosts(plannedBy({ hpas: "10" }, 512));
  expect(whenKedaIsCheaper({ atRest: 0.1, moving: 0.1 }, costs)).toBe("KEDA costs less in none of these cases");
});

test("the deployment has the metrics and alarms that the bill counts", () => {
  const alarmMetrics = readFileSync("infra/alarms.yml", "utf8").match(/^ +MetricName: /gm);
  expect(alarmMetrics).toHaveLength(deployed.alarmMetrics);
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

test.each<[string, readonly string[], string, "atRest" | "moving"]>([
  ["total", [], "13.52", "atRest"],
  ["total", [], "13.88", "moving"],
  ["total", ["--period", "60"], "7.31", "atRest"],
  ["read sqs: 100 queues", [], "7.01", "moving"],
])("README.md has the %s that the command prints: %j $%s %s", async (what, args, amount, load) => {
  const { stdout } = await ebb(["cost", "--hpas", "100", ...args]);
  const [, atRest, moving] = new RegExp(`^${what} +(\\S+) +(\\S+)`, "m").exec(stdout) ?? [];
  expect({ atRest, moving }[load]).toBe(amount);
  expect(readFileSync("README.md", "utf8")).toContain(`$${amount}`);
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
    expect(stderr).toBe(
      "3 HPAs in 1 cluster, every 15 s; list prices of us-east-1, 2026-11\nKEDA costs less if your nodes have room for its pods; with useCachedMetrics too\n",
    );
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
    const lease = { version: 1, holder: "a", minute: 0, until: 0, spending: { month: "2026-03", spent: 5.25 } };
    await byHand({ pk: "WATCH", sk: "LEASE", ...lease });
    const { stdout, exitCode } = await run(["cost", "--this-month", "--table", "ebb-prod", "-o", "json"]);
    expect(exitCode).toBe(0);
    const { lines } = JSON.parse(stdout) as { readonly lines: readonly Line[] };
    expect(amountsOf(lines)).toEqual({
      "watch HPAs at zero": 5.25,
      "writes of the table": 2.5,
      "read sqs: queues": 0.8, // 3,000,000 syncs × 2 queues for 3 HPAs × 0.40 a million
      "messages of slots": 0.084,
      "run sync": 0.068, // 3,600 GB-seconds, 100,000 requests
    });
  });

  test("what watching cost last month is over", async () => {
    const lease = { version: 2, holder: "a", minute: 0, until: 0, spending: { month: "2026-02", spent: 5.25 } };
    await byHand({ pk: "WATCH", sk: "LEASE", ...lease });
    const { stdout } = await run(["cost", "--this-month", "--table", "ebb-prod"]);
    expect(stdout).toContain("run sync");
    expect(stdout).not.toContain("watch HPAs");
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

  test("a formula costs what its operands read", async () => {
    const operands = [
      { name: "a", source: "sqs", labels: { queue: "orders" } },
      { name: "b", source: "several" },
    ];
    const spec = (kind: string, parameters: object) => ({
      ...{ apiVersion: "ebb.dev/v1", kind: "MetricSource", spec: { kind, parameters } },
    });
    await byHand({
      ...{ pk: "CLUSTER#prod", sk: "SOURCE#several" },
      ...{ ...spec("sqs", { queues: "returns,claims" }), metadata: { name: "several" } },
    });
    await byHand({
      ...{ pk: "CLUSTER#prod", sk: "SOURCE#both" },
      ...{ ...spec("formula", { formula: "a + b", operands }), metadata: { name: "both" } },
    });
    await byHand({ pk: "CLUSTER#prod", sk: "HPA#shop/formula", ...hpa("formula", "any", "both") });
    const { stdout } = await run(["cost"]);
    expect(stdout).toContain("read sqs: 4 queues ");
  });

  test("an HPA counts at its own period, and one with a shorter period is woken between the slots", async () => {
    const periods = { a: "orders 5m", b: "orders 1m", c: "mail 1m", d: "claims 5s" };
    for (const [name, text] of Object.entries(periods)) {
      const [queue, period] = text.split(" ");
      const { metadata, ...rest } = hpa(name, queue);
      const annotated = { ...metadata, annotations: { "ebb.dev/sync-period": period } };
      await byHand({ pk: "CLUSTER#own", sk: `HPA#shop/${name}`, ...rest, metadata: annotated });
    }
    await register("own");
    const { stdout } = await run(["cost", "--cluster", "own", "-o", "json"]);
    const { lines } = JSON.parse(stdout) as { readonly lines: readonly Line[] };
    const arithmeticOf = (what: string) => lines.find((line) => line.what === what)?.arithmetic;
    // Of 2,628,000 s: two queues each minute, and one every 5 s.
    expect(arithmeticOf("read sqs: 3 queues")).toContain("613,200 requests");
    // 2 wakes in each of 175,200 slots: 6 reads and the 4 HPAs of the namespace. 5 writes of 3 KB in each slot.
    expect(arithmeticOf("wake HPAs with shorter periods")).toBe(
      "350,400 messages that wake 350,400 HPAs: 3,237,696 reads and 2,628,000 writes of the table",
    );
    // Each slot loads its shard after a wake: 4 × 0.81 reads, and 3.
    expect(arithmeticOf("load entries and states")).toContain("1,093,248 reads");
    expect(arithmeticOf("run sync")).toContain("525,600 requests");
  });
});

function hpa(name: string, queue: unknown, source = "sqs") {
  const target = { type: "AverageValue", averageValue: "5" };
  const metric = { name: source, ...(source === "sqs" && { selector: { matchLabels: { queue } } }) };
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
