import type { Validation } from "../../k8s/validate/validate-hpa";
import { errorText } from "../fault";
import { type HpaKey, isHpaKey, shownName } from "../hpa-key";
import { validateHpaEntry } from "./validate-hpa-entry";

interface Keyed {
  readonly key: HpaKey;
  readonly document: unknown;
}

/**
 * An HPA of the table: its document is valid, and its name and namespace are those of its sort key. All that reads an
 * HPA with its key uses this, so that a sync, every command and `ebb doctor` call it by the same name and agree on
 * whether it is used. Never throws: a document that breaks the validation itself is invalid like any other.
 */
export function validateStoredHpa({ key, document }: Keyed): Validation {
  if (!isHpaKey(key))
    return { errors: [`sort key: expected "HPA#<namespace>/<name>", got ${JSON.stringify(shownName(key))}`] };
  try {
    const { errors, hpa } = validateHpaEntry(document);
    if (hpa === undefined || errors.length > 0) return { errors };
    const name = `${hpa.metadata.namespace}/${hpa.metadata.name}`;
    if (name !== key) {
      const expected = JSON.stringify(key);
      return { errors: [`metadata: expected the name ${expected} as in the sort key, got "${name}"`] };
    }
    return { errors, hpa };
  } catch (error) {
    return { errors: [`the document cannot be read: ${errorText(error)}`] };
  }
}
