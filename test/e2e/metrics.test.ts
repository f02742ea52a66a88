import { spawnSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CreateTableCommand } from "@aws-sdk/client-dynamodb";
import { CreateSecretCommand } from "@aws-sdk/client-secrets-manager";
import { asHpaKey } from "../../lib/model/hpa-key";
import { flagsOf, type HistorySample, type RosterHpa } from "../../lib/model/stored/history";
import { tableDefinition } from "../../lib/table/items/keys";
import { recordHistory, type RecordedShard } from "../cli/recorded-history";
import { now, tableForTests } from "../cli/table";
import { openMetrics } from "../../cli/look/metrics/serve-metrics";
import { awsClients } from "./servers/aws";
import { inCheckout } from "./servers/checkout";
import { type Child, startChild } from "./servers/child";
import { type Emulator, startMoto } from "./servers/emulator";
import { eventually } from "./servers/eventually";
import { freePorts } from "./servers/free-ports";
import { startPrometheus } from "./servers/prometheus";
import { installedProgram } from "./servers/installed";
import { serverFolder } from "./servers/server-folder";

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

const recorded: RecordedShard = {
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
};

beforeAll(async () => {
  await register("prod");
  await recordHistory(table(), recorded);
});

async function scraped(prometheusUrl: string, query: string): Promise<string | undefined> {
  const response = await fetch(`${prometheusUrl}/api/v1/query?query=${encodeURIComponent(query)}`);
  const { data } = (await response.json()) as { data: { result: { value: [number, string] }[] } };
  return data.result[0]?.value[1];
}

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
    const valueOf = (query: string) => scraped(prometheus.url, query);
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

describe("the function of the stack", () => {
  const first = "the-first-token-of-the-secret";
  const folder = serverFolder();
  let moto: Emulator;
  let host: Child;
  let url: string;

  beforeAll(async () => {
    moto = await startMoto();
    const aws = awsClients(moto);
    const { dynamo, table: client, secrets } = aws;
    await dynamo.send(new CreateTableCommand(tableDefinition("ebb-e2e")));
    await recordHistory({ client, name: "ebb-e2e" }, recorded);
    const secret = new CreateSecretCommand({ Name: "ebb-metrics", SecretString: first });
    const { ARN: arn = "" } = await secrets.send(secret);
    aws.destroy();
    const [port = 0] = await freePorts(1);
    url = `http://127.0.0.1:${port}/metrics`;
    host = await startChild({
      ...{ name: "function-url", command: process.execPath, cwd: folder.path, log: folder.log("function-url") },
      args: [
        inCheckout("test/e2e/servers/function-url.mjs"),
        inCheckout("dist/functions/metrics.js"),
        String(port),
        "30000",
      ],
      env: { ...moto.env, TABLE_NAME: "ebb-e2e", METRICS_TOKEN: arn },
      ready: async () => (await fetch(url)).status === 401,
      readyTimeoutMs: 30_000,
    });
  }, 60_000);
  afterAll(async () => {
    await host.stop();
    await moto.stop();
    folder.remove();
  });

  test("is scraped by a Prometheus with the token of its secret, and by nobody without", async () => {
    const prometheus = await startPrometheus({ global: { scrape_interval: "1s" } });
    try {
      prometheus.put("token", `${first}\n`);
      prometheus.put("wrong", `${first}s\n`);
      const targets = [new URL(url).host];
      const job = (job_name: string) => ({
        ...{ job_name, authorization: { credentials_file: job_name }, static_configs: [{ targets }] },
      });
      await prometheus.configure({ global: { scrape_interval: "1s" }, scrape_configs: [job("token"), job("wrong")] });
      const valueOf = (query: string) => scraped(prometheus.url, query);
      await eventually("it scrapes", async () => expect(await valueOf('up{job="token"}')).toBe("1"));
      await eventually("the other is refused", async () => expect(await valueOf('up{job="wrong"}')).toBe("0"));
      expect(await valueOf("kube_horizontalpodautoscaler_spec_max_replicas")).toBe("10");
      expect(await valueOf("horizontal_pod_autoscaler_controller_reconciliations_total")).toBe("1");
    } finally {
      await prometheus.stop();
    }
  }, 90_000);

  test("answers what promtool accepts", async () => {
    const answer = await fetch(url, { headers: { authorization: `Bearer ${first}` } });
    const text = await answer.text();
    expect(text).toContain("kube_horizontalpodautoscaler_spec_target_metric{");
    expect(checked(text)).toEqual({ status: 0, printed: "" });
  });
});
