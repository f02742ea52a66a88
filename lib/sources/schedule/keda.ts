import { type FromKeda, type KedaTrigger, numeric, onlySet } from "../keda";

/** cron: desiredReplicas between start and end. With a target of one, that is the number of replicas. */
export function fromCron(trigger: KedaTrigger): FromKeda {
  return {
    parameters: onlySet({
      timezone: trigger.required("timezone"),
      start: trigger.required("start"),
      end: trigger.required("end"),
      value: numeric(trigger.required("desiredReplicas")),
    }),
    target: "1",
  };
}
