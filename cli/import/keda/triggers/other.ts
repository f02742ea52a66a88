import { isMap } from "../../../../lib/k8s/map";
import type { SourceTrigger, TriggerReader } from "../trigger";

/** A trigger of unknown type becomes a metric that holds the replicas. ebb cannot know which setting is its target. */
export function other(type: string, metadata: unknown): (trigger: TriggerReader) => SourceTrigger {
  return (trigger) => {
    const fields = isMap(metadata) ? metadata : {};
    for (const name of Object.keys(fields)) trigger.metadata.take(name);
    return { kind: type, parameters: fields, target: "1" };
  };
}
