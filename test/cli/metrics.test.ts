import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { asHpaKey } from "../../lib/model/hpa-key";
import { flagsOf, type HistorySample, type RosterHpa } from "../../lib/model/stored/history";
import { freePorts } from "../e2e/servers/free-ports";
import { until } from "../time/until";
import { recordHistory } from "./recorded-history";
import { now, tableForTests } from "./table";

/** kube-state-metrics' and the controller's families, and ebb's own. test/e2e/metrics.test.ts asks promtool. */
const { table, register, run, folder } = tableForTests();

const queue = { label: "sqs(queue=orders)", name: "sqs", type: "External", unit: "average", target: 5 } as const;
const cpu = {
  label: "cpu",
  name: "cpu",
  type: "ContainerResource",
  container: "app",
  unit: "percent",
  target: 60,
} as const;
const spec: RosterHpa = {
  target: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
  ...{ minReplicas: 0, maxReplicas: 10, created: Date.parse("2026-02-01T00:00:00Z"), generation: 3 },
  metrics: [queue, cpu],
};
const sample: HistorySample = {
  ...{
    current: 2,
    desired: 4,
    recommended: 7,
    stabilized: 4,
    flags: flagsOf(["rate", "dryRun"]),
    conditions: 1 + 2 * 4,
  },
  metrics: [
    { value: 12.5, averageValue: null },
    { value: 80, averageValue: 0.4 },
  ],
};

const counters = {
  totals: { "scaled from_zero": 3, "read sqs failed": 2, zero: 90_000 },
  times: { "sync scale_up none": [70, 4, 2, 1], "metric none internal External": [40_000, 15, 2], run: [1_000, 10, 1] },
};

beforeAll(async () => {
  for (const cluster of ["a", "b"]) await register(cluster);
  const slot = now - 15_000;
  await recordHistory(table(), {
    cluster: "a",
    to: "shop/x",
    hpas: new Map([
      [asHpaKey('shop/quo"te\\'), { ...spec, metrics: [] }],
      [asHpaKey("shop/web"), spec],
      [asHpaKey("shop/zebra"), spec],
    ]),
    rows: [[slot, [null, sample, sample]]],
    shard: { counters },
  });
  const off = { ...spec, off: true } as const;
  const invalid = { ...spec, invalid: true } as const;
  await recordHistory(table(), {
    cluster: "a",
    from: "shop/x",
    hpas: new Map([
      [asHpaKey("shop/xavier"), off],
      [asHpaKey("shop/yak"), invalid],
      [asHpaKey("shop/zebra"), { ...spec, maxReplicas: 99 }],
    ]),
    rows: [[slot, [sample, sample, { ...sample, current: 9 }]]],
  });
  await recordHistory(table(), {
    cluster: "b",
    hpas: new Map([[asHpaKey("shop/old"), spec]]),
    rows: [[now - 600_000, [sample]]],
    record: { seen: now - 600_000 },
    shard: { slot: now - 600_000 },
  });
});

const linesOf = (text: string, name: string) =>
  text
    .split("\n")
    .filter(
      (line) =>
        line.startsWith("kube_horizontalpodautoscaler_") &&
        line.includes(`/${name}`) === false &&
        line.includes(`"${name}"`),
    );

test("an HPA has kube-state-metrics' families, label for label, with its cluster", async () => {
  const { stdout, stderr, exitCode } = await run(["metrics"]);
  expect(exitCode).toBe(0);
  expect(stderr).toMatch(/^Warning: HPAs of cluster b have no values: none since .*11:50:00 .*\n$/);
  const of = 'namespace="shop",horizontalpodautoscaler="web",cluster="a"';
  const family = (name: string, rest = "", value = 1) => `kube_horizontalpodautoscaler_${name}{${of}${rest}} ${value}`;
  const metric = (name: string, type: string, container = "") =>
    `,metric_name="${name}",metric_target_type="${type}",container="${container}"`;
  const conditions = (type: string, given: string) =>
    ["true", "false", "unknown"].map((status) =>
      family("status_condition", `,condition="${type}",status="${status}"`, status === given ? 1 : 0),
    );
  expect(linesOf(stdout, "web").filter((line) => line.includes(of))).toEqual([
    family("info", ',scaletargetref_api_version="apps/v1",scaletargetref_kind="Deployment",scaletargetref_name="web"'),
    family("metadata_generation", "", 3),
    family("spec_max_replicas", "", 10),
    family("spec_min_replicas", "", 0),
    family("spec_target_metric", metric("sqs", "average"), 5),
    family("spec_target_metric", metric("cpu", "utilization", "app"), 60),
    family("status_target_metric", metric("sqs", "average"), 12.5),
    family("status_target_metric", metric("cpu", "utilization", "app"), 80),
    family("status_target_metric", metric("cpu", "average", "app"), 0.4),
    family("status_current_replicas", "", 2),
    family("status_desired_replicas", "", 4),
    ...conditions("AbleToScale", "true"),
    ...conditions("ScalingActive", "false"),
    family("created", "", 1769904000),
  ]);
});

