import type { HpaSpec, HpaStatus, MetricSpec, ScalingRules } from "../../lib/k8s/hpa";
import type { MetricResponse } from "../../lib/k8s/objects";
import { evaluate } from "../../lib/core/evaluate";
import type { Decision, History } from "../../lib/model/situation";
import {
  at,
  clock,
  cpu50,
  cpuUse,
  external,
  hpaWith,
  noon,
  nothingSoFar,
  options,
  perPod,
  podOf,
  scaledToZero,
  scaleOf,
  situationWith,
  unhindered,
} from "./build";

describe("a target without a scale", () => {
  const before: HpaStatus = { desiredReplicas: 3, currentMetrics: [{ type: "" }], conditions: [] };

  test.each<[string, Partial<HpaSpec>, string]>([
    ["not found", {}, 'deployments.apps "web" not found'],
    [
      "a malformed apiVersion",
      { scaleTargetRef: { apiVersion: "a/b/c", kind: "X", name: "y" } },
      "unexpected GroupVersion string: a/b/c",
    ],
  ])("%s", (_, spec, error) => {
    const scale = spec.scaleTargetRef === undefined ? { error } : scaleOf(2);
    const decision = evaluate(situationWith({ hpa: hpaWith(spec, before), scale, history: null }), noon);
    expect(decision).toEqual({
      desiredReplicas: 3,
      scaleTo: null,
      status: {
        ...before,
        conditions: [
          {
            type: "AbleToScale",
            status: "False",
            reason: "FailedGetScale",
            message: `the HPA controller was unable to get the target's current scale: ${error}`,
            lastTransitionTime: clock(0),
          },
        ],
      },
      events: [{ type: "Warning", reason: "FailedGetScale", message: error }],
      history: nothingSoFar,
      recommendation: null,
      steps: [{ stage: "scale", replicas: null, limitedBy: "FailedGetScale", because: error }],
    });
  });

  test("keeps its history, and a first sync keeps none", () => {
    const history = { ...nothingSoFar, recommendations: [{ replicas: 1, since: noon, at: noon }] };
    const hpa = { ...hpaWith(), spec: { ...hpaWith().spec, scaleTargetRef: { kind: "Deployment", name: "web" } } };
    const decision = evaluate(situationWith({ hpa, scale: { error: "gone" }, history }), noon);
    expect(decision.history).toBe(history);
    expect(decision.desiredReplicas).toBe(0);
  });
});

describe("status", () => {
  test("is rebuilt, with the generation that it was computed from", () => {
    const hpa = hpaWith(
      {},
      { currentReplicas: 1, desiredReplicas: 1, lastScaleTime: clock(-60), observedGeneration: 3 },
    );
    const { status } = evaluate(
      situationWith({ hpa: { ...hpa, metadata: { ...hpa.metadata, generation: 4 } } }),
      noon + 900,
    );
    expect(status).toMatchObject({
      observedGeneration: 4,
      currentReplicas: 2,
      desiredReplicas: 2,
      lastScaleTime: clock(-60),
    });
  });

  test("has the time of a rescale, in whole seconds", () => {
    const { status } = evaluate(situationWith({ metrics: [external("40")] }), noon + 900);
    expect(status).toMatchObject({ currentReplicas: 2, desiredReplicas: 4, lastScaleTime: clock(0) });
  });

  test("has no lastScaleTime before the first rescale, and generation 0 if the HPA has none", () => {
    const { status } = evaluate(situationWith(), noon);
    expect(status).not.toHaveProperty("lastScaleTime");
    expect(status.observedGeneration).toBe(0);
  });

  test("keeps the last desiredReplicas if no metric can be read", () => {
    const hpa = hpaWith({}, { desiredReplicas: 7, lastScaleTime: clock(-60) });
    const decision = evaluate(situationWith({ hpa, metrics: [{ error: "boom" }] }), noon);
    expect(decision).toMatchObject({ desiredReplicas: 7, scaleTo: null });
    expect(decision.status).toMatchObject({ currentReplicas: 2, desiredReplicas: 7, lastScaleTime: clock(-60) });
  });
});

