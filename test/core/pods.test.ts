import type { MetricSpec } from "../../lib/k8s/hpa";
import type { MetricResponse, Pod } from "../../lib/k8s/objects";
import { evaluate } from "../../lib/core/evaluate";
import type { Options } from "../../lib/model/situation";
import {
  clock,
  cpu50,
  cpuUse,
  hpaWith,
  noon,
  options,
  podOf,
  scaleOf,
  situationWith,
  unhindered,
  type PodGiven,
} from "./build";

/** One decision on CPU at 50 % of requests, at noon, unhindered; what the metric's step says. */
function cpuStep(
  pods: readonly Pod[],
  response: MetricResponse,
  given: { replicas?: number; metric?: MetricSpec; options?: Partial<Options> } = {},
) {
  const { replicas = pods.length, metric = cpu50 } = given;
  const decision = evaluate(
    situationWith({
      hpa: hpaWith({ metrics: [metric], behavior: unhindered, maxReplicas: 100 }),
      scale: scaleOf(replicas),
      pods,
      metrics: [response],
      options: { ...options, ...given.options },
    }),
    noon,
  );
  const [step] = decision.steps;
  return { replicas: step?.replicas, because: step?.because, detail: step?.detail, status: decision.status };
}

const running = podOf("a");

describe("the group of a pod whose neighbour is busy", () => {
  test.each<[string, PodGiven, string | null, Partial<Options>, string]>([
    ["running for long", {}, "100m", {}, "ready"],
    ["terminating", { deleted: true }, "100m", {}, "ignored"],
    ["failed", { phase: "Failed" }, "100m", {}, "ignored"],
    ["succeeded, which 1.37 still counts", { phase: "Succeeded" }, "100m", {}, "ready"],
    ["pending, even with a sample", { phase: "Pending" }, "100m", {}, "unready"],
    ["pending without a sample", { phase: "Pending" }, null, {}, "unready"],
    ["without a sample", {}, null, {}, "missing"],
    ["without a Ready condition", { ready: "none" }, "100m", {}, "unready"],
    ["without a start time", { started: null }, "100m", {}, "unready"],
    ["just started, not ready", { started: -60, ready: "False", changed: -60 }, "100m", {}, "unready"],
    ["just started, ready for a whole window", { started: -60, changed: -30 }, "100m", {}, "ready"],
    ["just started, ready for less than a window", { started: -60, changed: -29 }, "100m", {}, "unready"],
    ["just started, readiness unknown", { started: -60, ready: "Unknown", changed: -60 }, "100m", {}, "ready"],
    ["at the end of the initialization period", { started: -300, changed: -29 }, "100m", {}, "ready"],
    ["a second before its end", { started: -299, changed: -29 }, "100m", {}, "unready"],
    [
      "with a longer initialization period",
      { started: -300, changed: -29 },
      "100m",
      { cpuInitializationPeriodSeconds: 301 },
      "unready",
    ],
    ["old, never became ready", { started: -3600, ready: "False", changed: -3571 }, "100m", {}, "unready"],
    ["old, lost readiness after the delay", { started: -3600, ready: "False", changed: -3570 }, "100m", {}, "ready"],
    [
      "with a longer readiness delay",
      { started: -3600, ready: "False", changed: -3570 },
      "100m",
      { initialReadinessDelaySeconds: 31 },
      "unready",
    ],
  ])("%s", (...[_, given, use, opts, group]) => {
    const response = cpuUse({ a: "500m", ...(use === null ? {} : { b: use }) });
    const { detail } = cpuStep([running, podOf("b", given)], response, { options: opts });
    const alone = { ready: 1, unready: 0, missing: 0, ignored: 0 };
    expect(detail).toMatchObject({ ...alone, [group]: (group === "ready" ? 1 : 0) + 1 });
  });

  test("readiness without lastTransitionTime counts as long past", () => {
    const pod = podOf("b", { started: -60 });
    const conditions = [{ type: "Ready", status: "True" as const }];
    const { detail } = cpuStep(
      [running, { ...pod, status: { ...pod.status, conditions } }],
      cpuUse({ a: "500m", b: "1m" }),
    );
    expect(detail).toMatchObject({ ready: 2 });
  });

  test("a pod's other conditions are not its readiness", () => {
    const pod = podOf("b", { started: -60, ready: "False", changed: -60 });
    const scheduled = { type: "PodScheduled", status: "True" as const, lastTransitionTime: clock(-60) };
    const conditions = [scheduled, ...(pod.status?.conditions ?? [])];
    const response = cpuUse({ a: "500m", b: "1m" });
    const { detail } = cpuStep([running, { ...pod, status: { ...pod.status, conditions } }], response);
    expect(detail).toMatchObject({ ready: 1, unready: 1 });
  });

  test("a pod that the kubelet has not reported on is unready", () => {
    const { status: _, ...unreported } = podOf("b");
    const { detail } = cpuStep([running, unreported], cpuUse({ a: "500m", b: "1m" }));
    expect(detail).toMatchObject({ ready: 1, unready: 1 });
    const { startTime, phase } = podOf("b").status ?? {};
    const unconditional = { ...unreported, status: { phase: phase ?? "", startTime: startTime ?? "" } };
    expect(cpuStep([running, unconditional], cpuUse({ a: "500m", b: "1m" })).detail).toMatchObject({ unready: 1 });
  });

  test.each(["memory", "example.com/gpu"])("%s has no initialization period", (name) => {
    const metric: MetricSpec = {
      type: "Resource",
      resource: { name, target: { type: "AverageValue", averageValue: "1" } },
    };
    const items = ["a", "b"].map((pod) => ({
      metadata: { name: pod },
      timestamp: clock(0),
      window: "30s",
      containers: [{ name: "app", usage: { [name]: "1" } }],
    }));
    const pods = [running, podOf("b", { ready: "none", started: null })];
    expect(cpuStep(pods, { items }, { metric }).detail).toMatchObject({ ready: 2, unready: 0 });
  });
});

