import { awsOnTable, type Command, ebb, row, type Advice, kubectl } from "../../../lib/model/advice";
import type { HpaName } from "../../../lib/model/hpa-key";

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

/** The reader may have other defaults for namespace and cluster. */
export function onHpa(verb: readonly string[], { cluster, namespace, name }: HpaName, ...more: readonly string[]) {
  return ebb(...verb, ...entryWords("hpa", name), ...more, "-n", namespace, "--cluster", cluster);
}

/** A malformed sort key has no namespace. */
function byKey(verb: readonly string[], { cluster, name }: HpaName, ...more: readonly string[]) {
  return ebb(...verb, "hpa", name, ...more, "--cluster", cluster);
}

export const editHpa = (hpa: HpaName): Command => onHpa(["edit"], hpa);
export const editCluster = ({ cluster }: ClusterName): Command => ebb("edit", ...entryWords("cluster", cluster));
export const editSource = (source: SourceName): Command => onSource(["edit"], source);

function onSource(verb: readonly string[], { cluster, name }: SourceName, ...more: readonly string[]) {
  return ebb(...verb, ...entryWords("source", name), ...more, "--cluster", cluster);
}

export const entryRows = {
  invalidHpa: row<HpaName>`fix its entry: ${editHpa}`,
  replaceHpa: row<HpaName>`keep what it holds (${(hpa) => byKey(["get"], hpa, "-o", "yaml")}), delete it (${(hpa) =>
    byKey(["delete"], hpa)}), and apply it with a metadata.namespace and a metadata.name`,
  renameCluster: row<ClusterName>`set metadata.name: ${editCluster}`,
  renameSource: row<SourceName>`set metadata.name: ${editSource}`,
  invalidSource: row<SourceName>`fix its entry: ${editSource}`,
  replaceSource: row<SourceName>`keep what it holds (${(source) => onSource(["get"], source, "-o", "yaml")}), delete it (${(
    source,
  ) => onSource(["delete"], source)}), and apply it with a metadata.name`,
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

export interface Written {
  /** Absent: the metric names a kind that needs none. */
  readonly source?: SourceName | undefined;
  /** Absent: the labels came from the command line. */
  readonly hpa?: HpaName | undefined;
}

function whereWritten({ source, hpa }: Written): Advice {
  const ofMetric = hpa === undefined ? ["the labels"] : ["the labels of the metric's selector (", editHpa(hpa), ")"];
  return { parts: [...ofMetric, ...(source === undefined ? [] : [", or the source's (", editSource(source), ")"])] };
}

export const sourceRows = {
  knownKinds: row<SourceName & { readonly kinds: readonly string[] }>`set spec.kind to one of ${({ kinds }) =>
    kinds.join(", ")}: ${editSource}`,
  fixParameters: row<Written>`fix the parameters: ${whereWritten}`,
  nameRegion: row`set AWS_REGION, choose --region, or give the metric the parameter region`,
};

/** In kubectl's words: "deployment/orders", "Rollout.argoproj.io/orders". */
interface Target extends HpaName {
  readonly target: string;
}

const examine = ({ cluster, namespace }: Pick<HpaName, "cluster" | "namespace">) =>
  ebb("doctor", cluster, "-n", namespace);

export const hpaRows = {
  createTarget: row<HpaName>`create it, or fix scaleTargetRef: ${editHpa}`,
  askForScale: row<Target>`fix what the API server says of it: ${({ cluster, namespace, target }) =>
    kubectl(cluster, "get", target, "-n", namespace, "--subresource=scale", "-o", "yaml")}`,
  checkMetric: row<HpaName & { readonly path: string }>`check the metric's name and selector, and what the API has: ${({
    cluster,
    path,
  }) => kubectl(cluster, "get", "--raw", path)}; then ${editHpa}`,

  separateSelectors: row`let only one HPA match these pods: delete the other, or make the targets' selectors differ`,
  selectPods: row<Pick<Target, "target">>`make the scale of ${({ target }) => target} select its pods`,
  askTheFunctions: row<HpaName>`if the lines here are ok, the functions lack rights that this machine has: see the sync function's logs, and ${(
    hpa,
  ) => onHpa(["explain"], hpa)}`,

  wake: row<Target>`wake it: ${({ cluster, namespace, target }) =>
    kubectl(cluster, "scale", target, "-n", namespace, "--replicas=1")}`,
  adopt: row<HpaName>`make its zero ebb's: ${(hpa) => onHpa(["adopt"], hpa)}`,
  adoptOrPause: row<HpaName>`make its zero ebb's: ${(hpa) => onHpa(["adopt"], hpa)}; or, if it is meant to stay at zero, say so: ${(
    hpa,
  ) => onHpa(["pause"], hpa)}`,
  wakeThem: row`to see how: ${() => ebb("doctor")}`,
  resume: row<HpaName>`resume it: ${(hpa) => onHpa(["resume"], hpa)}`,
  endDryRun: row<HpaName>`to end it: ${({ cluster, namespace, name }) =>
    ebb("dry-run", "hpa", name, "off", "-n", namespace, "--cluster", cluster)}`,
  findFault: row<HpaName>`to see why: ${examine}`,
  askDoctor: row<ClusterName>`see what ${({ cluster }) => ebb("doctor", cluster)} says`,
  askStatus: row<Partial<ClusterName>>`see what ${({ cluster }) =>
    ebb("status", ...(cluster === undefined ? [] : ["--cluster", cluster]))} and ${({ cluster }) =>
    ebb("doctor", ...(cluster === undefined ? [] : [cluster]))} say`,
};
