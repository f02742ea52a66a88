import type { Scale } from "../../k8s/objects";
import { hasControlCharacters } from "../../k8s/validate/control-characters";

export const adoptZeroAnnotation = "ebb.dev/adopt-zero";

/** One zero of one object: a late request adopts no other. docs/decisions/0094-a-zero-that-is-adopted.md */
export function zeroName({ metadata, spec }: Scale): string | undefined {
  const { uid, resourceVersion } = metadata;
  if ((spec.replicas ?? 0) > 0 || uid === undefined || resourceVersion === undefined) return undefined;
  return `${uid}/${resourceVersion}`;
}

export function adoptZeroProblem(value: string): string | undefined {
  const isName = /^[^/\s]+\/[^/\s]+$/.test(value) && !hasControlCharacters(value);
  return isName ? undefined : "must be as `ebb adopt hpa NAME` writes it: the target's uid/resourceVersion";
}