const many = (count: number, given: PodGiven = {}) =>
  Array.from({ length: count }, (_, index) => podOf(`p${index}`, given));
const use = (pods: readonly Pod[], cpu: string) => Object.fromEntries(pods.map(({ metadata }) => [metadata.name, cpu]));

describe("the size that CPU at 50 % asks for", () => {
  const four = many(4);
  test.each<[string, readonly Pod[], Record<string, string>, number | undefined, number]>([
    ["on target", four, use(four, "500m"), 4, 4],
    ["10 % above, still within tolerance", four, use(four, "550m"), 4, 4],
    ["57.9 % is 57 %: cut to whole percent before it is compared", four, use(four, "579m"), 4, 5],
    ["55.9 % is 55 %: within tolerance", four, use(four, "559m"), 4, 4],
    ["twice as busy", four, use(four, "1"), 4, 8],
    ["half as busy", four, use(four, "250m"), 4, 2],
    ["more pods than replicas: the pods count", four, use(four, "1"), 2, 8],
    ["growing, one sample missing counts as idle: 75 % over 4", four, { p0: "1", p1: "1", p2: "1" }, 4, 6],
    ["growing, many missing: filled in, it would shrink, so it stays", four, { p0: "1" }, 4, 4],
    ["growing, filled in it is within tolerance", four, { p0: "1", p1: "1" }, 3, 3],
    ["shrinking, one missing counts as full: 32.5 % over 4", four, { p0: "100m", p1: "100m", p2: "100m" }, 4, 3],
    ["shrinking, many missing: filled in, it would grow, so it stays", four, { p0: "100m" }, 4, 4],
    ["on target, with one missing", four, { p0: "500m", p1: "500m", p2: "500m" }, 4, 4],
    ["shrinking, yet more pods than replicas: it stays", four, { p0: "100m", p1: "100m", p2: "100m" }, 2, 2],
    ["growing, yet fewer pods than replicas: it stays", four, { p0: "1", p1: "1", p2: "1" }, 9, 9],
  ])("%s", (...[_, pods, samples, replicas, expected]) => {
    expect(cpuStep(pods, cpuUse(samples), replicas === undefined ? {} : { replicas }).replicas).toBe(expected);
  });

  const mixed = [...many(3), podOf("new", { phase: "Pending" })];
  test.each<[string, string, number]>([
    ["growing: an unready pod counts as idle: 75 % over 4", "1", 6],
    ["shrinking: an unready pod is left out", "200m", 2],
    ["on target: nothing to fill in", "500m", 4],
  ])("with one pod pending, %s", (_, cpu, expected) => {
    expect(cpuStep(mixed, cpuUse(use(many(3), cpu))).replicas).toBe(expected);
  });

  test("growing a little, unready pods counted as idle keep it where it is", () => {
    // 60 % of 50 % over three would be four pods; over four it is 45 %, within tolerance.
    expect(cpuStep(mixed, cpuUse(use(many(3), "600m")), { replicas: 3 }).replicas).toBe(3);
  });

  test("a target above 100 % fills in missing pods at the target", () => {
    const metric: MetricSpec = {
      type: "Resource",
      resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 200 } },
    };
    // 50 % and 200 % over two pods are 125 % of 200 %: 0.625 × 2 = 1.25.
    expect(cpuStep(many(2), cpuUse({ p0: "500m" }), { metric })).toMatchObject({
      replicas: 2,
      because:
        "cpu resource utilization (percentage of request): usage ratio 0.625 (missing and unready pods filled in) × 2 pods",
    });
  });

  test("samples of pods that the selector does not match count as pods when missing ones are filled in", () => {
    // Ready p0 and p1 at 100 %, p2 missing as idle: 66 % of 50 % is 1.32, times p0, p1, the stranger and p2.
    expect(cpuStep(many(3), cpuUse({ p0: "1", p1: "1", stranger: "1" })).replicas).toBe(6);
  });

  test("reports what it measured, not what it filled in", () => {
    const { status } = cpuStep(four, cpuUse({ p0: "1", p1: "1", p2: "1" }));
    expect(status.currentMetrics).toEqual([
      { type: "Resource", resource: { name: "cpu", current: { averageUtilization: 100, averageValue: "1" } } },
    ]);
  });
});

