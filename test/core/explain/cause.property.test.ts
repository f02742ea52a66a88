import fc from "fast-check";
import { reasonText, scalingOf, type Scaling } from "../../../cli/understand/explain/reason";
import { digest } from "../../../lib/core/explain/digest";
import { evaluate } from "../../../lib/core/evaluate";
import { currentReplicas } from "../../../lib/core/gate";
import type { Situation } from "../../../lib/model/situation";
import { noon, scaledToZero, scaleOf } from "../build";
import { expectToBe, expectToEqual } from "../../expect-often";
import { situation } from "../situations";

/** A fifth of them at a zero of ours, and a fifth outside of their bounds. */
const any: fc.Arbitrary<Situation> = fc
  .tuple(situation, fc.constantFrom<number | undefined>(undefined, undefined, undefined, 0, 60))
  .map(([given, size]) => {
    if (size === undefined) return given;
    const hpa = size === 0 ? { ...given.hpa, status: scaledToZero } : given.hpa;
    return { ...given, hpa, scale: scaleOf(size) };
  });

/** How a situation is decided, and why, if it scales. */
function explained(given: Situation) {
  const { hpa, options, scale } = given;
  const from = "error" in scale ? null : currentReplicas(scale);
  const { steps, desiredReplicas, scaleTo, events } = evaluate(given, noon);
  const said = digest({ from, steps }, { hpa, options });
  return { from: from ?? 0, scaleTo, events, said, scaling: scalingOf({ from, desiredReplicas, steps, ...said }) };
}

const asked = ({ cause }: Scaling) =>
  cause.kind === "metric" ? Math.max(0, cause.metric.asksFor ?? NaN) : cause.kind === "metrics" ? cause.asksFor : null;

/** The same situations in each run: enough that each cause is among them. */
const fixed = fc.sample(any, { numRuns: 4_000, seed: 1 });

test("each scaling has a reason, and none names what a metric asks for on the other side of the move", () => {
  fc.assert(
    fc.property(any, (given) => {
      const { from, scaleTo, said, scaling } = explained(given);
      if (scaleTo === null) return expectToBe(scaling, undefined);
      if (said.obstacle !== undefined) return expectToBe(/^Too(Few|Many)Replicas$/.test(said.obstacle.reason), true);
      if (scaling === undefined) throw new Error("a scaling without a reason");
      const text = reasonText(scaling, { ask: "ask" });
      expectToEqual([text.trim() === "", text.includes("undefined")], [false, false]);
      const asksFor = asked(scaling);
      if (asksFor !== null) expectToBe(Math.sign(asksFor - from), Math.sign(scaleTo - from));
      if (scaling.limit !== undefined) expectToBe(scaling.limit.replicas, scaleTo);
    }),
    { numRuns: 4000 },
  );
  const found = new Set(fixed.flatMap((given) => explained(given).scaling?.cause.kind ?? []));
  expect([...found].toSorted()).toEqual(["bound", "metric", "window"]);
});

/** The cause of a move up whose event says nothing, or the opposite. */
function contradicted(given: Situation): readonly (string | undefined)[] {
  const { from, scaleTo, events, scaling } = explained(given);
  const said = events.find(({ reason }) => reason === "SuccessfulRescale")?.message ?? "";
  if (scaleTo === null || !/reason: (All metrics below target)?$/.test(said) || scaleTo < from) return [];
  return [scaling?.cause.kind];
}

test("where upstream's event says nothing, or the opposite, a window or a bound is the cause", () => {
  fc.assert(
    fc.property(any, (given) => {
      for (const cause of contradicted(given)) expectToBe(cause === "window" || cause === "bound", true);
    }),
    { numRuns: 4000 },
  );
  expect([...new Set(fixed.flatMap(contradicted))].toSorted()).toEqual(["bound", "window"]);
});