test("a metric without a response was not read", () => {
  const { events } = evaluate(situationWith({ metrics: [] }), noon);
  expect(events[0]?.message).toBe(
    "unable to get external metric shop/queue/nil: unable to fetch metrics from external metrics API: it was not read",
  );
});

test("an HPA without a namespace is in default", () => {
  const hpa = hpaWith();
  const decision = evaluate(
    situationWith({ hpa: { ...hpa, metadata: { name: "web" } }, metrics: [{ items: [] }] }),
    noon,
  );
  expect(decision.events[0]?.message).toMatch(/external metric default\/queue\/nil/);
});

describe("tolerance", () => {
  const with_ = (up?: string, down?: string): Partial<HpaSpec> => {
    const rules = (base: ScalingRules | undefined, tolerance?: string) => ({
      ...base,
      ...(tolerance === undefined ? {} : { tolerance }),
    });
    return { behavior: { scaleUp: rules(unhindered.scaleUp, up), scaleDown: rules(unhindered.scaleDown, down) } };
  };
  test.each<[string, Partial<HpaSpec>, number, string, number | null]>([
    ["the cluster's, up", {}, 0.1, "111", 12],
    ["the cluster's, within", {}, 0.1, "110", null],
    ["none at all", {}, 0, "101", 11],
    ["of its own, up", with_("0.3"), 0.1, "131", 14],
    ["of its own, within 30 %", with_("0.3"), 0.1, "129", null],
    ["0.3 is 0.30000000000000004 in Go's reading, 300m is 0.3", with_("0.3"), 0.1, "130", null],
    ["the other direction keeps the cluster's", with_("0.3"), 0.1, "89", 9],
    ["of its own, down", with_(undefined, "500m"), 0.1, "51", null],
    ["of its own, beyond down", with_(undefined, "500m"), 0.1, "49", 5],
  ])("%s", (...[_, spec, tolerance, value, scaleTo]) => {
    const situation = situationWith({
      hpa: hpaWith({ maxReplicas: 50, behavior: unhindered, ...spec }),
      scale: scaleOf(10),
      metrics: [external(value)],
      options: { ...options, tolerance },
    });
    expect(evaluate(situation, noon).scaleTo).toBe(scaleTo);
  });
});

