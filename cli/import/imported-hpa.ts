import { isRecord } from "../../lib/api/decode/decoder";
import { validateHpa } from "../../lib/api/validate-hpa";
import type { ListedObject } from "../../lib/cluster/list-objects";
import type { EntryDocument } from "../../lib/table/entry-item";

const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";

/** A cluster's HPA as an entry: without what the cluster's API server keeps for itself, with its status, so that a zero stays owned. */
export type ImportedHpa =
  | { readonly document: EntryDocument; readonly warnings: readonly string[] }
  /** Why it is not imported. */
  | { readonly refused: string };

export function importedHpa(object: ListedObject, annotations: Readonly<Record<string, string>>): ImportedHpa {
  const { hpa, errors } = validateHpa(object);
  if (hpa === undefined) return { refused: `is not imported: ${errors.join("; ")}` };
  const owner = ownerOf(object);
  if (owner?.kind === "ScaledObject") {
    return {
      refused: `is not imported: it is KEDA's, of ScaledObject ${owner.name}: import that with \`ebb import keda\``,
    };
  }
  const { name, namespace, labels, annotations: own = {} } = hpa.metadata;
  const { [lastApplied]: _lastApplied, ...kept } = own;
  const all = { ...kept, ...annotations };
  const metadata = {
    name,
    namespace,
    ...(labels && { labels }),
    ...(Object.keys(all).length > 0 && { annotations: all }),
  };
  const { apiVersion, kind, spec, status } = hpa;
  return {
    document: { apiVersion, kind, metadata, spec, ...(status && { status }) },
    warnings:
      owner === undefined
        ? []
        : [`belongs to ${owner.kind} ${owner.name}, which will make it again when it is deleted`],
  };
}

function ownerOf({ metadata }: ListedObject): { readonly kind: string; readonly name: string } | undefined {
  const references = metadata["ownerReferences"];
  const owner: unknown = Array.isArray(references) ? references.find((reference) => isRecord(reference)) : undefined;
  return isRecord(owner) ? { kind: String(owner["kind"]), name: String(owner["name"]) } : undefined;
}
