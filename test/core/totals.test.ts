import type { MetricSpec, MetricTarget } from "../../lib/k8s/hpa";
import type { MetricResponse, Pod } from "../../lib/k8s/objects";
import { evaluate } from "../../lib/core/evaluate";
import { clock, external, hpaWith, noon, podOf, scaledToZero, scaleOf, situationWith, unhindered } from "./build";

const MAX_INT32 = 2 ** 31 - 1;

interface Given {
  readonly replicas?: number;
  readonly running?: number;
  readonly pods?: readonly Pod[];
}

function step(
  metric: MetricSpec,
  response: MetricResponse,
  { replicas = 4, running = replicas, pods = [] }: Given = {},
) {
  const spec = { metrics: [metric], behavior: unhindered, minReplicas: 0, maxReplicas: MAX_INT32 };
  const decision = evaluate(
    situationWith({
      hpa: hpaWith(spec, replicas === 0 ? scaledToZero : {}),
      scale: scaleOf(replicas, running),
      pods,
      metrics: [response],
    }),
    noon,
  );
  const [first] = decision.steps;
  return {
    replicas: first?.replicas,
    because: first?.because,
    detail: first?.detail,
    current: decision.status.currentMetrics,
    events: decision.events,
    last: decision.steps.at(-1),
  };
}

const externalWith = (target: Partial<MetricTarget>): MetricSpec => ({
  type: "External",
  external: { metric: { name: "queue" }, target: { type: "", ...target } },
});

const objectWith = (target: MetricTarget): MetricSpec => ({
  type: "Object",
  object: { metric: { name: "hits" }, describedObject: { kind: "Ingress", name: "shop" }, target },
});

const objectValue = (value: string | number): MetricResponse => ({
  items: [{ describedObject: { kind: "Ingress", name: "shop" }, metricName: "hits", timestamp: clock(0), value }],
});

const ready = (count: number) => Array.from({ length: count }, (_, index) => podOf(`p${index}`));

describe("AverageValue of 10 a pod", () => {
  test.each<[string, readonly (string | number)[], Given, number, string]>([
    ["a total of 100", ["100"], {}, 10, "25"],
    ["several values add up", ["60", "30", "11"], {}, 11, "25250m"],
    ["within tolerance it is what runs, not what was asked for", ["31"], { replicas: 5, running: 3 }, 3, "10334m"],
    ["10 % above is within", ["44"], {}, 4, "11"],
    ["more than 10 % above", ["44.01"], {}, 5, "11003m"],
    ["10 % below is within", ["36"], {}, 4, "9"],
    ["nothing", ["0"], {}, 0, "0"],
    ["none running: no ratio is within tolerance, and the average is 0", ["11"], { replicas: 4, running: 0 }, 2, "0"],
    ["none running and nothing to do", ["0"], { replicas: 0 }, 0, "0"],
    ["the largest int64 stays the largest", ["9223372036854775807m"], {}, MAX_INT32, "9223372036854775807m"],
    ["an overflow counts as the largest", ["9223372036854775807m", "1m"], {}, MAX_INT32, "9223372036854775807m"],
    [
      "a total below zero is taken for an overflow, as upstream does",
      ["5", "-6"],
      {},
      MAX_INT32,
      "9223372036854775807m",
    ],
  ])("%s", (...[_, values, given, replicas, averageValue]) => {
    const result = step(externalWith({ averageValue: "10" }), external(...values), given);
    expect(result.replicas).toBe(replicas);
    expect(result.current?.[0]?.external?.current).toEqual({ averageValue });
  });

  test.each<[string, readonly string[], Given, number, string]>([
    ["asks for nothing", ["-5"], {}, 0, "0"],
    ["asks for nothing from zero", ["-5"], { replicas: 0 }, 0, "0"],
    ["asks for nothing, were it a thousandth", ["-1m"], { replicas: 0 }, 0, "0"],
    ["takes nothing from another one", ["-5", "30"], {}, 3, "7500m"],
    ["asks for nothing, were it the smallest", ["-9223372036854775808"], { replicas: 0 }, 0, "0"],
  ])("a value below zero of ebb's own source %s", (...[_, values, given, replicas, averageValue]) => {
    const response = { ...external(...values), from: "http" };
    const result = step(externalWith({ averageValue: "10" }), response, given);
    expect(result.replicas).toBe(replicas);
    expect(result.because).toMatch(/, where -\w+ counts as 0$/);
    expect(result.current?.[0]?.external?.current).toEqual({ averageValue });
    const inAll = step(externalWith({ value: "10" }), response, { ...given, pods: ready(4) });
    expect(inAll.replicas).toBe(replicas === 0 ? 0 : 12);
  });

  test.each<[string, MetricTarget, string | number, Given, number | null]>([
    ["wakes from zero", { type: "AverageValue", averageValue: "10" }, 1, { replicas: 0 }, 1],
    ["wakes from zero, of a total", { type: "Value", value: "10" }, "3", { replicas: 0 }, 1],
    ["that is nothing wakes nobody", { type: "AverageValue", averageValue: "10" }, 0, { replicas: 0 }, 0],
    ["lowers nothing", { type: "AverageValue", averageValue: "10" }, 1, { replicas: 3 }, null],
  ])("a value of which only a part is known %s", (...[_, target, atLeast, given, replicas]) => {
    const result = step(externalWith(target), { error: "gone", from: "redis", atLeast }, given);
    expect(result.replicas).toBe(replicas);
    if (replicas === null) expect(result.because).toMatch(/unable to fetch metrics from redis: gone$/);
    else expect(result.because).toMatch(/, of at least so much: gone$/);
  });

  test("of an object", () => {
    const result = step(objectWith({ type: "AverageValue", averageValue: 10 }), objectValue("100"));
    expect(result.replicas).toBe(10);
    expect(result.because).toMatch(/^external metric hits\(nil\): /);
    expect(result.current).toEqual([
      {
        type: "Object",
        object: {
          metric: { name: "hits" },
          describedObject: { kind: "Ingress", name: "shop" },
          current: { averageValue: "25" },
        },
      },
    ]);
  });
});

