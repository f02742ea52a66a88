import { isDeepStrictEqual } from "node:util";
import type { Decision, HpaEvent } from "../../model/situation";
import { outlineWarning } from "./next-state";
import type { HpaResult, HpaTask } from "../frame";

/**
 * News is a warning that the last recorded sync did not have. So a lasting failure is reported once, whatever its
 * numbers are. If nothing was recorded, another sync of this HPA emits the events.
 */
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

/**
 * For an HPA whose slot ended before everything was read. Partial readings decide nothing and are not recorded. The
 * next slot starts with this HPA. `warnings` say what was not read yet.
 */
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
