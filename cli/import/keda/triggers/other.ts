import { isFields } from "../left-over";
import type { SourceTrigger, TriggerReader } from "../trigger";

/** A trigger that no source reads. It stays as it is, as a metric that holds the HPA. Which of its settings is the target, ebb cannot know. */
export function other(type: string, metadata: unknown): (trigger: TriggerReader) => SourceTrigger {
  return (trigger) => {
    const fields = isFields(metadata) ? metadata : {};
    for (const name of Object.keys(fields)) trigger.metadata.take(name);
    return { kind: type, parameters: fields, target: "1" };
  };
}
