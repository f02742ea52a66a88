import { spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serveMetrics } from "../../cli/look/metrics/serve-metrics";
import { dryRunAnnotation } from "../../lib/model/entry/annotation-names";
import { readFleet } from "../../lib/read/fleet";
import { boardQueries, filledIn } from "../examples/grafana";
import { examplePath } from "../examples/examples";
import { at, historyWorld, minute } from "../sync/history/world";
import { document, metricValue, queueSpec, sourceOf } from "../sync/sync-fixture";
import { installedProgram } from "./servers/installed";

/**
 * Three hours of real syncs on a simulated clock, scraped each minute as a Prometheus would: HPAs are in trouble in the
 * second half hour, then slots and scrapes stop for a while. promtool asks what dashboards ask, and evaluates alerts.
 */
const minutes = 180;
const [troubled, healed] = [20, 75];
const noSlots = [90, 110] as const;
const lateSlots = [120, 140] as const;
const noScrapes = [150, 165] as const;
const isIn = (index: number, [first, last]: readonly [number, number]) => index >= first && index < last;

/** What kubernetes-mixin and kubernetes-autoscaling-mixin select by default. */
const job = "kube-state-metrics";
const ofMixin = `job="${job}"`;
const signal = new AbortController().signal;

const specOf = (name: string, minReplicas: number) => ({
  ...queueSpec,
  minReplicas,
  scaleTargetRef: { ...queueSpec.scaleTargetRef, name },
  metrics: [
    {
      type: "External" as const,
      external: { metric: { name: `${name}-depth` }, target: { type: "AverageValue" as const, averageValue: "5" } },
    },
  ],
});

async function recordHours(): Promise<readonly string[]> {
  const day = historyWorld();
  const hpas = { maxed: 0, dry: 1, blind: 1, asleep: 1 };
  day.store.documents.delete("prod shop/orders");
  const put = (name: keyof typeof hpas, annotations = {}) => {
    const whole = document(specOf(name, hpas[name]), `shop/${name}`) as { readonly metadata: object };
    const metadata = { ...whole.metadata, annotations };
    day.store.documents.set(`prod shop/${name}`, { ...whole, metadata });
  };
  for (const name of ["maxed", "dry", "blind", "asleep"] as const) {
    put(name);
    day.cluster.add(`shop/${name}`, 2);
  }
  const depth = (name: string, value: number) =>
    day.cluster.external.set(`${name}-depth`, [metricValue(`${name}-depth`, value)]);
  let isTroubled = false;
  const sources = {
    "blind-depth": sourceOf(() =>
      isTroubled ? { error: "no answer", from: "blind-depth" } : { items: [metricValue("blind-depth", 10)] },
    ),
  };
  const server = await serveMetrics({
    fleet: (ended) => readFleet({ store: day.store, history: day.history }, day.clock.now, ended),
    now: () => day.clock.now,
    token: "t",
    port: 0,
  });
  const scrapes: string[] = [];
  try {
    for (let index = 0; index < minutes; index++) {
      isTroubled = isIn(index, [troubled, healed]);
      depth("maxed", isTroubled ? 500 : 10);
      depth("dry", isTroubled ? 30 + (index % 3) : 10);
      depth("asleep", 10);
      if (index === troubled) put("dry", { [dryRunAnnotation]: "true" });
      if (index === healed) put("dry");
      if (index === troubled) day.cluster.scales.get("shop/asleep")!.replicas = 0;
      if (index === healed) day.cluster.scales.get("shop/asleep")!.replicas = 1;
      const afterMs = isIn(index, lateSlots) ? 9_000 : 200;
      if (!isIn(index, noSlots))
        for (let slot = minute(index); slot < minute(index + 1); slot++)
          await day.sync(slot, { history: day.history, sources, afterMs });
      day.clock.now = at(index) + 55_000;
      if (isIn(index, noScrapes)) scrapes.push("");
      else {
        const answer = await fetch(server.url, { headers: { authorization: "Bearer t" }, signal });
        if (!answer.ok) throw new Error(await answer.text());
        scrapes.push(await answer.text());
      }
    }
  } finally {
    await server.close();
  }
  return scrapes;
}

/** One value a minute. A series that a scrape lacks is stale, as Prometheus makes it. */
function seriesOf(scrapes: readonly string[]): readonly { readonly series: string; readonly values: string }[] {
  const all = new Map<string, string[]>();
  scrapes.forEach((text, index) => {
    for (const line of text.split("\n")) {
      const [, name, labels = "", value = ""] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
      if (name === undefined) continue;
      const series = `${name}{${[labels, ofMixin, 'instance="ebb:9464"'].filter((one) => one !== "").join(",")}}`;
      const values = all.get(series) ?? [];
      while (values.length < index) values.push(values.length === 0 ? "_" : "stale");
      all.set(series, [...values, value]);
    }
  });
  return [...all].map(([series, values]) => {
    while (values.length < scrapes.length) values.push("stale");
    return { series, values: values.join(" ") };
  });
}

interface Asked {
  readonly expr: string;
  readonly at: number;
  /** Labels and value. */
  readonly answer: readonly (readonly [labels: string, value: number])[];
}

let folder: string;
let series: ReturnType<typeof seriesOf>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "ebb-grafana-"));
  series = seriesOf(await recordHours());
}, 120_000);
afterAll(() => rm(folder, { recursive: true }));