describe("an average of 500m of CPU, whatever is requested", () => {
  const metric: MetricSpec = {
    type: "Resource",
    resource: { name: "cpu", target: { type: "AverageValue", averageValue: "500m" } },
  };
  const four = many(4, { request: null });
  test.each<[string, Record<string, string>, number]>([
    ["on target", use(four, "500m"), 4],
    ["twice as busy", use(four, "1"), 8],
    ["10.2 % above", use(four, "551m"), 5],
    ["growing, one missing", { p0: "1", p1: "1", p2: "1" }, 6],
    ["shrinking, one missing counts as on target", { p0: "100m", p1: "100m", p2: "100m" }, 2],
    ["shrinking, three missing", { p0: "100m" }, 4],
    ["growing, filled in it is within tolerance", { p0: "1", p1: "1" }, 4],
    ["shrinking, filled in it is within tolerance", { p0: "400m", p1: "400m" }, 4],
    ["a sample of an unmatched pod counts, too", { ...use(four, "500m"), stranger: "1" }, 5],
  ])("%s", (_, samples, expected) => {
    expect(cpuStep(four, cpuUse(samples), { metric }).replicas).toBe(expected);
  });

  test("only memory is shown in powers of two", () => {
    expect(cpuStep(many(1), cpuUse({ p0: "1024" }), { metric }).detail).toMatchObject({ averageValue: "1024" });
  });

  test.each<[string, readonly Pod[], string]>([
    ["no pods", [], "no pods returned by selector while calculating replica count"],
    [
      "only unready pods",
      many(1, { phase: "Pending" }),
      "did not receive metrics for targeted pods (pods might be unready)",
    ],
    [
      "only pods that are being deleted",
      many(1, { deleted: true }),
      "did not receive metrics for targeted pods (pods might be unready)",
    ],
  ])("%s: unavailable", (_, pods, error) => {
    expect(cpuStep(pods, cpuUse({ p0: "1" }), { metric, replicas: 1 })).toMatchObject({
      replicas: null,
      because: `failed to get cpu usage: ${error}`,
    });
  });

  test.each([
    ["unready", podOf("x", { phase: "Pending" })],
    ["being deleted", podOf("x", { deleted: true })],
  ])("what a pod uses that is %s is left out", (_, pod) => {
    const { detail } = cpuStep([...many(2), pod], cpuUse({ p0: "500m", p1: "500m", x: "9" }), { metric, replicas: 2 });
    expect(detail).toMatchObject({ averageValue: "500m", ready: 2 });
  });
});

