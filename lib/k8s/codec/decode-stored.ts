import { withDefaults } from "../defaults";
import type { HorizontalPodAutoscaler } from "../hpa";
import { isMap } from "../map";
import type { FieldError } from "../validate/field-error";
import { decodeHpa, readApiVersion } from "./decode-hpa";
import type { Names } from "./decoder";

/**
 * A stored HPA in autoscaling/v2 with its defaults, whether it is valid or not, and without its status. Undefined: it
 * cannot be read. `names`: "known" ignores unknown fields, as the API server does when it reads its own store.
 */
export function decodeStored(
  document: unknown,
  names: Extract<Names, "exact" | "known">,
): HorizontalPodAutoscaler | undefined {
  if (!isMap(document)) return undefined;
  const api = readApiVersion(document, true);
  if ("error" in api) return undefined;
  const problems: FieldError[] = [];
  const { status: _status, ...rest } = document;
  const hpa = decodeHpa(rest, api.version, { problems, names, statusNames: names });
  return problems.length > 0 ? undefined : withDefaults(hpa);
}
