import type { Decision, HpaEvent } from "../core/situation";
import type { State } from "../core/state";

export interface HpaTask {
  /** "namespace/name". */
  readonly key: string;
  readonly document: unknown;
  readonly state: State | undefined;
  /** When the shard last saw this HPA's open run. */
  readonly lastSeen: number;
}

export interface HpaResult {
  readonly key: string;
  /** The table holds what this sync came to (which may be: nothing new). */
  readonly recorded: boolean;
  readonly scaled: boolean;
  /** What is wrong now, and whether that is news. */
  readonly warnings: readonly HpaEvent[];
  readonly news?: HpaEvent;
  readonly recovered: boolean;
}

/** News is what the last recorded sync did not warn of: a failure is heard of once, not every slot. */
export function hpaResult(task: HpaTask, { recorded, warnings }: Pick<HpaResult, "recorded" | "warnings">): HpaResult {
  const before = task.state?.warnings ?? [];
  const isKnown = ({ reason, message }: HpaEvent) =>
    before.some((known) => known.reason === reason && known.message === message);
  const news = recorded ? warnings.find((warning) => !isKnown(warning)) : undefined;
  return {
    key: task.key,
    recorded,
    scaled: false,
    warnings,
    ...(news === undefined ? {} : { news }),
    recovered: recorded && before.length > 0 && warnings.length === 0,
  };
}

export function warningsOf(decision: Pick<Decision, "events">): readonly HpaEvent[] {
  return decision.events.filter(({ type }) => type === "Warning");
}
