import { present } from "../k8s/map";
import { type HpaKey, isHpaKey, keyNamed, nameOf, namespaceOf, shownName } from "../model/hpa-key";
import type { HorizontalPodAutoscaler } from "../k8s/hpa";
import { type EpochMs, parseInstant } from "../k8s/time";
import { validateStoredHpa } from "../model/entry/validate-hpa-entry";
import type { ClusterEntry } from "../model/entry/entries";
import { syncPeriodMs, ownPeriodSeconds } from "../model/entry/options";
import type { Entry, ShardContents, Store } from "../model/ports/store";
import { periodClass, holdsKey, lastObservedAt } from "../model/stored/last-observed";
import type { Shard, ShardRange } from "../model/stored/shard";
import type { State } from "../model/stored/state";
import { withLatest } from "../model/stored/latest";

export interface HpaFacts {
  readonly cluster: Entry<ClusterEntry>;
  readonly namespace: string;
  readonly name: string;
  readonly entry: { readonly hpa: HorizontalPodAutoscaler } | { readonly errors: readonly string[] };
  readonly state?: State;
  readonly brokenState?: string;
  /** Undefined: no range holds it. */
  readonly shard?: Shard;
}

/** Undefined: no such HPA. Rejects with a Fault. */
export async function readHpaFacts(
  store: Pick<Store, "load" | "latest" | "shards">,
  { cluster, namespace, name }: { readonly cluster: string; readonly namespace: string; readonly name: string },
  signal: AbortSignal,
): Promise<HpaFacts | undefined> {
  const key = keyNamed(namespace, name);
  const range = { cluster, from: key, to: `${key}\0` };
  const [contents, shards] = await Promise.all([loadWithLatest(store, range, signal), store.shards(signal)]);
  const [found] = contents.hpas;
  if (found === undefined) return undefined;
  const { hpa, errors } = validateStoredHpa(found);
  const entry = hpa === undefined ? { errors } : { hpa };
  return factsOf(key, entry, { contents, shards: shards.filter((one) => one.cluster === cluster) });
}

export function factsOf(
  key: HpaKey,
  entry: HpaFacts["entry"],
  { contents, shards }: { readonly contents: ShardContents; readonly shards: readonly Shard[] },
): HpaFacts {
  const state = Object.hasOwn(contents.states, key) ? contents.states[key] : undefined;
  const brokenState = Object.hasOwn(contents.brokenStates, key) ? contents.brokenStates[key] : undefined;
  const shard = shards.find((one) => holdsKey(one, key));
  return {
    cluster: contents.cluster,
    namespace: namespaceOf(key),
    name: isHpaKey(key) ? nameOf(key) : shownName(key),
    entry,
    ...present({ state, brokenState, shard }),
  };
}

/** Its shard's, unless it lags or has a longer period. */
export function lastSyncOf({ cluster, shard, state, namespace, name }: HpaFacts): EpochMs | undefined {
  if (state === undefined) return undefined;
  const key = keyNamed(namespace, name);
  const own = periodClass(key, state.syncPeriodSeconds, periodOf(cluster));
  const known = shard === undefined ? 0 : lastObservedAt(shard, { key, periodClass: own });
  const seen = Math.max(known, state.decision?.at ?? 0, state.slot);
  return seen === 0 ? undefined : seen;
}

export function createdAtOf({ entry }: Pick<HpaFacts, "entry">): EpochMs | undefined {
  const text = "hpa" in entry ? entry.hpa.metadata.creationTimestamp : undefined;
  return text === undefined ? undefined : parseInstant(text);
}

export function periodOf(cluster: Entry<ClusterEntry>): number {
  return syncPeriodMs("value" in cluster ? cluster.value.spec.options : undefined);
}

export function hpaPeriodOf({ cluster, entry }: Pick<HpaFacts, "cluster" | "entry">): number {
  const seconds = "hpa" in entry ? ownPeriodSeconds(entry.hpa) : undefined;
  return seconds === undefined ? periodOf(cluster) : seconds * 1_000;
}

export async function loadWithLatest(
  store: Pick<Store, "load" | "latest">,
  range: ShardRange,
  signal: AbortSignal,
): Promise<ShardContents> {
  const [contents, latest] = await Promise.all([store.load(range, signal), store.latest(range, signal)]);
  const known = new Map(Object.entries(latest));
  const states = Object.entries(contents.states).map(([key, state]) => [key, withLatest(state, known.get(key))]);
  return { ...contents, states: Object.fromEntries(states) as ShardContents["states"] };
}
