import type { Validation } from "../../k8s/validate/validate-hpa";
import { errorText } from "../fault";
import { type HpaKey, isHpaKey, shownName } from "../hpa-key";
import { validateHpaEntry } from "./validate-hpa-entry";

interface Keyed {
  readonly key: HpaKey;
  readonly document: unknown;
}

/** Also requires the sort key's name and namespace. Never throws. */
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
