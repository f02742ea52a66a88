import clusterSchema from "../../../docs/schema/cluster.json";
import hpaSchema from "../../../docs/schema/hpa.json";
import sourceSchema from "../../../docs/schema/metric-source.json";
import { type Field, fieldOf } from "../../../lib/model/field-help";
import type { EntryKind } from "../../../lib/model/entry/kinds";

export interface DocumentedKind {
  readonly word: string;
  readonly kind: EntryKind;
  readonly document: () => Field;
}

const documented = (word: string, kind: EntryKind, schema: object): DocumentedKind => ({
  word,
  kind,
  document: () => fieldOf(word, schema),
});

export const documentedKinds = {
  clusters: documented("cluster", "Cluster", clusterSchema),
  hpa: documented("hpa", "HorizontalPodAutoscaler", hpaSchema),
  sources: documented("source", "MetricSource", sourceSchema),
};

export interface FoundField {
  readonly field: Field;
  /** "type: eks", for a field that exists only then. */
  readonly when?: string;
}

function membersNamed({ members, variants }: Field, name: string): readonly FoundField[] {
  const own = members.filter((one) => one.name === name).map((field) => ({ field }));
  const varying = variants.flatMap(({ when, members }) =>
    members.filter((one) => one.name === name).map((field) => ({ field, when })),
  );
  return [...own, ...varying];
}

export function findFields(document: Field, names: readonly string[]): readonly FoundField[] {
  return names.reduce<readonly FoundField[]>(
    (found, name) =>
      found.flatMap(({ field, when }) =>
        membersNamed(field, name).map((member) => (when === undefined ? member : { when, ...member })),
      ),
    [{ field: document }],
  );
}

export function memberNames(found: readonly FoundField[]): readonly string[] {
  const names = found.flatMap(({ field: { members, variants } }) =>
    [...members, ...variants.flatMap((variant) => variant.members)].map(({ name }) => name),
  );
  return [...new Set(names)];
}