describe("what makes CPU unavailable", () => {
  const prefix = "failed to get cpu utilization: ";
  test.each<[string, readonly Pod[], MetricResponse, string]>([
    ["no pods", [], cpuUse({ a: "1" }), "no pods returned by selector while calculating replica count"],
    [
      "no items",
      [running],
      { items: [] },
      "unable to get metrics for resource cpu: no metrics returned from resource metrics API",
    ],
    [
      "an error",
      [running],
      { error: "boom" },
      "unable to get metrics for resource cpu: unable to fetch metrics from resource metrics API: boom",
    ],
    [
      "only unready pods",
      [podOf("a", { phase: "Pending" })],
      cpuUse({ a: "1" }),
      "did not receive metrics for targeted pods (pods might be unready)",
    ],
    [
      "only a sample of an unmatched pod",
      [running],
      cpuUse({ stranger: "1" }),
      "no metrics returned matched known pods",
    ],
    [
      "a pod without a request",
      [running, podOf("b", { request: null })],
      cpuUse({ a: "1" }),
      "missing request for cpu in container app of Pod b",
    ],
    ["a request of zero", [podOf("a", { request: "0" })], cpuUse({ a: "1" }), "no metrics returned matched known pods"],
    [
      "an invalid quantity",
      [running],
      cpuUse({ a: "much" }),
      "unable to get metrics for resource cpu: unable to fetch metrics from resource metrics API: quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    ],
  ])("%s", (_, pods, response, error) => {
    expect(cpuStep(pods, response, { replicas: 1 })).toMatchObject({ replicas: null, because: `${prefix}${error}` });
  });

  test("an invalid window, when the decision needs it", () => {
    const items = [
      {
        metadata: { name: "a" },
        timestamp: clock(0),
        window: "soon",
        containers: [{ name: "app", usage: { cpu: "1" } }],
      },
    ];
    expect(cpuStep([podOf("a", { started: -60 })], { items }).because).toMatch(
      /resource metrics API: time: invalid duration "soon"/,
    );
  });

  test("a pod whose containers do not all have a sample is missing", () => {
    const sample = (...usage: readonly Record<string, string>[]) => ({
      metadata: { name: "b" },
      timestamp: clock(0),
      window: "30s",
      containers: usage.map((one, index) => ({ name: `c${index}`, usage: one })),
    });
    const a = (cpuUse({ a: "500m" }) as { items: object[] }).items;
    for (const b of [sample(), sample({ cpu: "1" }, {}), sample({}, { cpu: "1" }), sample({ memory: "1" })]) {
      const response = { items: [...a, b] } as MetricResponse;
      expect(cpuStep([running, podOf("b")], response).detail).toMatchObject({ ready: 1, missing: 1 });
    }
  });
});
