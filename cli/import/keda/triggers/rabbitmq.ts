import { numeric, onlySet } from "../../../../lib/sources/keda";
import type { SourceTrigger, TriggerReader } from "../trigger";
import { withoutPassword } from "./without-password";

export function rabbitmq(trigger: TriggerReader): SourceTrigger {
  trigger.activation("activationValue");
  const mode = trigger.text("mode");
  return {
    kind: "rabbitmq",
    parameters: onlySet({
      address: withoutPassword(trigger, "host"),
      protocol: trigger.text("protocol"),
      queue: trigger.required("queueName"),
      vhost: trigger.text("vhostName"),
      mode: mode ?? "QueueLength",
      excludeUnacknowledged: trigger.flag("excludeUnacknowledged", false) ? true : undefined,
      useRegex: trigger.flag("useRegex", false) ? true : undefined,
      operation: trigger.text("operation"),
      pageSize: numeric(trigger.text("pageSize")),
      timeoutMs: numeric(trigger.text("timeout")),
    }),
    target: trigger.text("value") ?? trigger.text("queueLength") ?? "20",
  };
}
