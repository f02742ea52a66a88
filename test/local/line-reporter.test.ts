import { hpaKey } from "../../lib/model/hpa-key";
import { lineReporter } from "../../local/line-reporter";

const at = new Date(2026, 2, 1, 12, 0, 5).getTime();

function reported(colour = false) {
  const lines: string[] = [];
  return { lines, reporter: lineReporter((line) => lines.push(line), { colour }) };
}

const scaled = {
  cluster: "prod",
  namespace: "shop",
  name: "orders",
  target: "Deployment/orders",
  from: 0,
  to: 4,
  reason: "SuccessfulRescale",
  message: "New size: 4; reason: x above target",
  at,
};

test("a line for each scaling: time, namespace/target, from → to, reason, message", () => {
  const { lines, reporter } = reported();
  reporter.scaled(scaled);
  expect(lines).toEqual([
    "12:00:05  shop/Deployment/orders  0 → 4  SuccessfulRescale  New size: 4; reason: x above target",
  ]);
});

test("on a terminal the change is coloured", () => {
  const { lines, reporter } = reported(true);
  reporter.scaled(scaled);
  expect(lines[0]).toContain("\u001b[");
});

test("a failure names the HPA, or the cluster and how many of its HPAs", () => {
  const { lines, reporter } = reported();
  const failure = { cluster: "prod", reason: "FailedGetScale", message: "connection refused", at };
  reporter.failed({ ...failure, key: "shop/orders" });
  reporter.failed({ ...failure, hpas: 51 });
  reporter.failed(failure);
  expect(lines).toEqual([
    "12:00:05  shop/orders  FailedGetScale  connection refused",
    "12:00:05  cluster prod (51 HPAs)  FailedGetScale  connection refused",
    "12:00:05  cluster prod  FailedGetScale  connection refused",
  ]);
});

test("counts for the summary; syncs and ticks make no lines", () => {
  const { lines, reporter } = reported();
  const counts = { cluster: "prod", slot: 1, hpas: 1, scaled: 0, failed: 0, behind: 0, lagMs: 1, durationMs: 1 };
  reporter.synced({ ...counts, outcome: "synced" });
  reporter.synced({ ...counts, outcome: "late" });
  reporter.ticked({ clusters: 1, shards: 1, messages: 4 });
  expect(lines).toEqual([]);
  expect(reporter.totals).toEqual({ syncs: 1, scalings: 0, failures: 0 });
});

test("names and messages of others are shown escaped, each in its place", () => {
  const { lines, reporter } = reported(true);
  const evil = "x\n12:00:00  shop/web  9 → 0\r\u001b[2J\u009b31m\u0007\u202e\ty";
  reporter.scaled({ ...scaled, namespace: evil, target: evil, reason: evil, message: evil });
  const failure = { cluster: evil, reason: evil, message: evil, at };
  reporter.failed({ ...failure, key: hpaKey(evil, evil) });
  reporter.failed({ ...failure, hpas: 51 });
  reporter.recovered({ cluster: evil });
  reporter.recovered({ cluster: evil, key: hpaKey(evil, evil) });
  expect(lines).toHaveLength(5);
  const shown = "x\\n12:00:00  shop/web  9 → 0\\r^[[2J\\u009b31m\\u0007\\u202e\\ty";
  for (const line of lines) {
    // eslint-disable-next-line no-control-regex
    const text = line.replace(/\u001b\[\d+m/g, "");
    expect(text).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
    expect(text).toContain(shown);
  }
});
