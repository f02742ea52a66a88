import type { Intent, State } from "../../../lib/model/stored/state";

/**
 * The state says that a write to this size may still be applied, without the intent. A zero must be known by itself.
 */
export function isInRange(
  { intent, earlierSizes }: Pick<State, "intent" | "earlierSizes">,
  { to, resourceVersion }: Pick<Intent, "to" | "resourceVersion">,
) {
  if (earlierSizes === undefined || intent?.resourceVersion !== resourceVersion || to === 0) return false;
  return earlierSizes.least <= to && to <= earlierSizes.most;
}