test("the controller's gauges, what holds, and the shards", async () => {
  const { stdout } = await run(["metrics"]);
  for (const line of [
    'horizontal_pod_autoscaler_controller_desired_replicas{namespace="shop",hpa_name="web",cluster="a"} 4',
    'horizontal_pod_autoscaler_controller_num_horizontal_pod_autoscalers{cluster="a"} 3',
    'ebb_hpa_held{namespace="shop",horizontalpodautoscaler="web",cluster="a",by="rate"} 1',
    'ebb_hpa_state{namespace="shop",horizontalpodautoscaler="web",cluster="a",state="dryRun"} 1',
    'ebb_hpa_state{namespace="shop",horizontalpodautoscaler="web",cluster="a",state="failing"} 0',
    'ebb_shard_hpas{cluster="a",shard="shop/x"} 3',
    'ebb_shard_slot_age_seconds{cluster="b",shard=""} 600',
  ])
    expect(stdout.split("\n")).toContain(line);
});

test("counters and histograms have the controller's names, labels and buckets, for each shard", async () => {
  const { stdout } = await run(["metrics"]);
  const lines = (start: string) => stdout.split("\n").filter((line) => line.includes(start));
  const of = 'cluster="a",shard=""';
  const controller = "horizontal_pod_autoscaler_controller";
  const sync = `action="scale_up",error="none"`;
  const [, , ...buckets] = lines(`${controller}_reconciliation_duration_seconds`);
  const bounds = Array.from({ length: 15 }, (_, n) => String(2 ** n / 1_000));
  expect(buckets).toEqual([
    ...[...bounds, "+Inf"].map((le, index) => {
      const below = index < 4 ? 0 : index === 4 ? 2 : 3;
      return `${controller}_reconciliation_duration_seconds_bucket{${sync},le="${le}",${of}} ${below}`;
    }),
    `${controller}_reconciliation_duration_seconds_sum{${sync},${of}} 0.07`,
    `${controller}_reconciliation_duration_seconds_count{${sync},${of}} 3`,
  ]);
  expect(lines(`${controller}_reconciliations`).slice(1)).toEqual([
    `# TYPE ${controller}_reconciliations_total counter`,
    `${controller}_reconciliations_total{${sync},${of}} 3`,
  ]);
  for (const line of [
    `${controller}_metric_computation_total{action="none",error="internal",metric_type="External",${of}} 2`,
    `ebb_scalings_total{direction="from_zero",${of}} 3`,
    `ebb_source_readings_total{kind="sqs",outcome="failed",${of}} 2`,
    `ebb_at_zero_seconds_total{${of}} 90`,
  ])
    expect(stdout.split("\n")).toContain(line);
  expect(Number(/ebb_estimated_dollars_total\S+ (.+)/.exec(stdout)?.[1])).toBeCloseTo(9e-6, 6);
});

test("after a split, an HPA is that of the shard that has it now", async () => {
  const { stdout } = await run(["metrics"]);
  const found = stdout.split("\n").filter((line) => /current_replicas.*zebra|max_replicas.*zebra/.test(line));
  expect(found.map((line) => line.split(" ").at(-1))).toEqual(["99", "9"]);
});

test("what is unknown or too old has no series, and is no zero; what is switched off has none at all", async () => {
  const { stdout } = await run(["metrics"]);
  const lines = stdout.split("\n");
  const named = (text: string) => lines.filter((line) => line.includes(text)).map((line) => /^[a-z_]+/.exec(line)?.[0]);
  expect(named('horizontalpodautoscaler="old"').filter((name) => /status|held|state/.test(name ?? ""))).toEqual([]);
  expect(named('horizontalpodautoscaler="old"')).toContain("kube_horizontalpodautoscaler_spec_max_replicas");
  expect(named('horizontalpodautoscaler="quo\\"te\\\\"')).toContain("kube_horizontalpodautoscaler_info");
  expect(named('horizontalpodautoscaler="quo').filter((name) => name?.includes("status"))).toEqual([]);
  expect([...named("xavier"), ...named("yak")]).toEqual([]);
});

test("as OpenMetrics, it ends", async () => {
  const { stdout } = await run(["metrics", "-o", "openmetrics"]);
  expect(stdout).toMatch(/\n# EOF\n$/);
  expect(stdout).toContain("# TYPE ebb_scalings counter\nebb_scalings_total{");
  expect((await run(["metrics"])).stdout).not.toContain("EOF");
});

describe("--port", () => {
  test("serves what is printed otherwise, with the folder's token, until it is interrupted", async () => {
    const [port = 0] = await freePorts(1);
    const stop = new AbortController();
    const given = { interrupted: stop.signal };
    const ran = run(["metrics", "--port", String(port), "--directory", folder()], given);
    const url = `http://127.0.0.1:${port}/metrics`;
    const asked = (headers = {}) => fetch(url, { headers }).catch(() => undefined);
    await until(async () => (await asked())?.status === 401);
    const file = join(folder(), "metrics-token");
    const token = (await readFile(file, "utf8")).trim();
    const answer = await asked({ authorization: `Bearer ${token}` });
    expect(await answer?.text()).toBe((await run(["metrics"])).stdout);
    stop.abort();
    expect((await ran).stdout).toBe(`Metrics: ${url} (bearer token in ${file})\n`);
    expect(await asked()).toBeUndefined();
  });

  test("that is taken, or is none, is an error in words", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const { stderr } = await run(["metrics", "--port", String(port), "--directory", folder()]);
    server.close();
    expect(stderr).toBe(`error: port ${port} is in use: choose another one for the metrics\n`);
    for (const odd of ["x", "-1", "65536", "9464.5"])
      expect((await run(["metrics", "--port", odd])).stderr).toContain("--port");
  });
});