describe("from zero", () => {
  const behavior = {
    ...unhindered,
    scaleUp: { ...unhindered.scaleUp, policies: [{ type: "Percent", value: 100, periodSeconds: 15 }] },
  };

  test.each<[string, Partial<HpaSpec>, string, number | null, string | undefined]>([
    ["work arrives", { minReplicas: 0 }, "30", 3, "New size: 3; reason: external metric queue(nil) above target"],
    ["at most 4 at first", { minReplicas: 0 }, "90", 4, "New size: 4; reason: external metric queue(nil) above target"],
    ["no work", { minReplicas: 0 }, "0", null, undefined],
    ["minReplicas was raised, no work", { minReplicas: 2 }, "0", 2, "New size: 2; reason: "],
    [
      "minReplicas was raised, work arrives",
      { minReplicas: 2 },
      "10",
      2,
      "New size: 2; reason: external metric queue(nil) above target",
    ],
    ["percent of nothing is nothing", { minReplicas: 0, behavior }, "30", null, undefined],
    [
      "percent of nothing, but minReplicas was raised",
      { minReplicas: 2, behavior },
      "30",
      2,
      "New size: 2; reason: external metric queue(nil) above target",
    ],
    [
      "percent of nothing, minReplicas was raised, no work",
      { minReplicas: 2, behavior },
      "0",
      2,
      "New size: 2; reason: Current number of replicas below Spec.MinReplicas",
    ],
  ])("%s", (...[_, spec, value, scaleTo, message]) => {
    const decision = evaluate(
      situationWith({ hpa: hpaWith(spec, scaledToZero), scale: scaleOf(0), metrics: [external(value)] }),
      noon,
    );
    expect(decision.scaleTo).toBe(scaleTo);
    expect(decision.events[0]?.message).toBe(message);
    const isOurs = decision.status.conditions?.find(({ type }) => type === "ScaledToZero")?.status;
    expect(isOurs).toBe(scaleTo === null ? "True" : "False");
  });

  test("the step says what raised the replicas", () => {
    const hpa = hpaWith({ minReplicas: 2, behavior }, scaledToZero);
    const { steps } = evaluate(situationWith({ hpa, scale: scaleOf(0), metrics: [external("30")] }), noon);
    expect(steps.at(-2)).toEqual({
      stage: "bounds",
      replicas: 2,
      limitedBy: "TooFewReplicas",
      because: "Current number of replicas below Spec.MinReplicas",
      detail: { minReplicas: 2, maxReplicas: 10 },
    });
  });

  test("a metric that cannot be read keeps the target at zero, even with a raised minReplicas", () => {
    const hpa = hpaWith({ minReplicas: 2 }, scaledToZero);
    expect(evaluate(situationWith({ hpa, scale: scaleOf(0), metrics: [{ error: "boom" }] }), noon).scaleTo).toBeNull();
  });

  test("CPU cannot be read at zero, and does not keep the target there", () => {
    const hpa = hpaWith({ minReplicas: 0, metrics: [cpu50, perPod] }, scaledToZero);
    const metrics = [{ items: [] }, external("30")];
    const decision = evaluate(situationWith({ hpa, scale: scaleOf(0), metrics }), noon);
    expect(decision.events.map(({ reason }) => reason)).toEqual(["FailedGetResourceMetric", "SuccessfulRescale"]);
    expect(decision.scaleTo).toBe(3);
  });
});

describe("to zero", () => {
  test.each<[string, Partial<HpaSpec>, MetricResponse, string]>([
    ["by an External metric it is ours", { minReplicas: 0 }, external("0"), "True"],
    ["by the maximum it is not", { minReplicas: 0, maxReplicas: 0 }, external("0"), "True"],
  ])("%s", (_, spec, response, owned) => {
    const hpa = hpaWith({ ...spec, behavior: unhindered });
    const { scaleTo, status } = evaluate(situationWith({ hpa, metrics: [response] }), noon);
    expect(scaleTo).toBe(0);
    expect(status.conditions?.find(({ type }) => type === "ScaledToZero")?.status).toBe(owned);
  });

  test("by CPU it is not ours, because CPU could never wake the target", () => {
    const hpa = hpaWith({ minReplicas: 0, metrics: [cpu50], behavior: unhindered });
    const situation = situationWith({ hpa, scale: scaleOf(1), pods: [podOf("a")], metrics: [cpuUse({ a: "0" })] });
    const { scaleTo, status } = evaluate(situation, noon);
    expect(scaleTo).toBe(0);
    expect(status.conditions?.find(({ type }) => type === "ScaledToZero")?.status).toBe("False");
  });
});

