import { isMap } from "../lib/k8s/map";
import { dryRunAnnotation } from "../lib/model/entry/annotation-names";
import type { Store } from "../lib/model/ports/store";
import type { DecisionRecord } from "../lib/model/stored/state";

export interface DryRunScaling {
  readonly cluster: string;
  readonly key: string;
  readonly record: DecisionRecord;
  /** In the event's words. */
  readonly message: string;
}

/** Every HPA is in a dry run, and the table stays as its users wrote it. */
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
      // Otherwise a failing metric left another size, or the wish is old.
      const event = record.events.find(({ reason }) => reason === "DryRunRescale");
      if (event !== undefined) onDryRunScaling({ cluster, key, record, message: event.message });
    },
  };
}

/** An invalid document is refused for its own reasons. */
function marked(document: unknown): unknown {
  if (!isMap(document) || !isMap(document["metadata"])) return document;
  const { annotations = {} } = document["metadata"];
  if (!isMap(annotations)) return document;
  return {
    ...document,
    metadata: { ...document["metadata"], annotations: { ...annotations, [dryRunAnnotation]: "true" } },
  };
}
