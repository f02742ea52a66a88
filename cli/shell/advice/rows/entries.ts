import { awsOnTable, type Command, ebb, row } from "../../../../lib/model/advice";

export interface HpaName {
  readonly cluster: string;
  readonly namespace: string;
  readonly name: string;
}

export interface SourceName {
  readonly cluster: string;
  readonly name: string;
}

export interface ClusterName {
  readonly cluster: string;
}

interface CopyOf extends ClusterName {
  readonly file: string;
  readonly namespace: string | undefined;
}

/** TYPE/NAME if the name would read as an option. */
export function entryWords(type: string, name: string): readonly string[] {
  return name.startsWith("-") ? [`${type}/${name}`] : [type, name];
}

/** Names namespace and cluster, since the reader's defaults may differ. */
export function onHpa(verb: readonly string[], { cluster, namespace, name }: HpaName, ...more: readonly string[]) {
  return ebb(...verb, ...entryWords("hpa", name), ...more, "-n", namespace, "--cluster", cluster);
}

/** A malformed sort key has no namespace, and is the name. */
function byKey(verb: readonly string[], { cluster, name }: HpaName, ...more: readonly string[]) {
  return ebb(...verb, "hpa", name, ...more, "--cluster", cluster);
}

export const editHpa = (hpa: HpaName): Command => onHpa(["edit"], hpa);
export const editCluster = ({ cluster }: ClusterName): Command => ebb("edit", ...entryWords("cluster", cluster));
export const editSource = ({ cluster, name }: SourceName): Command =>
  ebb("edit", ...entryWords("source", name), "--cluster", cluster);

export const entryRows = {
  invalidHpa: row<HpaName>`fix its entry: ${editHpa}`,
  replaceHpa: row<HpaName>`keep what it holds (${(hpa) => byKey(["get"], hpa, "-o", "yaml")}), delete it (${(hpa) =>
    byKey(["delete"], hpa)}), and apply it with a metadata.namespace and a metadata.name`,
  renameCluster: row<ClusterName>`set metadata.name: ${editCluster}`,
  renameSource: row<SourceName>`set metadata.name: ${editSource}`,
  invalidSource: row<SourceName>`fix its entry: ${editSource}`,
  applyCopy: row<CopyOf>`correct it there, then apply it: ${({ file, cluster, namespace }) =>
    ebb("apply", "-f", file, ...(namespace === undefined ? [] : ["-n", namespace]), "--cluster", cluster)}`,
  noSource: row<HpaName>`fix the metric's selector, whose matchLabels are the parameters: ${editHpa}`,
  brokenState: row<HpaName>`if a newer version of ebb wrote it, deploy that version; otherwise delete it, and the HPA starts again without its recommendations: ${({
    cluster,
    namespace,
    name,
  }) => awsOnTable("delete-item", "--key", keyText(`CLUSTER#${cluster}`, `STATE#${namespace}/${name}`))}`,
};

function keyText(pk: string, sk: string): string {
  return JSON.stringify({ pk: { S: pk }, sk: { S: sk } });
}
