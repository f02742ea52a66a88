import fc from "fast-check";
import { evaluate } from "../../lib/core/evaluate";
import type { Situation } from "../../lib/model/situation";
import { at, external, hpaWith, noon, scaleOf, situationWith } from "./build";
import { behavior, situation } from "./situations";
import { expectAtLeast, expectAtMost, expectToBe, expectToEqual } from "../expect-often";

const currentOf = ({ scale }: Situation) => ("error" in scale ? 0 : (scale.spec.replicas ?? 0));

test("the size stays in bounds", () => {
  fc.assert(
    fc.property(situation, (given) => {
      const { desiredReplicas, scaleTo } = evaluate(given, noon);
      if (scaleTo === null) return;
      expectToBe(desiredReplicas, scaleTo);
      expectAtLeast(scaleTo, given.hpa.spec.minReplicas ?? 1);
      expectAtMost(scaleTo, given.hpa.spec.maxReplicas);
      expectToBe(Number.isInteger(scaleTo), true);
    }),
    { numRuns: 2000 },
  );
});

test("with a blind metric, other metrics never lower the replicas", () => {
  fc.assert(
    fc.property(situation, fc.nat(), (given, which) => {
      const blind = which % given.metrics.length;
      const metrics = given.metrics.map((response, index) => (index === blind ? { error: "boom" } : response));
      const { scaleTo, recommendation } = evaluate({ ...given, metrics }, noon);
      const current = currentOf(given);
      expectAtLeast(recommendation ?? current, current);
      // Recommendations of the past may still be lower, but they only keep it from growing.
      expectAtLeast(scaleTo ?? current, current);
    }),
    { numRuns: 2000 },
  );
});

test("a fixed point stays fixed", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 50 }),
      behavior,
      fc.integer({ min: 1, max: 40 }),
      (replicas, rules_, syncs) => {
        const spec = { minReplicas: 0, maxReplicas: 50 };
        const hpa = hpaWith(rules_ === undefined ? spec : { ...spec, behavior: rules_ });
        let given = situationWith({ hpa, scale: scaleOf(replicas), metrics: [external(replicas * 10)], history: null });
        for (let sync = 0; sync < syncs; sync += 1) {
          const decision = evaluate(given, at(sync * 15));
          const { scaleTo, desiredReplicas, recommendation } = decision;
          expectToEqual([scaleTo, desiredReplicas, recommendation], [null, replicas, replicas]);
          expectToEqual(decision.history.recommendations, [{ replicas, since: noon, at: at(sync * 15) }]);
          given = { ...given, hpa: { ...hpa, status: decision.status }, history: decision.history };
        }
      },
    ),
    { numRuns: 300 },
  );
});

test("evaluate does not change its input, and gives the same result again", () => {
  fc.assert(
    fc.property(situation, (given) => {
      const frozen = deepFreeze(structuredClone(given));
      expectToEqual(evaluate(frozen, noon), evaluate(given, noon));
    }),
    { numRuns: 500 },
  );
});

function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null) Object.values(Object.freeze(value)).forEach(deepFreeze);
  return value;
}
