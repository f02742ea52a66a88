import type { HpaKey } from "../hpa-key";
import type { Notified, NotifiedHour } from "../stored/notified";
import type { State } from "../stored/state";

export interface HpaRef {
  readonly cluster: string;
  readonly key: HpaKey;
}

/** Parts of an entry, as far as they have the right type. */
export interface NotifiedEntry {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly minReplicas?: number;
  readonly maxReplicas?: number;
  readonly target?: { readonly kind: string; readonly name: string };
}

export function refText({ cluster, key }: HpaRef): string {
  return JSON.stringify([cluster, key]);
}

/** Reads are consistent. Rejects with a Fault. Maps are by `refText`. */
export interface NotifiedStore {
  /** Without unreadable items, which the next write replaces. */
  notified(hpas: readonly HpaRef[], signal: AbortSignal): Promise<ReadonlyMap<string, Notified>>;
  all(signal: AbortSignal): Promise<readonly Notified[]>;
  entries(hpas: readonly HpaRef[], signal: AbortSignal): Promise<ReadonlyMap<string, NotifiedEntry>>;
  states(hpas: readonly HpaRef[], signal: AbortSignal): Promise<ReadonlyMap<string, State>>;
  /** False: another invocation wrote it meanwhile. */
  replace(before: Notified | undefined, after: Notified, signal: AbortSignal): Promise<boolean>;
  hour(signal: AbortSignal): Promise<NotifiedHour | undefined>;
  replaceHour(before: NotifiedHour | undefined, after: NotifiedHour, signal: AbortSignal): Promise<boolean>;
}
