import type { ResourceTrigger, TriggerReader } from "../trigger";

/** cpu and memory: KEDA leaves them to the HPA. */
export function resource(name: ResourceTrigger["resource"]): (trigger: TriggerReader) => ResourceTrigger {
  return (trigger) => {
    const container = trigger.text("containerName");
    const target = trigger.text("value") ?? "";
    return { resource: name, target, ...(container === undefined ? {} : { container }) };
  };
}