describe("one container, and pods' own metrics", () => {
  const container: MetricSpec = {
    type: "ContainerResource",
    containerResource: { name: "cpu", container: "app", target: { type: "Utilization", averageUtilization: 50 } },
  };
  const memory: MetricSpec = {
    type: "ContainerResource",
    containerResource: { name: "memory", container: "app", target: { type: "AverageValue", averageValue: "64Mi" } },
  };
  const hits: MetricSpec = {
    type: "Pods",
    pods: { metric: { name: "hits" }, target: { type: "AverageValue", averageValue: "10" } },
  };
  const containers = (...usages: readonly (readonly [string, Record<string, string>])[]): MetricResponse => ({
    items: [
      {
        metadata: { name: "a" },
        timestamp: clock(0),
        window: "30s",
        containers: usages.map(([name, usage]) => ({ name, usage })),
      },
    ],
  });
  const hitsOf = (value: string): MetricResponse => ({
    items: [
      {
        describedObject: { kind: "Pod", name: "a" },
        metricName: "hits",
        timestamp: clock(0),
        value,
        windowSeconds: 30,
      },
    ],
  });

  const decideOn = (metric: MetricSpec, response: MetricResponse) =>
    evaluate(
      situationWith({
        hpa: hpaWith({ metrics: [metric], behavior: unhindered }),
        scale: scaleOf(1),
        pods: [podOf("a")],
        metrics: [response],
      }),
      noon,
    );

  test("a container's utilization ignores its neighbours", () => {
    const decision = decideOn(container, containers(["side", { cpu: "9" }], ["app", { cpu: "1500m" }]));
    expect(decision.scaleTo).toBe(3);
    expect(decision.events[0]?.message).toBe(
      "New size: 3; reason: cpu container resource utilization (percentage of request) above target",
    );
    expect(decision.status.currentMetrics).toEqual([
      {
        type: "ContainerResource",
        containerResource: {
          name: "cpu",
          container: "app",
          current: { averageUtilization: 150, averageValue: "1500m" },
        },
      },
    ]);
  });

  test("a container's average, memory in its own units", () => {
    const decision = decideOn(memory, containers(["app", { memory: "192Mi" }]));
    expect(decision.scaleTo).toBe(3);
    expect(decision.events[0]?.message).toBe("New size: 3; reason: memory resource above target");
    expect(decision.status.currentMetrics?.[0]?.containerResource?.current).toEqual({ averageValue: "192Mi" });
    expect(decision.steps[0]?.detail).toEqual({
      name: "memory resource",
      ratio: 3,
      averageValue: "192Mi",
      target: "64Mi",
      ready: 1,
      unready: 0,
      missing: 0,
      ignored: 0,
    });
  });

  test.each<[string, MetricSpec, MetricResponse, string, string]>([
    [
      "a container without a sample",
      container,
      containers(["side", { cpu: "1" }]),
      "FailedGetContainerResourceMetric",
      "failed to get cpu utilization: did not receive metrics for targeted pods (pods might be unready)",
    ],
    [
      "a container whose sample lacks the resource",
      container,
      containers(["app", { memory: "1" }]),
      "FailedGetContainerResourceMetric",
      "failed to get cpu utilization: did not receive metrics for targeted pods (pods might be unready)",
    ],
    [
      "a container's average, an error",
      memory,
      { error: "boom" },
      "FailedGetContainerResourceMetric",
      "failed to get memory usage: unable to get metrics for resource memory: unable to fetch metrics from resource metrics API: boom",
    ],
    [
      "no target",
      { type: "Resource", resource: { name: "cpu", target: { type: "Utilization" } } },
      { items: [] },
      "FailedGetResourceMetric",
      "invalid resource metric source: neither an average utilization target nor an average value (usage) target was set",
    ],
    [
      "a pods metric, an error",
      hits,
      { error: "boom" },
      "FailedGetPodsMetric",
      "unable to get metric hits: unable to fetch metrics from custom metrics API: boom",
    ],
    [
      "a pods metric without a target",
      { type: "Pods", pods: { metric: { name: "hits" }, target: { type: "AverageValue" } } },
      hitsOf("1"),
      "FailedGetPodsMetric",
      "invalid pods metric source: no average value target was set",
    ],
    [
      "a pods metric with a bad selector",
      {
        type: "Pods",
        pods: {
          metric: { name: "hits", selector: { matchExpressions: [{ key: "a", operator: "Near" }] } },
          target: { type: "AverageValue", averageValue: "1" },
        },
      },
      hitsOf("1"),
      "FailedGetPodsMetric",
      '"Near" is not a valid label selector operator',
    ],
  ])("%s", (...[_, metric, response, reason, message]) => {
    expect(decideOn(metric, response).events[0]).toEqual({ type: "Warning", reason, message });
  });

  test.each<[string, MetricSpec, string]>([
    [
      "Resource",
      cpu50,
      "failed to get cpu resource metric value: failed to get cpu utilization: unable to get metrics",
    ],
    [
      "ContainerResource",
      container,
      "failed to get app container metric value: failed to get cpu utilization: unable to get metrics",
    ],
    ["Pods", hits, "failed to get pods metric value: unable to get metric hits"],
  ])("a failed %s is wrapped once more", (_, metric, wrapped) => {
    expect(decideOn(metric, { items: [] }).events[1]?.message).toContain(`first error is: ${wrapped}`);
  });

  test("a pods metric", () => {
    const decision = decideOn(hits, hitsOf("25"));
    expect(decision.scaleTo).toBe(3);
    expect(decision.events[0]?.message).toBe("New size: 3; reason: pods metric hits above target");
    expect(decision.status.currentMetrics).toEqual([
      { type: "Pods", pods: { metric: { name: "hits" }, current: { averageValue: "25" } } },
    ]);
    expect(decision.steps[0]?.detail).toMatchObject({ ratio: 2.5, averageValue: "25", target: "10", ready: 1 });
  });
});

