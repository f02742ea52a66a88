import type { Operations } from "../../lib/model/entry/annotations";
import type { HpaStatus } from "../../lib/k8s/hpa";
import { evaluate } from "../../lib/core/evaluate";
import { evaluateEntry, prepare } from "../../lib/core/evaluate-entry";
import type { Situation } from "../../lib/model/situation";
import {
  at,
  clock,
  external,
  hpaWith,
  noon,
  nothingSoFar,
  perPod,
  scaledToZero,
  scaleOf,
  situationWith,
  unhindered,
} from "./build";

const normal: Operations = { paused: false, dryRun: false };
const paused: Operations = { paused: true, dryRun: false };
const dryRun: Operations = { paused: false, dryRun: true };
const unread = { error: "it was not read" };

/** From 2 to 4 replicas, limited by the rate; the metric asks for 5. */
const growing = (given: Partial<Situation> = {}) => situationWith({ metrics: [external("45")], ...given });
const conditionOf = (status: HpaStatus, type: string) =>
  status.conditions?.find((condition) => condition.type === type);

test("without pause or dry run, the decision is upstream's", () => {
  expect(evaluateEntry(growing(), normal, noon)).toEqual(evaluate(growing(), noon));
});

describe("paused", () => {
  const known: HpaStatus = {
    observedGeneration: 3,
    currentReplicas: 2,
    desiredReplicas: 5,
    lastScaleTime: clock(-60),
    currentMetrics: [{ type: "External", external: { metric: { name: "queue" }, current: { averageValue: "9" } } }],
    conditions: [
      { type: "AbleToScale", status: "True", reason: "SucceededRescale", message: "m", lastTransitionTime: clock(-90) },
      { type: "ScalingActive", status: "True", reason: "ValidMetricFound", lastTransitionTime: clock(-90) },
      { type: "ScaledToZero", status: "True", reason: "ScaledToZero", lastTransitionTime: clock(-90) },
    ],
  };
  const history = {
    recommendations: [{ replicas: 5, since: at(-60), at: at(-15) }],
    scaleUpEvents: [{ change: 3, at: at(-60) }],
    scaleDownEvents: [],
  };

  test.each<[string, Operations["paused"], string]>([
    ["by hand", true, "paused by the annotation ebb.dev/paused"],
    ["until a moment", { until: at(90) }, "paused until 2026-03-01T12:01:30Z by the annotation ebb.dev/paused-until"],
  ])("%s: nothing is decided, and the condition says so", (_, pausing, message) => {
    const hpa = { ...hpaWith({}, known), metadata: { name: "web", namespace: "shop", generation: 4 } };
    const situation = growing({ hpa, scale: scaleOf(7), history });
    expect(evaluateEntry(situation, { paused: pausing, dryRun: false }, noon)).toEqual({
      desiredReplicas: 5,
      scaleTo: null,
      status: {
        ...known,
        observedGeneration: 4,
        currentReplicas: 7,
        currentMetrics: [],
        conditions: [
          known.conditions?.[0],
          { type: "ScalingActive", status: "False", reason: "Paused", message, lastTransitionTime: clock(0) },
          known.conditions?.[2],
        ],
      },
      events: [{ type: "Normal", reason: "Paused", message }],
      history,
      recommendation: null,
      steps: [{ stage: "gate", replicas: 7, limitedBy: "Paused", because: message }],
    });
  });

  test("a scale that cannot be read is no failure, and the status keeps the last one", () => {
    const { status, steps } = evaluateEntry(growing({ hpa: hpaWith({}, known), scale: unread }), paused, noon);
    expect(status.currentReplicas).toBe(2);
    expect(conditionOf(status, "AbleToScale")).toEqual(known.conditions?.[0]);
    expect(steps[0]?.replicas).toBeNull();
  });

  test("an HPA that was never synced gets no history", () => {
    const decision = evaluateEntry(growing({ scale: unread, history: null }), paused, noon);
    expect(decision).toMatchObject({ desiredReplicas: 0, history: nothingSoFar });
  });

  test("its start and its end are one event each", () => {
    const first = evaluateEntry(growing(), paused, noon);
    const second = evaluateEntry(growing({ hpa: hpaWith({}, first.status) }), paused, at(15));
    const ended = evaluateEntry(growing({ hpa: hpaWith({}, second.status) }), normal, at(30));
    const after = evaluateEntry(growing({ hpa: hpaWith({}, ended.status) }), normal, at(45));
    expect([first, second, ended, after].map(({ events }) => events.map(({ reason }) => reason))).toEqual([
      ["Paused"],
      [],
      ["Resumed", "SuccessfulRescale"],
      ["SuccessfulRescale"],
    ]);
    expect(conditionOf(second.status, "ScalingActive")?.lastTransitionTime).toBe(clock(0));
    expect(conditionOf(ended.status, "ScalingActive")).toMatchObject({ status: "True", lastTransitionTime: clock(30) });
  });

  test.each<[string, Partial<Situation>]>([
    ["whose scale cannot be read", { scale: { error: "gone" } }],
    ["that is beyond a bound", { scale: scaleOf(12) }],
  ])("one that was resumed and %s is not shown as paused", (_, given) => {
    const { status } = evaluateEntry(growing(), paused, noon);
    const decision = evaluateEntry(growing({ hpa: hpaWith({}, status), ...given }), normal, at(15));
    expect(conditionOf(decision.status, "ScalingActive")).toMatchObject({
      status: "Unknown",
      reason: "Resumed",
      message: "resumed; no metric has been read since",
    });
    expect(decision.events[0]).toEqual({ type: "Normal", reason: "Resumed", message: "resumed" });
  });

  test("a pause that continues is no event, with any other status", () => {
    const { status } = evaluateEntry(growing({ hpa: hpaWith({}, known) }), paused, noon);
    expect(evaluateEntry(growing({ hpa: hpaWith({}, status) }), paused, at(15)).events).toEqual([]);
  });

  test("an HPA without a status gets the one condition, and generation 0 if it has none", () => {
    const { status } = evaluateEntry(growing(), paused, noon);
    expect(status.conditions?.map(({ type, reason }) => [type, reason])).toEqual([["ScalingActive", "Paused"]]);
    expect(status.observedGeneration).toBe(0);
  });

  test("resumed into a dry run, the HPA reports both, the end of the pause first", () => {
    const { status } = evaluateEntry(growing(), paused, noon);
    const decision = evaluateEntry(growing({ hpa: hpaWith({}, status) }), dryRun, at(15));
    expect(decision).toMatchObject({ scaleTo: null, desiredReplicas: 4 });
    expect(decision.events.map(({ reason }) => reason)).toEqual(["Resumed", "DryRunRescale"]);
  });

  test("a pause wins over a dry run", () => {
    expect(evaluateEntry(growing(), { paused: true, dryRun: true }, noon).steps[0]?.limitedBy).toBe("Paused");
  });
});