async function promtool(asked: readonly Asked[], rules: readonly object[] = []): Promise<string> {
  await writeFile(join(folder, "mixin.json"), JSON.stringify({ groups: [{ name: "mixin", rules }] }));
  const tests = {
    rule_files: [examplePath("grafana/alerts.yaml"), join(folder, "mixin.json")],
    evaluation_interval: "1m",
    tests: [
      {
        interval: "1m",
        input_series: series,
        promql_expr_test: asked.map(({ expr, at: index, answer }) => ({
          ...{ expr, eval_time: `${index}m` },
          exp_samples: answer.map(([labels, value]) => ({ labels, value })),
        })),
      },
    ],
  };
  // JSON is YAML.
  const file = join(folder, "tests.json");
  await writeFile(file, JSON.stringify(tests));
  const { stdout, stderr, status } = spawnSync(installedProgram("promtool"), ["test", "rules", file]);
  return `${status} ${stdout.toString()}${stderr.toString()}`.replace(/^0 Unit Testing: .*\n\s*SUCCESS\s*$/, "");
}

/** Whether a query has ever answered. */
const ever = (expr: string): Asked => ({
  expr: `clamp_max(count_over_time((count(${expr}))[${minutes}m:5m]), 1)`,
  ...{ at: minutes - 1, answer: [["{}", 1]] },
});

test("each query of the board answers", async () => {
  const given = {
    ...{ cluster: "prod", namespace: "shop", hpa: "maxed", __rate_interval: "4m" },
  };
  const queries = boardQueries().map(({ expr }) => filledIn(expr, given));
  expect(queries.length).toBeGreaterThan(25);
  expect(await promtool(queries.map(ever))).toBe("");
  expect(await promtool([ever("ebb_nothing")])).toContain("FAILED");
}, 120_000);

const ofHpa = `cluster="prod",${ofMixin},namespace="shop",horizontalpodautoscaler="maxed"`;
const ofMetric = `${ofHpa},metric_name="maxed-depth",metric_target_type="average"`;
const family = (name: string) => `kube_horizontalpodautoscaler_${name}`;

test("the queries of kubernetes-autoscaling-mixin's HPA board answer what the HPA had", async () => {
  const total = (name: string) => `round(sum(${family(name)}{${ofHpa}}))`;
  const target = (name: string) =>
    `sum by (job, namespace, horizontalpodautoscaler, metric_name, metric_target_type) (${family(name)}{${ofMetric}})`;
  const labels = `{job="${job}", namespace="shop", horizontalpodautoscaler="maxed", metric_name="maxed-depth", metric_target_type="average"}`;
  const when = healed - 5;
  const answers: readonly (readonly [string, string, number])[] = [
    [total("status_desired_replicas"), "{}", 10],
    [total("status_current_replicas"), "{}", 10],
    [total("spec_min_replicas"), "{}", 0],
    [total("spec_max_replicas"), "{}", 10],
    [target("spec_target_metric"), labels, 5],
    [target("status_target_metric"), labels, 50],
  ];
  const asked = answers.map(([expr, of, value]): Asked => ({ expr, at: when, answer: [[of, value]] }));
  expect(await promtool(asked)).toBe("");
}, 120_000);

const by = "on (cluster, namespace, horizontalpodautoscaler)";
const kube = (name: string) => `${family(name)}{${ofMixin}}`;

/** The conditions of kubernetes-mixin's two alerts. */
const mixin = [
  {
    alert: "KubeHpaReplicasMismatch",
    for: "15m",
    expr: [
      `(${kube("status_desired_replicas")} != ${kube("status_current_replicas")})`,
      `(${kube("status_current_replicas")} > ${kube("spec_min_replicas")})`,
      `(${kube("status_current_replicas")} < ${kube("spec_max_replicas")})`,
      `(changes(${kube("status_current_replicas")}[15m]) == 0)`,
    ].join(" and "),
  },
  {
    alert: "KubeHpaMaxedOut",
    for: "15m",
    expr:
      `(${kube("status_current_replicas")} == ${by} ${kube("spec_max_replicas")})` +
      ` and ${by} (${kube("spec_max_replicas")} != ${by} ${kube("spec_min_replicas")})`,
  },
];

const hpaLabel = (name: string) => `{horizontalpodautoscaler="${name}"}`;

test.each<[alert: string, of: string, moments: readonly [before: number, during: number, after: number]]>([
  ["KubeHpaReplicasMismatch", hpaLabel("dry"), [troubled + 14, healed - 2, healed + 10]],
  ["KubeHpaMaxedOut", hpaLabel("maxed"), [troubled + 14, healed - 2, healed + 10]],
  ["EbbHpaFailing", hpaLabel("blind"), [troubled + 9, healed - 2, healed + 10]],
  ["EbbHpaUnknownMetric", hpaLabel("blind"), [troubled + 9, healed - 2, healed + 10]],
  ["EbbZeroDoesNotWake", hpaLabel("asleep"), [troubled + 9, healed - 2, healed + 10]],
  ["EbbSlotsMissing", "{}", [noSlots[0] + 5, noSlots[1] - 1, noSlots[1] + 5]],
  ["EbbSlotsLag", "{}", [lateSlots[0] + 9, lateSlots[1] - 1, lateSlots[1] + 9]],
  ["EbbMetricsMissing", "{}", [noScrapes[0] + 9, noScrapes[1] - 1, noScrapes[1] + 5]],
])(
  "%s fires of %s, not before its time, and clears",
  async (alert, of, [before, during, after]) => {
    const expr = `count by (horizontalpodautoscaler) (ALERTS{alertname="${alert}",alertstate="firing"})`;
    const asked: readonly Asked[] = [
      { expr, at: before, answer: [] },
      { expr, at: during, answer: [[of, 1]] },
      { expr, at: after, answer: [] },
      { expr, at: minutes - 1, answer: [] },
    ];
    expect(await promtool(asked, mixin)).toBe("");
  },
  120_000,
);
