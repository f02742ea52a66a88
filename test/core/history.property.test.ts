import fc from "fast-check";
import type { Behavior, HpaStatus, ScalingRules } from "../../lib/k8s/hpa";
import { evaluate } from "../../lib/core/evaluate";
import type { Decision, History, Situation } from "../../lib/model/situation";
import { external, hpaWith, noon, options, scaleOf, situationWith } from "./build";
import { ReferenceHistory } from "./reference-history";
import { expectAtMost, expectToEqual } from "../expect-often";

const rules = (percent: readonly number[]): fc.Arbitrary<ScalingRules> =>
  fc.record({
    stabilizationWindowSeconds: fc.constantFrom(0, 15, 30, 60, 120, 300),
    selectPolicy: fc.constantFrom("Max", "Min", "Disabled"),
    policies: fc.array(
      fc.oneof(
        fc.record({ type: fc.constant("Pods"), value: fc.integer({ min: 1, max: 6 }), periodSeconds: period }),
        fc.record({ type: fc.constant("Percent"), value: fc.constantFrom(...percent), periodSeconds: period }),
      ),
      { minLength: 1, maxLength: 3 },
    ),
  });
const period = fc.constantFrom(15, 30, 60, 120, 600);
const behavior: fc.Arbitrary<Behavior | undefined> = fc.option(
  fc.record({ scaleUp: rules([10, 100, 200]), scaleDown: rules([10, 50, 100]) }),
  { nil: undefined },
);

interface Moment {
  readonly wait: number;
  /** null: the metric cannot be read. */
  readonly value: number | null;
  /** Somebody else scales the target. */
  readonly byHand: number | null;
  readonly min: number;
  readonly target: number;
}

const moment: fc.Arbitrary<Moment> = fc.record({
  wait: fc.oneof({ weight: 8, arbitrary: fc.constantFrom(15, 15.25) }, fc.constantFrom(1, 30, 60, 300, 299.75, 4000)),
  value: fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(0, 5, 10, 20, 30, 60, 100) },
    { weight: 2, arbitrary: fc.integer({ min: 0, max: 120 }) },
    { weight: 1, arbitrary: fc.constant(null) },
  ),
  byHand: fc.oneof({ weight: 12, arbitrary: fc.constant(null) }, fc.integer({ min: 0, max: 12 })),
  min: fc.constantFrom(0, 0, 0, 1, 2),
  target: fc.constantFrom(10, 10, 10, 5),
});

const story = fc.record({
  behavior,
  downscale: fc.constantFrom(0, 30, 60, 300),
  start: fc.integer({ min: 0, max: 8 }),
  moments: fc.array(moment, { minLength: 5, maxLength: 60 }),
});

type Story = typeof story extends fc.Arbitrary<infer T> ? T : never;

/** Plays a story, with the history that `remember` makes of each decision. */
function play(given: Story, remember: (decision: Decision, current: number, now: number) => History, start: Start) {
  let status: HpaStatus = {};
  let replicas = given.start;
  let now = noon;
  return given.moments.map(({ wait, value, byHand, min, target }) => {
    now += wait * 1000;
    replicas = byHand ?? replicas;
    const metrics = [
      {
        type: "External",
        external: { metric: { name: "queue" }, target: { type: "AverageValue", averageValue: target } },
      },
    ];
    const spec = { minReplicas: min, maxReplicas: 10, metrics };
    const situation: Situation = situationWith({
      hpa: hpaWith(given.behavior === undefined ? spec : { ...spec, behavior: given.behavior }, status),
      scale: scaleOf(replicas),
      metrics: [value === null ? { error: "boom" } : external(value)],
      history: start(replicas, now),
      options: { ...options, downscaleStabilizationSeconds: given.downscale },
    });
    const decision = evaluate(situation, now);
    start = following(remember(decision, replicas, now));
    status = decision.status;
    replicas = decision.scaleTo ?? replicas;
    return { decision, now };
  });
}

type Start = (current: number, now: number) => History | null;
const following =
  (history: History): Start =>
  () =>
    history;

const seenOf = ({ decision }: { readonly decision: Decision }) => {
  const { history: _, steps, ...rest } = decision;
  return { ...rest, steps: steps.map(({ detail: _detail, ...step }) => step) };
};

test("runs decide as upstream's list of every recommendation does", () => {
  fc.assert(
    fc.property(story, (given) => {
      const inRuns = play(
        given,
        ({ history }) => history,
        () => null,
      );

      const reference = new ReferenceHistory();
      const { behavior: kept, downscale } = given;
      const asUpstream = play(
        given,
        (decision, current, now) => {
          reference.record(decision, current, now, kept === undefined ? { downscale } : { behavior: kept, downscale });
          return reference.history();
        },
        () => null,
      );

      const [ours, theirs] = [inRuns.map(seenOf), asUpstream.map(seenOf)];
      expectToEqual(ours, theirs);
    }),
    { numRuns: 2000 },
  );
});

test("a history has at most two runs for each size", () => {
  fc.assert(
    fc.property(story, (given) => {
      for (const { decision } of play(
        given,
        ({ history }) => history,
        () => null,
      )) {
        const { recommendations } = decision.history;
        const sizes = new Set(recommendations.map(({ replicas }) => replicas)).size;
        expectAtMost(recommendations.length, 2 * sizes);
        expectToEqual(
          [...recommendations].sort((a, b) => a.at - b.at),
          recommendations,
        );
      }
    }),
    { numRuns: 500 },
  );
});
