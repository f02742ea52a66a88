import type { Decision } from "../../lib/core/situation";
import { historyJson } from "./read-history";

/** A decision as a line of output shows it. */
export function decisionJson({ desiredReplicas, scaleTo, status, events, history, steps }: Decision) {
  return {
    desiredReplicas,
    scaleTo,
    conditions: (status.conditions ?? []).map(({ type, status: value, reason, message }) => ({
      type,
      status: value,
      reason,
      message,
    })),
    currentMetrics: status.currentMetrics ?? [],
    events,
    history: historyJson(history),
    steps,
  };
}
