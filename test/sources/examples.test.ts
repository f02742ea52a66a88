import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import type { HorizontalPodAutoscaler } from "../../lib/k8s/hpa";
import { parseCloudWatchQuery } from "../../lib/sources/cloudwatch/cloudwatch-query";

const text = (name: string): string => readFileSync(join(__dirname, "../../examples", name), "utf8");

type Attribute = { S: string } | { N: string } | { M: Record<string, Attribute> } | { L: Attribute[] };

function plain(attribute: Attribute): unknown {
  if ("S" in attribute) return attribute.S;
  if ("N" in attribute) return Number(attribute.N);
  if ("L" in attribute) return attribute.L.map(plain);
  return Object.fromEntries(Object.entries(attribute.M).map(([name, value]) => [name, plain(value)]));
}

test("the example HPA and the example source are understood, together too", () => {
  const hpa = parse(text("hpa-cloudwatch.yaml")) as HorizontalPodAutoscaler;
  const labels = hpa.spec.metrics?.map((metric) => metric.external?.metric.selector?.matchLabels ?? {}) ?? [];
  const item = JSON.parse(text("source-cloudwatch.json")) as { sk: { S: string }; spec: Attribute };
  const source = plain(item.spec) as { kind: string; parameters: Record<string, unknown> };

  expect(parseCloudWatchQuery({ metricName: "cloudwatch", parameters: labels[0] ?? {} }).asked).toBe(
    "Maximum of AWS/SQS ApproximateAgeOfOldestMessage{QueueName=invoices} over 60 s in eu-central-1",
  );
  expect(item.sk.S).toBe(`SOURCE#${hpa.spec.metrics?.[1]?.external?.metric.name}`);
  const merged = parseCloudWatchQuery({
    metricName: "seconds-of-work",
    parameters: { ...source.parameters, ...labels[1] },
  });
  expect(merged.asked).toBe(`expression "visible * FILL(seconds, 1)" over 60 s in eu-central-1`);
  expect(merged.parts.map(({ MetricStat }) => MetricStat?.Metric?.Dimensions)).toEqual([
    [{ Name: "QueueName", Value: "invoices" }],
    [{ Name: "QueueName", Value: "invoices" }],
    undefined,
  ]);
});
