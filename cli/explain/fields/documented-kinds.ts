import { type Field, fieldOf } from "../../../lib/api/field-help/field";
import type { EntryKind } from "../../../lib/api/kinds";
import clusterSchema from "../../../docs/schema/cluster.json";
import hpaSchema from "../../../docs/schema/hpa.json";
import sourceSchema from "../../../docs/schema/metric-source.json";

export interface DocumentedKind {
  /** What a path begins with. */
  readonly word: string;
  readonly kind: EntryKind;
  readonly document: () => Field;
}

const documented = (word: string, kind: EntryKind, schema: object): DocumentedKind => ({
  word,
  kind,
  document: () => fieldOf(word, schema),
});

/** The kinds whose fields can be explained, by the name of their resource. */
export const documentedKinds = {
  clusters: documented("cluster", "Cluster", clusterSchema),
  hpa: documented("hpa", "HorizontalPodAutoscaler", hpaSchema),
  sources: documented("source", "MetricSource", sourceSchema),
};
