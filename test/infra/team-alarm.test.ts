import { Logger } from "@aws-lambda-powertools/logger";
import { Metrics } from "@aws-lambda-powertools/metrics";
import type { FailureLine } from "../../lib/model/report";
import { openReporter } from "../../functions/reporter";
import { matchesLogFilter } from "./log-filter";
import { readYaml } from "./read-template";

/** The lines that ebb writes, and the filter of examples/alarms/team.yaml, with the parameters in its comment. */
const { Resources } = readYaml<{
  readonly Resources: Readonly<Record<string, { readonly Properties: Readonly<Record<string, unknown>> }>>;
}>("examples/alarms/team.yaml");
const { "Fn::Sub": template } = Resources["FailingHpas"]?.Properties["FilterPattern"] as { readonly "Fn::Sub": string };
const pattern = template.replace("${Cluster}", "prod").replace("${Namespace}", "shop");

const at = Date.parse("2026-03-01T12:15:00Z");
const failure: FailureLine = {
  ...{ cluster: "prod", key: "shop/orders", reason: "FailedGetScale", message: "not found" },
  ...{ at, failingSince: at - 900_000 },
};

function lineOf(line: FailureLine): Readonly<Record<string, unknown>> {
  const lines: string[] = [];
  process.env["POWERTOOLS_DEV"] = "true";
  const warn = jest.spyOn(console, "warn").mockImplementation((text: string) => void lines.push(text));
  try {
    openReporter({ logger: new Logger(), metrics: new Metrics({ namespace: "ebb" }) }).failed(line);
  } finally {
    warn.mockRestore();
  }
  return JSON.parse(lines.join("")) as Readonly<Record<string, unknown>>;
}

const { failingSince: _, ...isNew } = failure;
const { key: __, ...ofNobody } = failure;

test.each<[string, FailureLine, boolean]>([
  ["an HPA of the team that has failed for long", failure, true],
  ["one that fails since now", isNew, false],
  ["one of another team", { ...failure, key: "pay/orders" }, false],
  ["one of a namespace that begins as the team's", { ...failure, key: "shop-test/orders" }, false],
  ["one of another cluster", { ...failure, cluster: "prod-2" }, false],
  ["a failure of a whole shard", ofNobody, false],
])("%s", (_what, line, expected) => {
  expect(matchesLogFilter(pattern, lineOf(line))).toBe(expected);
});

test("the alarm reads the metric that the filter writes", () => {
  const [transformation] = Resources["FailingHpas"]?.Properties["MetricTransformations"] as readonly {
    readonly MetricNamespace: unknown;
    readonly MetricName: unknown;
  }[];
  const { Namespace, MetricName } = Resources["HpasFail"]?.Properties ?? {};
  expect(transformation).toMatchObject({ MetricNamespace: Namespace, MetricName });
});

test("a pattern that this matcher does not know is an error", () => {
  expect(() => matchesLogFilter("{ $.a > 1 }", {})).toThrow("$.a > 1");
  expect(() => matchesLogFilter("text", {})).toThrow("text");
});
