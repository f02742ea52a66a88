import { limits } from "../../model/entry/limits";
import { splitKey } from "../../model/hpa-key";
import { maxMin, treeOf } from "../../model/max-min";
import { smallestPart } from "../../model/stored/shard-size";
import type { HpaTask } from "../hpa/hpa-result";

/** A metric's answer, step, status and messages. */
const bytesOfMetric = 1_600;

export interface BoundTasks {
  readonly tasks: readonly HpaTask[];
  readonly wanted: number;
}

/** If their metrics exceed the memory, those above their fair share are halted until the tick has split the shard. */
export function boundTasks(tasks: readonly HpaTask[], memory = Infinity): BoundTasks {
  const most = Math.floor(memory / bytesOfMetric);
  const counts = tasks.map(metricsOf);
  const all = counts.reduce((sum, count) => sum + count, 0);
  if (all <= most) return { tasks, wanted: 0 };
  const tree = treeOf(tasks.map(({ key }) => splitKey(key)));
  const shares = maxMin(most, { tree, demands: counts }, 0);
  const wanted = counts.reduce((sum, count) => sum + Math.min(count, Math.ceil(most / smallestPart)), 0);
  const what = `expected at most ${most} metrics of the HPAs of a shard together, got ${all}`;
  const remedy = wanted > most ? "the next tick splits the shard" : "use fewer, or give the function more memory";
  const refuse = (share: number, metrics: number) =>
    `spec.metrics: ${what}: the share of this HPA is ${share}, and it has ${metrics} (a limit of ebb): ${remedy}`;
  return {
    tasks: tasks.map((task, index) => {
      const [share = 0, metrics = 0] = [shares[index], counts[index]];
      return metrics > share ? { ...task, entry: { errors: [refuse(share, metrics)] } } : task;
    }),
    wanted: Math.ceil((limits.queriesPerRun * wanted) / most),
  };
}

function metricsOf({ entry }: HpaTask): number {
  return "hpa" in entry ? (entry.hpa.spec.metrics?.length ?? 0) : 0;
}
