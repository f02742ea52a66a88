import { validateHpa, type Validation } from "../../k8s/validate/validate-hpa";
import { limitErrors, sizeErrors } from "./limits";

/**
 * An HPA's document from the table: decoded, defaulted and validated as the API server does, and within ebb's own
 * limits. Everything that reads an entry uses this, so that a sync, the command and `ebb doctor` agree.
 */
export function validateHpaEntry(document: unknown): Validation {
  const tooLarge = sizeErrors(document);
  if (tooLarge.length > 0) return { errors: tooLarge.map(({ text }) => text) };
  const { errors, hpa } = validateHpa(document, { assumeKind: true });
  if (hpa === undefined || errors.length > 0) return { errors };
  const beyond = limitErrors(hpa);
  return beyond.length > 0 ? { errors: beyond.map(({ text }) => text) } : { errors, hpa };
}