describe("a dry run", () => {
  test("decides as usual, and reports everywhere that nothing was applied", () => {
    const before = { lastScaleTime: clock(-90), conditions: scaledToZero.conditions ?? [] };
    const hpa = hpaWith({ behavior: unhindered }, before);
    const situation = growing({ hpa, history: { ...nothingSoFar, scaleUpEvents: [{ change: 1, at: at(-90) }] } });
    const real = evaluate({ ...situation, hpa: prepare(situation, dryRun, noon) }, noon);
    const decision = evaluateEntry(situation, dryRun, noon);
    expect(real).toMatchObject({ scaleTo: 5, history: { scaleUpEvents: [{ change: 3, at: noon }] } });
    expect(decision).toEqual({
      ...real,
      scaleTo: null,
      desiredReplicas: 5,
      status: {
        ...real.status,
        lastScaleTime: clock(-90),
        desiredReplicas: 5,
        conditions: [
          expect.objectContaining({ type: "ScaledToZero", status: "False", reason: "NotScaledToZero" }) as unknown,
          {
            type: "AbleToScale",
            status: "True",
            reason: "DryRun",
            message: "the HPA controller would update the target scale to 5; not applied (dry run)",
            lastTransitionTime: clock(0),
          },
          ...(real.status.conditions ?? []).slice(2),
        ],
      },
      events: [
        {
          type: "Normal",
          reason: "DryRunRescale",
          message: "New size: 5; reason: external metric queue(nil) above target; not applied (dry run)",
        },
      ],
      history: { ...real.history, scaleUpEvents: [{ change: 1, at: at(-90) }] },
      steps: [...real.steps, { stage: "decide", replicas: 2, limitedBy: "DryRun", because: "not applied (dry run)" }],
    });
  });

  test("with nothing to scale, the decision is upstream's", () => {
    const content = situationWith();
    expect(evaluateEntry(content, dryRun, noon)).toEqual(evaluate(content, noon));
  });

  test("an HPA that was never synced gets no scale event either", () => {
    const situation = growing({ hpa: hpaWith({ behavior: unhindered }), history: null });
    expect(evaluateEntry(situation, dryRun, noon).history.scaleUpEvents).toEqual([]);
  });

  test("each new wanted size is one event, and so is the same size once it was reached in between", () => {
    let status: HpaStatus | undefined;
    const messages = [
      [2, "45"],
      [2, "45"],
      [2, "30"],
      [3, "30"],
      [2, "30"],
    ].map(([replicas, value], index) => {
      const hpa = hpaWith({ behavior: unhindered }, status);
      const metrics = [external(String(value))];
      const decision = evaluateEntry(
        situationWith({ hpa, scale: scaleOf(Number(replicas)), metrics }),
        dryRun,
        at(index * 15),
      );
      status = decision.status;
      return decision.events.map(({ message }) => message.slice(0, 11));
    });
    expect(messages).toEqual([["New size: 5"], [], ["New size: 3"], [], ["New size: 3"]]);
  });

  test("after its end, the next decision is applied like any other", () => {
    const { status, history } = evaluateEntry(growing(), dryRun, noon);
    const decision = evaluateEntry(growing({ hpa: hpaWith({}, status), history }), normal, at(15));
    expect(decision.scaleTo).toBe(4);
    expect(conditionOf(decision.status, "AbleToScale")?.reason).toBe("SucceededRescale");
  });
});