/** Plays syncs of one HPA: seconds from noon, the queue's length, what comes out. */
function play(spec: Partial<HpaSpec>, from: number, rows: readonly (readonly [number, string, number])[]) {
  let status: HpaStatus = {};
  let history: History | null = null;
  let replicas = from;
  for (const [seconds, length, expected] of rows) {
    const situation = situationWith({
      hpa: hpaWith(spec, status),
      scale: scaleOf(replicas),
      metrics: [external(length)],
      history,
    });
    const decision: Decision = evaluate(situation, at(seconds));
    ({ status, history } = decision);
    replicas = decision.scaleTo ?? replicas;
    expect([seconds, replicas]).toEqual([seconds, expected]);
  }
}

test("a day in the life, without behavior", () => {
  play({ minReplicas: 0 }, 1, [
    [0, "0", 1], //       the first size holds for five minutes
    [300, "0", 1], //     its first moment still counts
    [301, "0", 0], //     nobody needs it any more
    [900, "0", 0], //     asleep
    [915, "95", 4], //    awake, 4 at most
    [930, "95", 8], //    doubled
    [945, "95", 10], //   all
    [960, "5", 10], //    the 10 of 945 hold until 1245
    [1244, "5", 10],
    [1245, "5", 10],
    [1246, "5", 1],
    [1500, "0", 1],
    [1546, "0", 1], //    the 1 of 1246 is the first moment of the window
    [1547, "0", 0],
  ]);
});

test("a day in the life, with behavior", () => {
  const behavior = {
    scaleUp: {
      stabilizationWindowSeconds: 30,
      policies: [{ type: "Pods", value: 2, periodSeconds: 60 }],
      selectPolicy: "Max",
    },
    scaleDown: {
      stabilizationWindowSeconds: 60,
      policies: [{ type: "Percent", value: 50, periodSeconds: 60 }],
      selectPolicy: "Max",
    },
  };
  play({ minReplicas: 0, behavior }, 2, [
    [0, "80", 2], //    the first size, 2, is the lowest of the last 30 s
    [15, "80", 2],
    [30, "80", 4], //   only 8s are left in the window; 2 a minute
    [45, "80", 4],
    [89, "80", 4],
    [90, "80", 6], //   the +2 of 30 is a minute old
    [105, "0", 6], //   the 8 of 90 is the highest of the last 60 s
    [149, "0", 6],
    [150, "0", 3], //   it is no more; half, as the +2 of 90 is a minute old
    [151, "0", 3], //   the -3 of 150 is not
    [209, "0", 3],
    [210, "0", 1], //   half of 3, cut off
    [269, "0", 1],
    [270, "0", 0],
  ]);
});
