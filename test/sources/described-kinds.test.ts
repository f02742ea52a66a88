import type { Advice } from "../../lib/model/advice";
import { descriptionOf, descriptions, isForwarded } from "../../lib/sources/descriptions";
import type { KindName } from "../../lib/sources/registry";

/** With each command in backquotes, as a person types it. */
const shown = ({ parts }: Advice) =>
  parts
    .map((part) =>
      typeof part === "string"
        ? part
        : part.pipe.map(({ program, words }) => `\`${[program, ...words].join(" ")}\``).join(" | "),
    )
    .join("");

const adviceFor = (kind: KindName, parameters: Readonly<Record<string, unknown>>) => {
  const { advice } = descriptions[kind];
  return advice === undefined ? undefined : shown(advice({ cluster: "prod", parameters }));
};

const sqs = (command: string) =>
  `check that the queue exists${command} and that ebb's roles allow sqs:GetQueueUrl, sqs:GetQueueAttributes and, for queuePrefix, sqs:ListQueues, and for measure age cloudwatch:GetMetricData; a queue of another account has to allow them too (docs/sources/sqs.md, Grants)`;
const cloudWatch = (command: string) =>
  `check that the metric has data${command} and that ebb's roles allow cloudwatch:GetMetricData`;
const workload = (command: string) =>
  `check that the pods or the object's field are there${command}, and what ebb may read there (ebb rbac)`;
const formula = (command: string) => `check that each operand can be read by itself${command}`;
const field = { namespace: "shop", resource: "queues", name: "orders" };

test.each<[KindName, Readonly<Record<string, unknown>>, string | undefined]>([
  ["sqs", { queue: "orders" }, sqs(" (`aws sqs get-queue-url --queue-name orders`)")],
  [
    "sqs",
    { queue: "arn:aws:sqs:eu-west-1:123456789012:orders", region: "eu-west-1" },
    sqs(" (`aws sqs get-queue-url --queue-name orders --region eu-west-1`)"),
  ],
  [
    "sqs",
    { queue: "https://sqs.eu-west-1.amazonaws.com/123456789012/orders", region: 5 },
    sqs(" (`aws sqs get-queue-url --queue-name orders`)"),
  ],
  ["sqs", { queuePrefix: "orders-" }, sqs("")],
  ["sqs", { queue: "https://sqs.eu-west-1.amazonaws.com/" }, sqs("")],
  ["sqs", { queue: 5 }, sqs("")],
  [
    "cloudwatch",
    { namespace: "App", metricName: "Backlog" },
    cloudWatch(" (`aws cloudwatch list-metrics --namespace App --metric-name Backlog`)"),
  ],
  [
    "cloudwatch",
    { namespace: "App", metric: "Backlog", region: "eu-west-1" },
    cloudWatch(" (`aws cloudwatch list-metrics --namespace App --metric-name Backlog --region eu-west-1`)"),
  ],
  ["cloudwatch", { namespace: "App", metricName: 5 }, cloudWatch("")],
  ["cloudwatch", { namespace: 5, metricName: "Backlog", region: 5 }, cloudWatch("")],
  [
    "cloudwatch",
    { namespace: "App", metricName: "Backlog", region: 5 },
    cloudWatch(" (`aws cloudwatch list-metrics --namespace App --metric-name Backlog`)"),
  ],
  [
    "workload",
    { namespace: "shop", podSelector: "app=producer" },
    workload(" (`kubectl get pods -n shop -l app=producer`)"),
  ],
  [
    "workload",
    { ...field, apiVersion: "example.com/v1" },
    workload(" (`kubectl get queues.v1.example.com orders -n shop -o yaml`)"),
  ],
  ["workload", { ...field, apiVersion: "v1" }, workload(" (`kubectl get queues orders -n shop -o yaml`)")],
  ["workload", { ...field, namespace: 5 }, workload("")],
  ["workload", { podSelector: "app=producer" }, workload("")],
  [
    "formula",
    { operands: [{ source: "sqs", labels: { queue: "orders", region: "x" } }, { source: "mail" }] },
    formula(" (`ebb read sqs queue=orders region=x --cluster prod` and `ebb read mail --cluster prod`)"),
  ],
  [
    "formula",
    { operands: [5, { source: 5 }, { source: "sqs", labels: 5 }] },
    formula(" (`ebb read sqs --cluster prod`)"),
  ],
  ["formula", { operands: "orders" }, formula("")],
  [
    "postgresql",
    {},
    "check that the address answers and that the user may run the query (psql), which gives one row with one number",
  ],
  [
    "redis",
    {},
    "check that the address answers (redis-cli), and that the user may run TYPE and the command that counts",
  ],
  [
    "kafka",
    {},
    "check that kafka-consumer-groups --describe shows the group at this address, and that the user may describe the group and the topics",
  ],
  ["http", {}, "check that the address answers (curl), and that path or metric finds the number in the answer"],
  [
    "prometheus",
    {},
    "check that the address answers and that the query finds one number (promtool query instant <url> <query>); for sigv4Region, that ebb's roles allow aps:QueryMetrics",
  ],
  [
    "rabbitmq",
    {},
    "check that the management plugin is enabled at url, and that the secret's user has the tag management and access to the virtual host",
  ],
  ["schedule", {}, undefined],
])("what to check of a source of kind %s with %j", (kind, parameters, expected) => {
  expect(adviceFor(kind, parameters)).toBe(expected);
});

test("what ebb's roles may read is what the kinds read", () => {
  expect(Object.values(descriptions).flatMap(({ iam }) => iam)).toEqual([
    {
      Sid: "ReadQueueDepths",
      Action: ["sqs:GetQueueAttributes", "sqs:GetQueueUrl"],
      Resource: "${file(infra/params.cjs):queueArns}",
    },
    { Sid: "ListQueues", Action: "sqs:ListQueues", Resource: "*" },
    { Sid: "ReadCloudWatch", Action: "cloudwatch:GetMetricData", Resource: "*" },
    { Sid: "QueryWorkspaces", Action: "aps:QueryMetrics", Resource: "${file(infra/params.cjs):workspaceArns}" },
  ]);
});

test("the kinds that speak over TCP need the right to forward a port", () => {
  const forwarded = Object.keys(descriptions).filter(isForwarded);
  expect(forwarded).toEqual(["redis", "postgresql", "kafka"]);
  expect(isForwarded("none")).toBe(false);
});

test.each(Object.values(descriptions))(
  "the example of $name can be read as it is",
  ({ name, parse, check, example }) => {
    expect(Object.keys(example).length).toBeGreaterThan(0);
    expect(parse({ metricName: name, parameters: example })).toBeDefined();
    expect(() => check?.(example)).not.toThrow();
  },
);

test("the example of a formula reads two queues", () => {
  expect(descriptions.formula.example).toEqual({
    formula: "max(orders, mail * 2)",
    operands: [
      { name: "orders", source: "sqs", labels: { queue: "orders" } },
      { name: "mail", source: "sqs", labels: { queue: "mail" } },
    ],
  });
});

test("the example of a kind has the target of one replica", () => {
  const targets = Object.values(descriptions).map(({ name, averageValue }) => [name, averageValue]);
  expect(Object.fromEntries(targets)).toEqual({ kafka: "50", schedule: "1" });
});

test("a name that every object inherits is no kind", () => {
  expect(descriptionOf("constructor")).toBeUndefined();
});

test("only a formula has operands", () => {
  const having = Object.values(descriptions).filter((kind) => "operands" in kind);
  expect(having.map(({ name }) => name)).toEqual(["formula"]);
});
