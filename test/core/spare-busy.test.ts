import fc from "fast-check";
import { evaluate } from "../../lib/core/evaluate";
import { evaluateEntry } from "../../lib/core/evaluate-entry";
import type { BusyPods, Decision, Situation } from "../../lib/model/situation";
import { at, clock, external, hpaWith, scaleOf, situationWith, unhindered } from "./build";

type Counts = Exclude<BusyPods, { readonly error: string }>;

interface Given {
  /** Of `replicas` pods. */
  readonly busy?: Partial<Counts> | { readonly error: string };
  readonly wanted?: number;
  readonly replicas?: number;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly maxReplicas?: number;
  readonly more?: Partial<Situation>;
}

const asking = { "ebb.dev/busy": "annotation: worker.example/busy" };
const sparing = { ...asking, "ebb.dev/spare-busy": "true" };

function situationOf(given: Given): Situation {
  const { busy = {}, wanted = 4, replicas = 10, annotations = sparing, maxReplicas = 10, more } = given;
  const hpa = hpaWith({ minReplicas: 0, maxReplicas, behavior: unhindered });
  const counts = { busy: 0, unknown: 0, notReady: 0, replicaSets: 1, ...busy };
  return situationWith({
    hpa: { ...hpa, metadata: { ...hpa.metadata, annotations } },
    scale: scaleOf(replicas),
    metrics: [external(wanted * 10)],
    busy: "error" in busy ? busy : { ...counts, idle: replicas - counts.busy - counts.unknown },
    ...more,
  });
}

const decide = (given: Given, seconds = 0): Decision => evaluate(situationOf(given), at(seconds));
const limited = ({ status }: Decision) => status.conditions?.find(({ type }) => type === "ScalingLimited");

test.each<[string, Given, number, string | undefined]>([
  ["fewer are busy than wanted", { busy: { busy: 4 } }, 4, undefined],
  ["more are busy than wanted", { busy: { busy: 6 } }, 6, "6 of 10 pods are busy"],
  ["all are busy", { busy: { busy: 10 } }, 10, "10 of 10 pods are busy"],
  ["more are busy than the size, which still falls", { busy: { busy: 12 }, replicas: 10 }, 10, "12 of 10"],
  ["an unknown pod counts", { busy: { busy: 3, unknown: 3 } }, 6, "3 of 10 pods are busy, and 3 may be"],
  [
    "and says why",
    { busy: { unknown: 5, problem: "pod web-1: no answer" } },
    5,
    "0 of 10 pods are busy, and 5 may be (pod web-1: no answer)",
  ],
  ["none is busy: zero", { wanted: 0, busy: {} }, 0, undefined],
  ["one is busy: no zero", { wanted: 0, busy: { busy: 1 } }, 1, "1 of 10 pods are busy"],
  ["one may be busy: no zero", { wanted: 0, busy: { unknown: 1 } }, 1, "may be"],
  ["a busy pod is not Ready", { busy: { busy: 1, notReady: 1 } }, 10, "1 of them not Ready, which would go first"],
  ["a rollout", { busy: { busy: 1, replicaSets: 2 } }, 10, "a rollout is under way: 2 ReplicaSets"],
  ["a rollout of idle pods", { busy: { replicaSets: 2 } }, 4, undefined],
  ["nobody knows", { busy: { error: "pods is forbidden" } }, 10, "nobody knows which pods are busy: pods is forbidden"],
  ["maxReplicas is below the busy", { maxReplicas: 5, busy: { busy: 7 } }, 7, "7 of 10 pods are busy"],
  ["maxReplicas is above the busy", { maxReplicas: 5, busy: { busy: 3 } }, 5, undefined],
  ["only ordered, not spared", { annotations: asking, busy: { busy: 6 } }, 4, undefined],
  ["only ordered, in a rollout", { annotations: asking, busy: { busy: 6, replicaSets: 2, notReady: 1 } }, 4, undefined],
  ["only ordered, and nobody knows", { annotations: asking, busy: { error: "no answer" } }, 10, "no answer"],
])("%s", (_, given, expected, why) => {
  const decision = decide(given);
  expect(decision.desiredReplicas).toBe(expected);
  expect(decision.scaleTo).toBe(expected === 10 ? null : expected);
  const step = decision.steps.find(({ stage }) => stage === "spare");
  expect(step?.limitedBy).toBe(why === undefined ? undefined : "SparedBusy");
  if (why === undefined) return;
  expect(step?.because).toContain(why);
  expect(limited(decision)).toMatchObject({ status: "True", reason: "SparedBusy" });
  expect(limited(decision)?.message).toContain(why);
  expect(decision.sparedSince).toBe(at(0));
});

test("nobody knows: a warning in each sync", () => {
  const { events } = decide({ busy: { error: "pods is forbidden" } });
  expect(events).toEqual([{ type: "Warning", reason: "FailedGetBusyPods", message: "pods is forbidden" }]);
});

