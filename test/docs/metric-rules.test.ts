import { readFileSync } from "node:fs";
import { parse } from "yaml";
import { checkDocument } from "../../cli/write/documents/check-document";
import { rulesOfSource } from "../../lib/model/entry/metric-rules";
import type { SourceEntry } from "../../lib/model/entry/entries";
import { play, type Read } from "../core/rules/play";

const page = readFileSync("docs/metrics.md", "utf8");
const section = page.slice(page.indexOf("## Rules of a metric"), page.indexOf("## Time limits"));

function codeOf(language: string): string {
  return new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(section)?.[1] ?? "";
}

const source = parse(codeOf("yaml")) as { readonly spec: SourceEntry["spec"] };

/** "| 00:15 | 40 | 4 | why |" */
const rows = [...section.matchAll(/^\| (\d\d):(\d\d) +\| (\S+) +\| (\d+) +\|/gm)].map(
  ([, minutes, seconds, queue, size]) => ({
    at: Number(minutes) * 60 + Number(seconds),
    read: queue === "error" ? ("?" as const) : (Number(queue) satisfies Read),
    size: Number(size),
  }),
);

test("the source of the example is valid", () => {
  expect(checkDocument(source, "default")).toHaveProperty("checked.ref.kind", "MetricSource");
});

test("the example goes as its table says", () => {
  expect(rows.length).toBeGreaterThan(10);
  expect(rows.map(({ at }) => at)).toEqual(rows.map((_, index) => index * 15));
  let size = 0;
  const played = play(
    rows.map(({ read }) => read),
    { rules: rulesOfSource(source.spec), spec: { minReplicas: 0, maxReplicas: 10 } },
  ).map(({ scaleTo }) => (size = scaleTo ?? size));
  expect(played).toEqual(rows.map((row) => row.size));
});

test("the annotation of the example can be given", () => {
  const [, text = ""] = /'ebb\.dev\/metric-rules=(.*)'/.exec(section) ?? [];
  const metadata = { name: "orders", annotations: { "ebb.dev/metric-rules": text } };
  const target = { type: "AverageValue", averageValue: "10" };
  const metrics = [
    { type: "External", external: { metric: { name: "sqs", selector: { matchLabels: { queue: "orders" } } }, target } },
    { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 60 } } },
  ];
  const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "orders" };
  const spec = { scaleTargetRef, minReplicas: 0, maxReplicas: 10, metrics };
  const hpa = { apiVersion: "autoscaling/v2", kind: "HorizontalPodAutoscaler", metadata, spec };
  expect(checkDocument(hpa, "default")).toHaveProperty("checked.ref.name", "orders");
});
