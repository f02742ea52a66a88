import { type FromKeda, type KedaTrigger, noteAws, onlySet } from "../keda";

/** aws-sqs-queue: ebb counts the same messages, for the same target. */
export function fromAwsSqsQueue(trigger: KedaTrigger): FromKeda {
  trigger.activation("activationQueueLength");
  noteAws(trigger);
  const queue = trigger.required("queueURL");
  return {
    parameters: onlySet({
      queue,
      region: trigger.text("awsRegion"),
      includeInFlight: trigger.flag("scaleOnInFlight", true) ? undefined : "false",
      includeDelayed: trigger.flag("scaleOnDelayed", false) ? "true" : undefined,
    }),
    target: trigger.text("queueLength") ?? "5",
    fitsLabels: queue !== undefined,
  };
}