describe("Value of 10 in all", () => {
  const labels = { app: "web" };
  const unreported: readonly Pod[] = [
    { metadata: { name: "x", labels } },
    { metadata: { name: "y", labels }, status: { phase: "Running" } },
    {
      metadata: { name: "z", labels },
      status: { phase: "Running", conditions: [{ type: "Initialized", status: "True" }] },
    },
  ];
  test.each<[string, readonly string[], Given, number]>([
    [
      "twice the target, two ready of four",
      ["20"],
      { pods: [...ready(2), podOf("x", { ready: "False" }), podOf("y", { phase: "Pending" })] },
      4,
    ],
    ["within tolerance it is what was asked for", ["11"], { replicas: 5, running: 3, pods: ready(3) }, 5],
    ["within tolerance it needs no pods", ["9"], {}, 4],
    ["beyond it", ["11.001"], { pods: ready(4) }, 5],
    ["terminating pods still count", ["20"], { pods: [podOf("a", { deleted: true })] }, 2],
    [
      "a pod that ended is not ready, whatever its condition says",
      ["20"],
      { pods: [...ready(1), podOf("x", { phase: "Succeeded" })] },
      2,
    ],
    ["nor one without conditions, or without a status", ["20"], { pods: [...ready(1), ...unreported] }, 2],
    ["no ready pods propose none", ["20"], { pods: [podOf("a", { ready: "False" })] }, 0],
    ["from zero the ratio is the size", ["25"], { replicas: 0 }, 3],
    ["from zero there is no tolerance", ["10.1"], { replicas: 0 }, 2],
    ["from zero with nothing", ["0"], { replicas: 0 }, 0],
    [
      "the sum stops at the largest int64",
      ["9223372036854775807m", "9223372036854775807m"],
      { replicas: 0 },
      MAX_INT32,
    ],
    ["a value below zero is one here", ["30", "-10"], { pods: ready(2) }, 4],
  ])("%s", (_, values, given, replicas) => {
    expect(step(externalWith({ value: "10" }), external(...values), given).replicas).toBe(replicas);
    if (values.length > 1) return;
    const ofObject = step(objectWith({ type: "Value", value: "10" }), objectValue(values[0] ?? ""), given);
    expect(ofObject.replicas).toBe(replicas);
    expect(ofObject.because).toMatch(/^Ingress metric hits: /);
  });

  test("shows the total", () => {
    const { current } = step(externalWith({ value: "10" }), external("11", "0.5"), { pods: ready(4) });
    expect(current).toEqual([
      { type: "External", external: { metric: { name: "queue" }, current: { value: "11500m" } } },
    ]);
  });

  test("a negative total recommends zero", () => {
    const decision = evaluate(
      situationWith({
        hpa: hpaWith({ metrics: [externalWith({ value: "10" })], behavior: unhindered }),
        pods: ready(2),
        metrics: [external("-10")],
      }),
      noon,
    );
    expect(decision).toMatchObject({ recommendation: 0, desiredReplicas: 1 });
  });
});