test.each([
  ["it grows", { wanted: 10, replicas: 8 }],
  ["it stays", { wanted: 8, replicas: 8 }],
])("busy pods say nothing while %s", (_, given) => {
  const { desiredReplicas, steps, sparedSince } = decide({
    ...given,
    busy: { busy: 9 },
    more: { sparedSince: at(-60) },
  });
  expect({ desiredReplicas, sparedSince }).toEqual({ desiredReplicas: given.wanted, sparedSince: undefined });
  expect(steps.some(({ stage }) => stage === "spare")).toBe(false);
});

describe("a bound", () => {
  const bounded = { ...sparing, "ebb.dev/spare-busy-for": "2h" };
  const after = (seconds: number, more: Given = {}) =>
    decide({ annotations: bounded, busy: { busy: 6 }, more: { sparedSince: at(0) }, ...more }, seconds);

  test.each([
    [0, 6],
    [7_199, 6],
    [7_200, 4],
    [90_000, 4],
  ])("after %d s: %d", (seconds, expected) => {
    const decision = after(seconds);
    expect(decision.desiredReplicas).toBe(expected);
    expect(decision.sparedSince).toBe(at(0));
  });

  test("says when it ends, and that it has ended", () => {
    const spareStep = ({ steps }: Decision) => steps.find(({ stage }) => stage === "spare");
    expect(spareStep(after(0))?.detail).toEqual({ busy: 6, pods: 10, until: at(7_200) });
    expect(spareStep(after(7_200))?.because).toBe(`6 of 10 pods are busy; they have been spared until ${clock(7_200)}`);
  });

  test("counts for a rollout, for what nobody knows and for maxReplicas alike", () => {
    expect(after(7_200, { busy: { busy: 1, replicaSets: 2 } }).scaleTo).toBe(4);
    expect(after(7_200, { busy: { error: "no answer" } }).scaleTo).toBe(4);
    expect(after(7_200, { maxReplicas: 3 }).scaleTo).toBe(3);
  });

  test("begins now if its beginning is ahead of the clock", () => {
    const decision = after(0, { more: { sparedSince: at(60) } });
    expect(decision).toMatchObject({ desiredReplicas: 6, sparedSince: at(0) });
  });

  test("goes on while the metrics cannot be read, and while the entry is paused", () => {
    const blind = after(0, { more: { sparedSince: at(-60), metrics: [{ error: "no answer" }] } });
    expect(blind).toMatchObject({ scaleTo: null, sparedSince: at(-60) });
    const situation = situationOf({ annotations: bounded, more: { sparedSince: at(-60) } });
    const paused = evaluateEntry(situation, { paused: true, dryRun: false }, at(0));
    expect(paused.sparedSince).toBe(at(-60));
  });
});

test("zero by activity waits for busy pods", () => {
  const annotations = { ...sparing, "ebb.dev/zero": '{"after": "0s"}' };
  expect(decide({ annotations, wanted: 0, busy: { busy: 2 } }).scaleTo).toBe(2);
  expect(decide({ annotations, wanted: 0, busy: {} }).scaleTo).toBe(0);
});

test("only what is scaled counts as a scale event", () => {
  const { history } = decide({ busy: { busy: 6 } });
  expect(history.scaleDownEvents).toEqual([{ change: 4, at: at(0) }]);
});

const counts = fc.record({
  busy: fc.nat(12),
  unknown: fc.nat(3),
  idle: fc.nat(12),
  notReady: fc.nat(2),
  replicaSets: fc.integer({ min: 1, max: 3 }),
});

test("whatever the pods do, the size is between what is wanted and what is, and never below the busy", () => {
  fc.assert(
    fc.property(counts, fc.nat(12), fc.integer({ min: 1, max: 12 }), (busy, wanted, replicas) => {
      const without = evaluate({ ...situationOf({ wanted, replicas, annotations: {} }) }, at(0)).desiredReplicas;
      const { desiredReplicas } = decide({ wanted, replicas, busy, more: { busy } });
      if (without >= replicas) return expect(desiredReplicas).toBe(without);
      expect(desiredReplicas).toBeGreaterThanOrEqual(without);
      expect(desiredReplicas).toBeLessThanOrEqual(replicas);
      expect(desiredReplicas).toBeGreaterThanOrEqual(Math.min(busy.busy + busy.unknown, replicas));
    }),
  );
});

test("without the annotation, whatever is known of the pods changes nothing", () => {
  fc.assert(
    fc.property(counts, fc.nat(12), fc.integer({ min: 0, max: 12 }), (busy, wanted, replicas) => {
      const given = { wanted, replicas, annotations: {} };
      const { busy: _, ...plain } = situationOf(given);
      expect(evaluate(situationOf({ ...given, more: { busy } }), at(0))).toEqual(evaluate(plain, at(0)));
    }),
  );
});
