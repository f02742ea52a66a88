import { openReporter } from "../../functions/reporter";
import { readYaml } from "./read-template";

type Json = Readonly<Record<string, unknown>>;
type Given = Readonly<Record<string, string>>;
type Metric = readonly [namespace: string, name: string, dimension: string, value: string, options: { stat: string }];

interface Widget extends Readonly<Record<"x" | "y" | "width" | "height", number>> {
  readonly type: string;
  readonly properties: { readonly metrics?: readonly Metric[]; readonly alarms?: readonly string[] };
}

interface Dashboard {
  readonly Resources?: {
    readonly Dashboard: {
      readonly Type: string;
      readonly Properties: { readonly DashboardBody: { "Fn::Sub": string } };
    };
  };
}

const read = (file: string) =>
  jest.requireActual<(variables: { resolveVariable: (address: string) => Promise<unknown> }) => Promise<unknown>>(
    `../../infra/${file}`,
  );
const { params, functions } = readYaml<{ readonly params: { readonly default: Json }; readonly functions: Json }>(
  "serverless.yml",
);
const resolving = (own: Given) => ({
  resolveVariable: (address: string) => Promise.resolve({ ...params.default, ...own }[address.replace("param:", "")]),
});
const stackWith = (own: Given) => read("dashboard.cjs")(resolving(own)) as Promise<Dashboard>;

const optional = {
  notifyArn: "arn:aws:sns:eu-central-1:111122223333:ebb",
  metricsTokenArn: "arn:aws:ssm:eu-central-1:111122223333:parameter/ebb-metrics/token",
};

async function textWith(own: Given) {
  const { Resources } = await stackWith({ dashboard: "true", ...own });
  if (Resources === undefined) throw new Error("expected a dashboard");
  return Resources.Dashboard.Properties.DashboardBody["Fn::Sub"];
}
const widgetsWith = async (own: Given) =>
  (JSON.parse(await textWith(own)) as { readonly widgets: readonly Widget[] }).widgets;
const metricsWith = async (own: Given) =>
  (await widgetsWith(own)).flatMap(({ properties }) => properties.metrics ?? []);

/** Everything that ebb counts, by calling all that counts. */
function countedByEbb(): readonly string[] {
  const names = new Set<string>();
  const metrics = {
    addMetric: (name: string) => void names.add(name),
    hasStoredMetrics: () => false,
    publishStoredMetrics: () => undefined,
  };
  const logger = { info: () => undefined, warn: () => undefined, error: () => undefined, appendKeys: () => undefined };
  const reporter = openReporter({ logger, metrics } as unknown as Parameters<typeof openReporter>[0]);
  const counts = { hpas: 1, scaled: 1, failed: 1, behind: 1, lagMs: 1, durationMs: 1 };
  for (const outcome of ["synced", "late"])
    reporter.synced({ ...counts, outcome } as Parameters<typeof reporter.synced>[0]);
  reporter.ticked({ clusters: 1, shards: 1, messages: 1, failing: 1 });
  reporter.messageFailed(new Error("x"), { messageId: "1", body: "" });
  reporter.signatureRefused();
  reporter.unsent(1);
  return [...names];
}

/** What AWS counts for every function, queue and table, by its one dimension (the services' user guides). */
const countedByAws: Readonly<Record<string, readonly [dimension: string, names: readonly string[]]>> = {
  "AWS/Lambda": ["FunctionName", ["Invocations", "Errors", "Throttles", "Duration", "ConcurrentExecutions"]],
  "AWS/SQS": ["QueueName", ["ApproximateAgeOfOldestMessage", "ApproximateNumberOfMessagesVisible"]],
  "AWS/DynamoDB": [
    "TableName",
    ["ConsumedReadCapacityUnits", "ConsumedWriteCapacityUnits", "ReadThrottleEvents", "WriteThrottleEvents"],
  ],
};

test("it is there only if it is asked for: a fourth one costs money", async () => {
  expect(params.default["dashboard"]).toBe(false);
  expect(await stackWith({})).toEqual({});
  await expect(stackWith({ dashboard: "yes" })).rejects.toThrow('param dashboard: expected true or false, got "yes"');
});

describe.each<[string, Given]>([
  ["the default stack", {}],
  ["notify", { notifyArn: optional.notifyArn }],
  ["everything", optional],
])("that of %s", (_, own) => {
  test("shows metrics that ebb or AWS counts, by their one dimension", async () => {
    const ofEbb = countedByEbb();
    const metrics = await metricsWith(own);
    expect(metrics.length).toBeGreaterThan(20);
    for (const [namespace, name, dimension, value] of metrics) {
      const [expected, names] = namespace === "ebb" ? ["service", ofEbb] : (countedByAws[namespace] ?? ["", []]);
      expect([namespace, name, names.includes(name)]).toEqual([namespace, name, true]);
      expect(dimension).toBe(expected);
      if (namespace === "ebb") expect(value).toBe("${self:service}-${sls:stage}");
    }
  });

  test("names resources that this stack has, each function among them", async () => {
    const ids = [...(await textWith(own)).matchAll(/\$\{(\w+)(?:\.\w+)?\}/g)].map(([, id = ""]) => id);
    const files = ["alarms.yml", "queues.yml", "table.yml"].map((file) =>
      readYaml<{ Resources: Json }>(`infra/${file}`),
    );
    const { resources } = (await read("notify.cjs")(resolving(own))) as { resources: { Resources?: Json } };
    const absent = [...(own["notifyArn"] === undefined ? ["notify"] : [])];
    if (own["metricsTokenArn"] === undefined) absent.push("metrics");
    const deployed = Object.keys(functions).filter((name) => !absent.includes(name));
    const logical = deployed.map((name) => `${name.charAt(0).toUpperCase()}${name.slice(1)}LambdaFunction`);
    const there = [...files, resources].flatMap(({ Resources = {} }) => Object.keys(Resources));
    expect([...there, ...logical]).toEqual(expect.arrayContaining(ids));
    expect(ids).toEqual(expect.arrayContaining(logical));
    const alarms = there.filter((id) => id.endsWith("Alarm"));
    const [list] = await widgetsWith(own);
    expect(list?.properties.alarms).toEqual(alarms.map((id) => `\${${id}.Arn}`));
  });

  test("has a place for each chart, and no more metrics than a free one may", async () => {
    const widgets = await widgetsWith(own);
    const cells = widgets.flatMap(({ x, y, width, height }) => {
      expect(x + width).toBeLessThanOrEqual(24);
      return Array.from({ length: width * height }, (_, at) => `${x + (at % width)},${y + Math.floor(at / width)}`);
    });
    expect(new Set(cells).size).toBe(cells.length);
    expect((await metricsWith(own)).length).toBeLessThanOrEqual(50);
  });
});

test("it shows each of ebb's own metrics but the one that says who signed a request", async () => {
  const shown = new Set((await metricsWith(optional)).filter(([space]) => space === "ebb").map(([, name]) => name));
  expect(countedByEbb().filter((name) => !shown.has(name))).toEqual(["SignaturesRefused"]);
});
