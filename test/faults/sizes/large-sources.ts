import type { Dice } from "../stories/dice";
import { crowdTargets, external, hpaItem, sourceItem } from "./crowd-items";
import type { SizePlan } from "./size-plan";

/** Few large SOURCE entries, that many HPAs read by many metrics each: sources × metrics × HPAs. */
export function largeSources(random: Dice): SizePlan {
  const [hpas, metrics, bytes] = random.pick([
    [30, 100, 120_000],
    [1_000, 1, 120_000],
    [30, 100, 16_000],
    [1_000, 5, 15_000],
    [300, 20, 4_000],
  ]);
  const manyMembers = random.chance(0.4);
  // Each metric is a query of its own, or all are one.
  const areDistinct = random.chance(0.5);
  const large = manyMembers
    ? Object.fromEntries(Array.from({ length: Math.floor(bytes / 12) }, (_, index) => [`member${index}`, "v"]))
    : { text: "x".repeat(bytes) };
  const source = sourceItem("large", "live", { id: "crowd.large.0", ...large });
  const metricsOf = (hpa: number) =>
    Array.from({ length: metrics }, (_, index) =>
      external("large", areDistinct ? { own: `${hpa}-${index}` } : undefined),
    );
  return {
    items: [source, ...Array.from({ length: hpas }, (_, index) => hpaItem(index, metricsOf(index)))],
    targets: crowdTargets(hpas),
    values: { "crowd.large.0": 5 },
  };
}