test.each<[string, MetricSpec, MetricResponse, Given, string, object]>([
  [
    "a total",
    externalWith({ value: "10" }),
    external("20"),
    { pods: ready(2) },
    "external metric queue(nil): usage ratio 2 × 2 ready pods",
    { value: "20", target: "10", ratio: 2, readyPods: 2 },
  ],
  [
    "a total within tolerance",
    externalWith({ value: "10" }),
    external("10"),
    {},
    "external metric queue(nil): the usage ratio is within tolerance",
    { value: "10", target: "10", ratio: 1 },
  ],
  [
    "a total from zero",
    externalWith({ value: "10" }),
    external("20"),
    { replicas: 0 },
    "external metric queue(nil): usage ratio 2, from zero",
    { value: "20", target: "10", ratio: 2 },
  ],
  [
    "shares within tolerance",
    externalWith({ averageValue: "10" }),
    external("40"),
    {},
    "external metric queue(nil): the usage ratio of the pods that the target reports is within tolerance",
    { averageValue: "10", target: "10", ratio: 1 },
  ],
  [
    "shares of none that run",
    externalWith({ averageValue: "10" }),
    external("40"),
    { running: 0 },
    "external metric queue(nil): the total divided by the target of one pod",
    { averageValue: "0", target: "10", ratio: null },
  ],
  [
    "an object's total",
    objectWith({ type: "Value", value: "10" }),
    objectValue("20"),
    { pods: ready(2) },
    "Ingress metric hits: usage ratio 2 × 2 ready pods",
    { value: "20", target: "10", ratio: 2, readyPods: 2 },
  ],
  [
    "an object's shares",
    objectWith({ type: "AverageValue", averageValue: "10" }),
    objectValue("80"),
    {},
    "external metric hits(nil): the total divided by the target of one pod",
    { averageValue: "20", target: "10", ratio: 2 },
  ],
])("%s: the step shows what was computed", (...[_, metric, response, given, because, detail]) => {
  expect(step(metric, response, given)).toMatchObject({ because, detail });
});

test("status names the object and the selector as the spec does", () => {
  const selector = { matchLabels: { verb: "GET" }, matchExpressions: [{ key: "a", operator: "In", values: ["b"] }] };
  const describedObject = { apiVersion: "networking.k8s.io/v1", kind: "Ingress", name: "shop" };
  const target = { type: "Value", value: "10" };
  const show = (metric: MetricSpec) => step(metric, objectValue("10")).current?.[0]?.object;
  expect(show({ type: "Object", object: { metric: { name: "hits", selector }, describedObject, target } })).toEqual({
    metric: { name: "hits", selector },
    current: { value: "10" },
    describedObject,
  });
  const core = { ...describedObject, apiVersion: "" };
  expect(show({ type: "Object", object: { metric: { name: "hits" }, describedObject: core, target } })).toEqual({
    metric: { name: "hits" },
    current: { value: "10" },
    describedObject: { kind: "Ingress", name: "shop" },
  });
});

test("a metric without its source is a defect, not a metric that cannot be read", () => {
  expect(() => step({ type: "Resource" }, { items: [] })).toThrow(TypeError);
});

test("averageValue wins over value, whatever the type says", () => {
  const { current } = step(externalWith({ type: "Value", value: "1", averageValue: "10" }), external("100"));
  expect(current?.[0]?.external?.current).toEqual({ averageValue: "25" });
});

