import { numeric, onlySet } from "../../../../lib/sources/keda";
import type { SourceTrigger, TriggerReader } from "../trigger";

/** A metric that is desiredReplicas between start and end. With a target of one, that is the number of replicas. */
export function cron(trigger: TriggerReader): SourceTrigger {
  return {
    kind: "cron",
    parameters: onlySet({
      timezone: trigger.required("timezone"),
      start: trigger.required("start"),
      end: trigger.required("end"),
      desiredReplicas: numeric(trigger.required("desiredReplicas")),
    }),
    target: "1",
  };
}
