import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse, parseAllDocuments } from "yaml";
import type { HorizontalPodAutoscaler } from "../../lib/k8s/hpa";
import { parseCloudWatchQuery } from "../../lib/sources/cloudwatch/cloudwatch-query";

import { openSqsClients } from "../../lib/aws/clients";
import { openSqsSource } from "../../lib/sources/sqs/sqs";
import { startSqsServer } from "./sqs/sqs-server";
import { readAll } from "./read-all";
import { noLimit } from "../time/no-limit";

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

  expect(parseCloudWatchQuery({ metricName: "cloudwatch", parameters: labels[0] ?? {} }).description).toBe(
    "Maximum of AWS/SQS ApproximateAgeOfOldestMessage{QueueName=invoices} over 60 s in eu-central-1",
  );
  expect(item.sk.S).toBe(`SOURCE#${hpa.spec.metrics?.[1]?.external?.metric.name}`);
  const merged = parseCloudWatchQuery({
    metricName: "seconds-of-work",
    parameters: { ...source.parameters, ...labels[1] },
  });
  expect(merged.description).toBe(`expression "visible * FILL(seconds, 1)" over 60 s in eu-central-1`);
  expect(merged.parts.map(({ MetricStat }) => MetricStat?.Metric?.Dimensions)).toEqual([
    [{ Name: "QueueName", Value: "invoices" }],
    [{ Name: "QueueName", Value: "invoices" }],
    undefined,
  ]);
});

test("the example of several queues reads the sum of each metric's queues", async () => {
  const [hpa, source] = parseAllDocuments(text("hpa-sqs-queues.yaml")).map(
    (document) => document.toJS() as unknown,
  ) as [
    HorizontalPodAutoscaler,
    { readonly metadata: { readonly name: string }; readonly spec: { readonly parameters: Record<string, unknown> } },
  ];
  const [listed, byPrefix] = hpa.spec.metrics?.map((metric) => metric.external?.metric) ?? [];
  expect(listed?.name).toBe(source.metadata.name);
  const server = await startSqsServer();
  try {
    const counts = { orders: 1, returns: 2, "invoices.fifo": 4, "tenant-orders-a": 8, "tenant-orders-b": 16, dlq: 32 };
    for (const [name, count] of Object.entries(counts))
      server.queues.set(name, {
        ApproximateNumberOfMessages: String(count),
        ApproximateNumberOfMessagesNotVisible: "0",
      });
    const credentials = { accessKeyId: "test", secretAccessKey: "test" };
    const sqs = openSqsSource(openSqsClients({ endpoint: server.url, region: "eu-west-1", credentials }));
    const queries = [source.spec.parameters, { ...byPrefix?.selector?.matchLabels }].map((parameters) => ({
      metricName: "sqs",
      parameters,
    }));
    const readings = await readAll(sqs, queries, 0, noLimit());
    expect(readings).toMatchObject([{ items: [{ value: "7" }] }, { items: [{ value: "24" }] }]);
  } finally {
    await server.close();
  }
});
