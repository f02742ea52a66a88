import { isFields } from "../left-over";
import type { SourceTrigger, TriggerReader } from "../trigger";

/**
 * A trigger that ebb has no source for: kept as it was, so that the HPA has a metric that it cannot read, and holds. Its target
 * stands somewhere among its settings.
 */
export function other(type: string, metadata: unknown): (trigger: TriggerReader) => SourceTrigger {
  return (trigger) => {
    const fields = isFields(metadata) ? metadata : {};
    for (const name of Object.keys(fields)) trigger.metadata.take(name);
    return { kind: type, parameters: fields, target: "1" };
  };
}
