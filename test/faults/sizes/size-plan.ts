import type { HpaKey } from "../../../lib/model/hpa-key";
import type { Dice } from "../stories/dice";
import type { Act, Incident, PlantedItem, Setting } from "../stories/story";

/** What one invocation may use at most, in a function of `Setting.memoryMegabytes`. */
export interface Budget {
  /** Of V8's heap, beside the table and what else the world has. */
  readonly heapMegabytes: number;
  /** Of work: test/faults/world/meter.ts says what a step is. */
  readonly steps: number;
}

/** A workload of the crowd in the cluster. */
export interface CrowdTarget {
  readonly key: HpaKey;
  readonly replicas: number;
  /** Of its pods; default: one of its own. */
  readonly selector?: string;
}

/**
 * Thousands of entries, or few that are as large as they may be, beside three small HPAs of neighbours. Every key of
 * the crowd begins with "crowd". Nobody checks what becomes of it: the budget must hold, and the neighbours' HPAs must
 * be where their metrics want them, two slots after these have moved.
 */
export interface SizePlan {
  /** Plain attributes, with pk and sk: in the table before the first tick. */
  readonly items: readonly object[];
  readonly targets?: readonly CrowdTarget[];
  /** What the metrics `live` and `periodic` say, by their label `id`. Others have no value. */
  readonly values?: Readonly<Record<string, number>>;
  readonly setting?: Partial<Setting>;
  /** Hostile items in the places of ebb's own. */
  readonly planted?: readonly PlantedItem[];
  readonly acts?: readonly Act[];
  readonly incidents?: readonly Incident[];
  /** How long the story lasts; default and least: 5. */
  readonly slots?: number;
  /** What differs from the common budget (sizes.ts), with the reason beside it. */
  readonly budget?: Partial<Budget>;
}

export type Size = (random: Dice) => SizePlan;
