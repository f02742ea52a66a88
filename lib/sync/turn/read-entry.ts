import type { HpaKey } from "../../model/hpa-key";
import { validateHpaEntry } from "../../model/entry/validate-hpa-entry";
import { readOperations } from "../../model/entry/annotations";
import { ownPeriodSeconds } from "../../model/entry/sync-period";
import { errorText } from "../../model/fault";
import type { ListedHpa } from "../../model/ports/store";
import type { ReadEntry } from "../frame";

/**
 * Decodes and validates an HPA's document. Nothing looks into a document before this. Never throws: if a document
 * breaks the validation itself, the entry is invalid like any other.
 */
export function readHpaEntry({ key, document }: ListedHpa): ReadEntry {
  try {
    return validated(key, document);
  } catch (error) {
    return { errors: [`the document cannot be read: ${errorText(error)}`] };
  }
}

function validated(key: HpaKey, document: unknown): ReadEntry {
  const { errors, hpa } = validateHpaEntry(document);
  if (hpa === undefined || errors.length > 0) return { errors };
  const name = `${hpa.metadata.namespace}/${hpa.metadata.name}`;
  if (name !== key) {
    const expected = JSON.stringify(key);
    return { errors: [`metadata: expected the name ${expected} as in the sort key, got "${name}"`] };
  }
  const operations = readOperations(hpa.metadata);
  if ("errors" in operations) return operations;
  const syncPeriodSeconds = ownPeriodSeconds(hpa);
  return { hpa, operations, ...(syncPeriodSeconds !== undefined && { syncPeriodSeconds }) };
}
