import type { Dice } from "../stories/dice";
import { crowdTargets, external, hpaItem, sourceItem } from "./crowd-items";
import type { SizePlan } from "./size-plan";

/** HPAs with as many metrics as they may have: each is a query of its own, or a formula of 20 operands. */
export function manyMetrics(random: Dice): SizePlan {
  const [hpas, metrics] = random.pick([
    [1_000, 100],
    [1_000, 60],
    [300, 60],
  ]);
  const isFormula = random.chance(0.5);
  const operands = Array.from({ length: 20 }, (_, index) => ({
    ...{ name: `o${index}`, source: "large", labels: { own: `\${own}${index}` } },
  }));
  const parameters = { operands, vars: { own: "none" }, formula: operands.map(({ name }) => name).join("+") };
  const [name, label] = isFormula ? (["sum", "var.own"] as const) : (["large", "own"] as const);
  const metricsOf = (hpa: number) =>
    Array.from({ length: metrics }, (_, index) => external(name, { [label]: `${hpa}-${index}` }));
  return {
    items: [
      sourceItem("large", "live", { id: "crowd.large.0", text: "x".repeat(500) }),
      sourceItem("sum", "formula", parameters),
      ...Array.from({ length: hpas }, (_, index) => hpaItem(index, metricsOf(index))),
    ],
    targets: crowdTargets(hpas),
    values: { "crowd.large.0": 5 },
    // The first slots read 100,000 metrics from the table, and look for their queues. After a split, a process has its
    // cache of the whole shard beside the load of a part: an eighth of its memory each, and a sixteenth for the run.
    budget: { steps: 100_000_000, heapMegabytes: 160 },
  };
}
