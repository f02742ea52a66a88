import type { Dice } from "../stories/dice";
import { crowdTargets, external, hpaItem, sourceItem } from "./crowd-items";
import type { SizePlan } from "./size-plan";

/** HPAs at zero that the poller reads, with the parameters of large sources in what it gets of each. */
export function polledZeros(random: Dice): SizePlan {
  const [hpas, metrics] = random.pick([
    [300, 20],
    [1_000, 5],
    [100, 50],
  ]);
  const metricsOf = Array.from({ length: metrics }, () => external("large"));
  return {
    items: [
      sourceItem("large", "live", { id: "crowd.large.0", text: "x".repeat(15_000) }),
      ...Array.from({ length: hpas }, (_, index) => hpaItem(index, metricsOf, { minReplicas: 0 })),
    ],
    targets: crowdTargets(hpas),
    values: { "crowd.large.0": 0 },
    setting: { watch: { budget: 1_000 }, downscaleStabilizationSeconds: 0 },
    slots: 7,
    // What an item holds is counted byte by byte before it is parsed: 16 million steps, each time the set has changed.
    budget: { steps: 100_000_000 },
  };
}