describe("who owns a zero while another controller scales the target", () => {
  const idle = { ...nothingSoFar, recommendations: [{ replicas: 0, since: at(-60), at: at(-15) }] };
  const busy = { ...nothingSoFar, recommendations: [{ replicas: 3, since: at(-60), at: at(-15) }] };
  const ran: HpaStatus = { currentReplicas: 2 };
  const ours: HpaStatus = { ...scaledToZero, currentReplicas: 0 };
  const queue = { minReplicas: 0, metrics: [perPod] };
  const oneCpu = {
    minReplicas: 0,
    metrics: [{ type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } } }],
  };

  test.each<[string, Operations, object, HpaStatus | undefined, number, typeof idle, string | undefined]>([
    ["it was recommended, too: ours", dryRun, queue, ran, 0, idle, "True"],
    ["another size was recommended: theirs", dryRun, queue, ran, 0, busy, undefined],
    ["nothing was recommended yet: theirs", dryRun, queue, ran, 0, { ...idle, recommendations: [] }, undefined],
    ["it was zero before: theirs", dryRun, queue, { currentReplicas: 0 }, 0, idle, undefined],
    ["never seen running: theirs", dryRun, queue, undefined, 0, idle, undefined],
    ["minReplicas is 1: theirs", dryRun, { ...queue, minReplicas: 1 }, ran, 0, idle, undefined],
    ["no metric says anything at zero: theirs", dryRun, oneCpu, ran, 0, idle, undefined],
    ["no dry run: theirs", normal, queue, ran, 0, idle, undefined],
    ["ours stays ours", dryRun, queue, ours, 0, busy, "True"],
    ["ours, and woken by another: nobody's", dryRun, queue, ours, 3, idle, "False"],
    ["ours, woken by another, and no dry run: as upstream has it", normal, queue, ours, 3, idle, "True"],
  ])("%s", (...[_, operations, spec, status, replicas, history, expected]) => {
    const situation = situationWith({ hpa: hpaWith(spec, status), scale: scaleOf(replicas), history });
    const { status: prepared } = prepare(situation, operations, noon);
    expect(conditionOf(prepared ?? {}, "ScaledToZero")?.status).toBe(expected);
  });

  test("a scale that cannot be read changes no owner", () => {
    const hpa = hpaWith(queue, ours);
    expect(prepare(situationWith({ hpa, scale: { error: "gone" } }), dryRun, noon)).toBe(hpa);
  });

  test("a dry run proposes to wake an owned zero that another controller made; after the dry run, ebb wakes it", () => {
    const situation = { scale: scaleOf(0), history: idle, metrics: [external("30")] };
    const wish = evaluateEntry(situationWith({ hpa: hpaWith(queue, ran), ...situation }), dryRun, noon);
    expect(wish).toMatchObject({ scaleTo: null, desiredReplicas: 3 });
    const hpa = hpaWith(queue, wish.status);
    expect(evaluateEntry(situationWith({ ...situation, hpa }), normal, at(15)).scaleTo).toBe(3);
  });
});