describe("unavailable", () => {
  const fetched = "unable to fetch metrics from";
  const noItems = "no metrics returned from external metrics API";
  const path = "unable to get external metric shop/queue/nil:";
  const badSelector = { matchExpressions: [{ key: "a", operator: "Near" }] };
  const near = '"Near" is not a valid label selector operator';
  const withBadSelector = (metric: MetricSpec): MetricSpec => ({
    ...metric,
    ...(metric.external && { external: { ...metric.external, metric: { name: "queue", selector: badSelector } } }),
    ...(metric.object && { object: { ...metric.object, metric: { name: "hits", selector: badSelector } } }),
  });
  const perPod = externalWith({ averageValue: "10" });
  const total = externalWith({ value: "10" });
  const object = objectWith({ type: "Value", value: "10" });
  const objectPerPod = objectWith({ type: "AverageValue", averageValue: "10" });
  const onShop = "unable to get metric hits on Ingress shop/shop: ";
  const oneOnly = "the custom metrics API server returned 0 results when we asked for exactly one";

  test.each<[string, MetricSpec, MetricResponse, string, string]>([
    [
      "External, an error",
      perPod,
      { error: "boom" },
      `${path} ${fetched} external metrics API: boom`,
      "failed to get queue external metric: ",
    ],
    [
      "External, an error of a source",
      perPod,
      { error: "boom", from: "sqs" },
      `${path} ${fetched} sqs: boom`,
      "failed to get queue external metric: ",
    ],
    ["External, nothing", total, { items: [] }, `${path} ${noItems}`, "failed to get external metric queue: "],
    [
      "External, no number",
      perPod,
      external("many"),
      `${path} ${fetched} external metrics API: quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'`,
      "failed to get queue external metric: ",
    ],
    [
      "External, no pods",
      total,
      external("20"),
      "unable to calculate ready pods: no pods returned by selector while calculating replica count",
      "failed to get external metric queue: ",
    ],
    ["External, a bad selector", withBadSelector(perPod), external("1"), near, "failed to get queue external metric: "],
    [
      "External, no target",
      externalWith({}),
      external("1"),
      "invalid external metric source: neither a value target nor an average value target was set",
      "",
    ],
  ])("%s", (...[_, metric, response, message, wrap]) => {
    expect(step(metric, response)).toMatchObject({
      replicas: null,
      because: message,
      current: [{ type: "" }],
      events: [
        { type: "Warning", reason: "FailedGetExternalMetric", message },
        {
          type: "Warning",
          reason: "FailedComputeMetricsReplicas",
          message: `invalid metrics (1 invalid out of 1), first error is: failed to get queue external metric value: ${wrap}${message}`,
        },
      ],
    });
  });

  test.each<[string, MetricSpec, MetricResponse, string, string]>([
    ["Object, an error", object, { error: "boom" }, `${onShop}${fetched} custom metrics API: boom`, ""],
    [
      "Object, an error, a pod",
      objectPerPod,
      { error: "boom" },
      `${onShop}${fetched} custom metrics API: boom`,
      "failed to get hits object metric: ",
    ],
    ["Object, nothing", object, { items: [] }, `${onShop}${fetched} custom metrics API: ${oneOnly}`, ""],
    [
      "Object, too much",
      object,
      { items: [...itemsOf(objectValue(1)), ...itemsOf(objectValue(1))] },
      `${onShop}${fetched} custom metrics API: ${oneOnly.replace("0", "2")}`,
      "",
    ],
    [
      "Object, no pods",
      object,
      objectValue("20"),
      "unable to calculate ready pods: no pods returned by selector while calculating replica count",
      "",
    ],
    ["Object, a bad selector", withBadSelector(object), objectValue("20"), near, ""],
    [
      "Object, its type without its target",
      objectWith({ type: "Value", averageValue: "1" }),
      objectValue("20"),
      "invalid object metric source: neither a value target nor an average value target was set",
      "",
    ],
    [
      "Object, its average without its target",
      objectWith({ type: "AverageValue", value: "1" }),
      objectValue("20"),
      "invalid object metric source: neither a value target nor an average value target was set",
      "",
    ],
  ])("%s", (...[_, metric, response, message, wrap]) => {
    const result = step(metric, response);
    expect(result.events).toEqual([
      { type: "Warning", reason: "FailedGetObjectMetric", message },
      {
        type: "Warning",
        reason: "FailedComputeMetricsReplicas",
        message: `invalid metrics (1 invalid out of 1), first error is: failed to get object metric value: ${wrap}${message}`,
      },
    ]);
  });

  function itemsOf(response: MetricResponse) {
    return "items" in response ? response.items : [];
  }
});

test("a source reads a selector as parameters, which need not be valid labels", () => {
  const metric: MetricSpec = {
    type: "External",
    external: {
      metric: { name: "queue", selector: { matchLabels: { queue: "https://sqs.example.com/1/orders" } } },
      target: { type: "AverageValue", averageValue: "10" },
    },
  };
  expect(step(metric, external("100")).replicas).toBeNull();
  expect(step(metric, { ...external("100"), from: "sqs" }).replicas).toBe(10);
});

test("status leaves out what is empty in a selector", () => {
  const selector = { matchLabels: {}, matchExpressions: [{ key: "a", operator: "Exists", values: [] }] };
  const metric: MetricSpec = {
    type: "External",
    external: { metric: { name: "queue", selector }, target: { type: "AverageValue", averageValue: "10" } },
  };
  expect(step(metric, external("100")).current?.[0]?.external?.metric).toEqual({
    name: "queue",
    selector: { matchExpressions: [{ key: "a", operator: "Exists" }] },
  });
});

test("an unknown type of metric", () => {
  expect(step({ type: "Weather" }, external("1")).events).toEqual([
    { type: "Warning", reason: "InvalidMetricSourceType", message: 'unknown metric source type "Weather"' },
    {
      type: "Warning",
      reason: "FailedComputeMetricsReplicas",
      message: 'invalid metrics (1 invalid out of 1), first error is: unknown metric source type "Weather"',
    },
  ]);
});

/** kubernetes#138505: 20 pods and one of a surge, or one that a quota refuses. Only the event has upstream's reason. */
test.each([
  [21, "200"],
  [19, "190"],
])("within tolerance, a total moves to the %i pods that the target reports", (running, total) => {
  const found = step(externalWith({ averageValue: "10" }), external(total), { replicas: 20, running });
  expect(found).toMatchObject({
    replicas: running,
    because: "external metric queue(nil): the usage ratio of the pods that the target reports is within tolerance",
    last: { stage: "decide", replicas: running, because: `from 20 to ${running}` },
  });
});
