import type { ClusterEntry } from "../../lib/model/entries";
import type { HorizontalPodAutoscaler } from "../../lib/k8s/hpa";
import { validateHpa } from "../../lib/k8s/validate/validate-hpa";
import type { EpochMs } from "../../lib/k8s/time";
import type { Shard, State } from "../../lib/model/state";
import { behindSince, holdsKey } from "../../lib/model/sightings";
import type { Entry } from "../../lib/table/items/resource-items";
import type { TableStore } from "../../lib/table/store";

/** All that the table says about one HPA. */
export interface Standing {
  readonly cluster: Entry<ClusterEntry>;
  readonly namespace: string;
  readonly name: string;
  readonly entry: { readonly hpa: HorizontalPodAutoscaler } | { readonly errors: readonly string[] };
  /** undefined: never synced. */
  readonly state?: State;
  /** Why the STATE item cannot be read, where that is so. */
  readonly brokenState?: string;
  /** undefined: no shard's range holds it. */
  readonly shard?: Shard;
}

/** undefined: there is no such HPA. Rejects with a Fault. */
export async function readStanding(
  store: Pick<TableStore, "load" | "shards">,
  { cluster, namespace, name }: { readonly cluster: string; readonly namespace: string; readonly name: string },
  signal: AbortSignal,
): Promise<Standing | undefined> {
  const key = `${namespace}/${name}`;
  // The range that holds this key and no other.
  const range = { cluster, from: key, to: `${key}\0` };
  const [contents, shards] = await Promise.all([store.load(range, signal), store.shards(signal)]);
  const [found] = contents.hpas;
  if (found === undefined) return undefined;
  const { hpa, errors } = validateHpa(found.document, { assumeKind: true });
  const state = contents.states[key];
  const brokenState = contents.brokenStates[key];
  const shard = shards.find((one) => one.cluster === cluster && holdsKey(one, key));
  return {
    cluster: contents.cluster,
    namespace,
    name,
    entry: hpa === undefined || errors.length > 0 ? { errors } : { hpa },
    ...(state === undefined ? {} : { state }),
    ...(brokenState === undefined ? {} : { brokenState }),
    ...(shard === undefined ? {} : { shard }),
  };
}

/** When it was last synced: with its shard, unless the last slots did not reach it. */
export function lastSyncOf({ shard, state, namespace, name }: Standing): EpochMs | undefined {
  if (state === undefined) return undefined;
  const key = `${namespace}/${name}`;
  const behind = shard && behindSince(shard, key);
  const seen = Math.max(behind ?? shard?.heartbeat ?? 0, state.decision?.at ?? 0, state.slot);
  return seen === 0 ? undefined : seen;
}
