import { spawnSync } from "node:child_process";
import { asHpaKey } from "../../lib/model/hpa-key";
import { flagsOf, type HistorySample, type RosterHpa } from "../../lib/model/stored/history";
import { recordHistory } from "../cli/recorded-history";
import { now, tableForTests } from "../cli/table";
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

test("promtool finds nothing to say about ebb's metrics, and something about others", async () => {
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
  const { stdout, exitCode } = await run(["metrics"]);
  expect(exitCode).toBe(0);
  expect(stdout).toContain("kube_horizontalpodautoscaler_status_target_metric{");
  expect(stdout).toContain("horizontal_pod_autoscaler_controller_reconciliation_duration_seconds_bucket{");
  expect(checked(stdout)).toEqual({ status: 0, printed: "" });
  expect(checked(stdout.replaceAll("_seconds", "_milliseconds")).printed).toContain("use base unit");
});
