import { isDeepStrictEqual } from "node:util";
import type { Decision, HpaEvent } from "../../model/situation";
import { outlineWarning } from "./next-state";
import type { HpaStatus } from "../../k8s/hpa";
import type { HpaKey } from "../../model/hpa-key";
import type { ObservedTarget } from "../../model/ports/cluster";
import type { LatestValues } from "../../model/stored/latest";
import type { EpochMs } from "../../k8s/time";
import type { PeriodClass } from "../../model/stored/last-observed";
import type { State } from "../../model/stored/state";
import type { HpaWork, SizeChange } from "./hpa-work";
import type { ReadEntry } from "./read-entry";

export interface HpaResult {
  readonly key: HpaKey;
  /** In the table, or nothing changed. */
  readonly recorded: boolean;
  readonly scaled: boolean;
  readonly scaling?: SizeChange;
  /** `news`: the first new one. */
  readonly warnings: readonly HpaEvent[];
  readonly news?: HpaEvent;
  readonly recovered: boolean;
  /** As upstream emits: a lasting failure is an event each time. */
  readonly events: readonly HpaEvent[];
  /** Absent: no decision. */
  readonly status?: HpaStatus;
  /** Absent: it shows its state. */
  readonly latest?: LatestValues;
  readonly work?: HpaWork;
  readonly tookMs?: number;
  /** If this run saw it. */
  readonly target?: ObservedTarget;
}

/** News is a warning that the last recorded sync did not have, apart from numbers. */
export function hpaResult(
  task: HpaTask,
  { recorded, warnings, events }: Pick<HpaResult, "recorded" | "warnings" | "events">,
): HpaResult {
  const before = (task.state?.warnings ?? []).map(outlineWarning);
  const isKnown = (warning: HpaEvent) => before.some((known) => isDeepStrictEqual(known, outlineWarning(warning)));
  const news = recorded ? warnings.find((warning) => !isKnown(warning)) : undefined;
  return {
    key: task.key,
    recorded,
    scaled: false,
    warnings,
    ...(news === undefined ? {} : { news }),
    recovered: recorded && before.length > 0 && warnings.length === 0,
    events: recorded ? events : [],
  };
}

/** Partial readings decide nothing and are not recorded. */
export function outOfTime({ key }: HpaTask, warnings: readonly HpaEvent[]): HpaResult {
  const [first] = warnings;
  const why = first === undefined ? "" : `: ${first.message}`;
  const news: HpaEvent = {
    type: "Warning",
    reason: "OutOfTime",
    message: `the slot ended before everything was read${why}`,
  };
  return { key, recorded: false, scaled: false, warnings: [news], news, recovered: false, events: [news] };
}

export function warningsOf(decision: Pick<Decision, "events">): readonly HpaEvent[] {
  return decision.events.filter(({ type }) => type === "Warning");
}

export interface HpaTask {
  readonly key: HpaKey;
  readonly document: unknown;
  readonly entry: ReadEntry;
  readonly state: State | undefined;
  /** The state's. Undefined: due in every slot. */
  readonly periodClass: PeriodClass | undefined;
  readonly lastObserved: EpochMs;
  /** Until when another run may have observed the closed span. */
  readonly closedSpanObserved: EpochMs | undefined;
  /** An earlier run may still write. */
  readonly mayHaveConcurrentRun: boolean;
  /** Another run of the slot may observe the open span without writing the state. */
  readonly hasConcurrentReader: boolean;
}
