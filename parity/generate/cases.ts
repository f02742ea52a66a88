import fc from "fast-check";
import type { Case, Kind } from "../case";
import { documents, updates } from "./documents";
import { situations, stories } from "./situations";

const arbitraries: Readonly<Record<Kind, fc.Arbitrary<object>>> = {
  // Without fast-check's preference for small and extreme values, which the metrics would rarely decide about.
  decision: fc.noBias(situations),
  story: fc.noBias(stories),
  document: documents,
  update: updates,
};

/** The same seed gives the same cases. */
export function generate(kind: Kind, seed: number, count: number): readonly Case[] {
  // As it arrives: what JSON cannot hold is not part of a case.
  return fc
    .sample(arbitraries[kind], { seed, numRuns: count })
    .map((given) => ({ kind, given: JSON.parse(JSON.stringify(given)) as unknown }));
}
