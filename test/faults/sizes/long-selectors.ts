import type { Dice } from "../stories/dice";
import { crowdTargets, external, hpaItem } from "./crowd-items";
import type { SizePlan } from "./size-plan";

/** Workloads of one namespace whose selectors are as long as an object may be: many labels, or many values. */
export function longSelectors(random: Dice): SizePlan {
  const hpas = random.pick([300, 1_000]);
  const parts = random.pick([100, 700]);
  const shape = random.pick(["labels", "values", "shared"] as const);
  const selectorOf = (own: number): string => {
    const each = (text: (part: number) => string) => Array.from({ length: parts }, (_, part) => text(part));
    if (shape === "values") return `app in (${each((part) => `w${own}-${part}-of-many`).join(",")})`;
    if (shape === "labels") return each((part) => `label-${part}=value-${own}`).join(",");
    return each((part) => `label-${part}=value`).join(",");
  };
  return {
    items: Array.from({ length: hpas }, (_, index) => hpaItem(index, [external("live", { id: `crowd.c${index}.0` })])),
    targets: crowdTargets(hpas, (index) => ({ selector: selectorOf(index) })),
    // A slot measures, writes and keeps 1,000 states, each with its selector of 14 KB, and compares selectors by their
    // first characters: seven steps in ten are passes over those 14 MB.
    budget: { steps: 15_200_000 },
    values: Object.fromEntries(Array.from({ length: hpas }, (_, index) => [`crowd.c${index}.0`, 5])),
  };
}
