import { numeric, parameters, type SourceTrigger, type TriggerReader } from "../trigger";

/** A metric of desiredReplicas between start and end, for a target of one: so many replicas. */
export function cron(trigger: TriggerReader): SourceTrigger {
  return {
    kind: "cron",
    parameters: parameters({
      timezone: trigger.required("timezone"),
      start: trigger.required("start"),
      end: trigger.required("end"),
      desiredReplicas: numeric(trigger.required("desiredReplicas")),
    }),
    target: "1",
  };
}
