import { isMap } from "../../k8s/map";
import { isQuantity } from "../../k8s/quantity";
import { parseDuration, parseInstant } from "../../k8s/time";

export const unreadMetadata = ["managedFields", "annotations", "ownerReferences", "finalizers"];

export function isName(value: unknown): value is string {
  return typeof value === "string" && value !== "" && value.length <= 253;
}

/** Undefined for anything else, and for labels that no object can have. */
export function readLabels(value: unknown): Readonly<Record<string, string>> | undefined {
  if (!isMap(value)) return undefined;
  const isLabel = ([key, text]: [string, unknown]) =>
    typeof text === "string" && text.length <= 63 && key.length <= 253 + 1 + 63;
  return Object.entries(value).every(isLabel) ? (value as Readonly<Record<string, string>>) : undefined;
}

/** Undefined for anything else. */
export function readQuantities(value: unknown): Readonly<Record<string, string | number>> | undefined {
  if (!isMap(value) || !Object.values(value).every(isQuantity)) return undefined;
  return value as Readonly<Record<string, string | number>>;
}

export function isInstant(value: unknown): value is string {
  return typeof value === "string" && isReadable(() => parseInstant(value));
}

export function isDuration(value: unknown): value is string {
  return typeof value === "string" && isReadable(() => parseDuration(value));
}

function isReadable(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch {
    return false;
  }
}
