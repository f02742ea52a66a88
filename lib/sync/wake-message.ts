import type { EpochMs } from "../core/situation";
import { isInstant, malformed } from "./malformed";

/** Sync these HPAs of one namespace, now: their entries changed. docs/decisions/0014-wakes.md */
export interface WakeMessage {
  readonly cluster: string;
  readonly namespace: string;
  readonly names: readonly string[];
  /** When the change was heard of. */
  readonly at: EpochMs;
}

/** @throws Fault badEntry, naming the field. */
export function checkWakeMessage({ cluster, namespace, names, at }: Record<string, unknown>): WakeMessage {
  const wrong = malformed("wake message");
  if (!isName(cluster)) throw wrong("cluster", "a cluster's name", cluster);
  if (!isName(namespace)) throw wrong("namespace", "a namespace", namespace);
  if (!Array.isArray(names) || names.length === 0 || !names.every(isName))
    throw wrong("names", "a list of names", names);
  if (!isInstant(at)) throw wrong("at", "milliseconds since the epoch", at);
  return { cluster, namespace, names, at };
}

function isName(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
