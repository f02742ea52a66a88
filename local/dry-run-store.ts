import { isMap } from "../lib/k8s/map";
import { dryRunAnnotation } from "../lib/model/entry/annotations";
import type { Store } from "../lib/model/ports/store";
import type { DecisionRecord } from "../lib/model/stored/state";

/** The HPA would have scaled. */
export interface DryRunScaling {
  readonly cluster: string;
  readonly key: string;
  readonly record: DecisionRecord;
  /** Why, in the words of the event. */
  readonly message: string;
}

/**
 * The same store, in which every HPA is in a dry run. What is in the table stays as its users wrote it. `wished`: a
 * decision to scale was recorded.
 */
export function inDryRun<S extends Pick<Store, "load" | "document" | "putDecision">>(
  store: S,
  onDryRunScaling: (scaling: DryRunScaling) => void,
): S {
  return {
    ...store,
    async load(...given: Parameters<Store["load"]>) {
      const contents = await store.load(...given);
      return { ...contents, hpas: contents.hpas.map((hpa) => ({ ...hpa, document: marked(hpa.document) })) };
    },
    async document(...given: Parameters<Store["document"]>) {
      return marked(await store.document(...given));
    },
    async putDecision(...given: Parameters<Store["putDecision"]>) {
      await store.putDecision(...given);
      const [cluster, key, record] = given;
      // Without this event, another size is what a failing metric leaves, or was wished before.
      const event = record.events.find(({ reason }) => reason === "DryRunRescale");
      if (event !== undefined) onDryRunScaling({ cluster, key, record, message: event.message });
    },
  };
}

/** A document that is no HPA stays as it is: it is refused for its own reasons. */
function marked(document: unknown): unknown {
  if (!isMap(document) || !isMap(document["metadata"])) return document;
  const { annotations = {} } = document["metadata"];
  if (!isMap(annotations)) return document;
  return {
    ...document,
    metadata: { ...document["metadata"], annotations: { ...annotations, [dryRunAnnotation]: "true" } },
  };
}
