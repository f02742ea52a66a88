import { isFields } from "../left-over";
import type { SourceTrigger, TriggerReader } from "../trigger";

/** A trigger that no source reads stays a metric, which holds the HPA. Which setting is its target, ebb cannot know. */
export function other(type: string, metadata: unknown): (trigger: TriggerReader) => SourceTrigger {
  return (trigger) => {
    const fields = isFields(metadata) ? metadata : {};
    for (const name of Object.keys(fields)) trigger.metadata.take(name);
    return { kind: type, parameters: fields, target: "1" };
  };
}
