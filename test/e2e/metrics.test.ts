import { spawnSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { asHpaKey } from "../../lib/model/hpa-key";
import { flagsOf, type HistorySample, type RosterHpa } from "../../lib/model/stored/history";
import { recordHistory } from "../cli/recorded-history";
import { now, tableForTests } from "../cli/table";
import { openMetrics } from "../../cli/look/metrics/serve-metrics";
import { eventually } from "./servers/eventually";
import { startPrometheus } from "./servers/prometheus";
import { installedProgram } from "./servers/installed";

const { table, register, run } = tableForTests();

const spec: RosterHpa = {
  target: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
  ...{ minReplicas: 0, maxReplicas: 10, created: now - 1_000, generation: 3 },
  metrics: [{ label: "sqs(queue=a)", name: 'a "queue"\\\n', type: "External", unit: "average", target: 5 }],
};
const sample: HistorySample = {
  ...{ current: 2, desired: 4, recommended: 7, stabilized: 4, flags: flagsOf(["rate"]), conditions: 1 + 2 * 4 },
  metrics: [{ value: 12.5, averageValue: null }],
};

function checked(text: string) {
  const { status, stdout, stderr } = spawnSync(installedProgram("promtool"), ["check", "metrics"], { input: text });
  return { status, printed: `${stdout.toString()}${stderr.toString()}` };
}

beforeAll(async () => {
  await register("prod");
  await recordHistory(table(), {
    cluster: "prod",
    hpas: new Map([[asHpaKey('shop/w"eb\\'), spec]]),
    rows: [[now - 15_000, [sample]]],
    shard: {
      counters: {
        totals: { "scaled up": 1, "read sqs read": 4, zero: 15_000 },
        times: {
          "sync scale_up none": [7, 2, 1],
          "metric none none External": [7, 2, 1],
          lag: [9, 3, 1],
          run: [9, 3, 1],
        },
      },
    },
  });
});

test("a Prometheus on this machine scrapes `ebb metrics --port`, with the token's file", async () => {
  const folder = await mkdtemp(join(tmpdir(), "ebb-metrics-"));
  const metrics = await openMetrics(table(), { folder, port: 0, now: () => now });
  const [, target = "", file = ""] = /http:\/\/([^/]+)\/metrics \(bearer token in (.*)\)$/.exec(metrics.line) ?? [];
  const job = { job_name: "ebb", authorization: { credentials_file: file }, static_configs: [{ targets: [target] }] };
  // docs/history.md: under the names that dashboards select, beside a label of one's own.
  const labels = { job: "kube-state-metrics", cluster: "mine" };
  const named = { ...job, job_name: "named", honor_labels: true, static_configs: [{ targets: [target], labels }] };
  const prometheus = await startPrometheus({ global: { scrape_interval: "1s" }, scrape_configs: [job, named] });
  try {
    const valueOf = async (query: string) => {
      const response = await fetch(`${prometheus.url}/api/v1/query?query=${encodeURIComponent(query)}`);
      const { data } = (await response.json()) as { data: { result: { value: [number, string] }[] } };
      return data.result[0]?.value[1];
    };
    await eventually("it scrapes", async () => expect(await valueOf('up{job="ebb"}')).toBe("1"));
    const desired = "kube_horizontalpodautoscaler_status_desired_replicas";
    expect(await valueOf(`${desired}{job="ebb"}`)).toBe("4");
    await eventually("it scrapes under another name", async () =>
      expect(await valueOf(`${desired}{job="kube-state-metrics",cluster="prod"}`)).toBe("4"),
    );
    expect(await valueOf("horizontal_pod_autoscaler_controller_reconciliations_total")).toBe("1");
    const median =
      "histogram_quantile(0.5, horizontal_pod_autoscaler_controller_reconciliation_duration_seconds_bucket)";
    expect(Number(await valueOf(median))).toBeGreaterThan(0);
  } finally {
    await prometheus.stop();
    await metrics.close();
    await rm(folder, { recursive: true });
  }
}, 90_000);

test("promtool finds nothing to say about ebb's metrics, and something about others", async () => {
  const { stdout, exitCode } = await run(["metrics"]);
  expect(exitCode).toBe(0);
  expect(stdout).toContain("kube_horizontalpodautoscaler_status_target_metric{");
  expect(stdout).toContain("horizontal_pod_autoscaler_controller_reconciliation_duration_seconds_bucket{");
  expect(checked(stdout)).toEqual({ status: 0, printed: "" });
  expect(checked(stdout.replaceAll("_seconds", "_milliseconds")).printed).toContain("use base unit");
});
