import { parameters, type SourceTrigger, type TriggerReader } from "../trigger";
import { noteAws } from "./aws";

/** aws-sqs-queue: the same messages are counted, for the same target. */
export function sqs(trigger: TriggerReader): SourceTrigger {
  trigger.activation("activationQueueLength");
  noteAws(trigger);
  return {
    kind: "sqs",
    parameters: parameters({
      queue: trigger.required("queueURL"),
      region: trigger.text("awsRegion"),
      includeInFlight: trigger.flag("scaleOnInFlight", true) ? undefined : "false",
      includeDelayed: trigger.flag("scaleOnDelayed", false) ? "true" : undefined,
    }),
    target: trigger.text("queueLength") ?? "5",
  };
}
