import { isMap } from "../../k8s/map";
import type { EntryContent } from "../../model/ports/entries";

/**
 * How the document of an entry names another than its key; undefined: it does not. The key is what counts everywhere,
 * so `ebb apply` of such a document would write another entry.
 */
export function misnamed({ ref, document }: EntryContent): string | undefined {
  const metadata = isMap(document["metadata"]) ? document["metadata"] : {};
  const { name, namespace = ref.namespace } = metadata;
  const isSame = name === ref.name && (ref.kind !== "HorizontalPodAutoscaler" || namespace === ref.namespace);
  if (isSame) return undefined;
  const own = ref.namespace === undefined ? "" : `${String(namespace)}/`;
  const expected = JSON.stringify(ref.namespace === undefined ? ref.name : `${ref.namespace}/${ref.name}`);
  const key = ref.kind === "Cluster" ? "partition key" : "sort key";
  return `metadata: expected the name ${expected} as in the ${key}, got ${JSON.stringify(`${own}${String(name)}`)}`;
}
