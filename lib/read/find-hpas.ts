import { someAtATime } from "../async/semaphore";
import { toV1, servedStatus } from "../k8s/codec/encode-v1";
import { clusterAnnotation } from "../model/entry/annotation-names";
import type { HorizontalPodAutoscaler, HpaStatus } from "../k8s/hpa";
import { present } from "../k8s/map";
import type { EpochMs } from "../k8s/time";
import { validateStoredHpa } from "../model/entry/validate-hpa-entry";
import { isHpaKey, keyNamed, nameOf, namespaceOf, shownName } from "../model/hpa-key";
import type { ShardContents } from "../model/ports/store";
import type { Shard, ShardRange } from "../model/stored/shard";
import type { HpaDocument } from "../table/items/hpa-document";
import { factsOf, loadWithLatest } from "./hpa-facts";
import { type FindContext, type Findings, type Found, labelsOf, type Scope } from "./found";
import { statesNow } from "./states-now";

/** At a time. Each has up to five requests: 150 names at once would time out. */
export const readsAtATime = 4;

export async function findHpas(
  { store, signal, now }: Pick<FindContext, "store" | "signal" | "now">,
  scope: Scope,
): Promise<Findings> {
  const shardsByCluster = new Map<string, Promise<readonly Shard[]>>();
  const shardsOf = (cluster: string) => {
    const known = shardsByCluster.get(cluster) ?? store.shardsOf(cluster, signal);
    shardsByCluster.set(cluster, known);
    return known;
  };
  const parts = await someAtATime(rangesOf(scope), { limit: readsAtATime, signal }, async (range) => {
    const contents = await loadWithLatest(store, range, signal);
    const { hpas, states, brokenStates } = contents;
    const broken = hpas.filter(({ key }) => brokenStates[key] !== undefined);
    // They say why an HPA was never synced.
    const isNew = hpas.some(({ key }) => states[key] === undefined);
    const shards = isNew ? await shardsOf(range.cluster) : [];
    return {
      found: hpas.map((entry) => foundHpa(entry, { scope, contents, shards, now: now() })),
      problems: broken.map(({ key }) => `the state of ${key}: ${brokenStates[key]}`),
    };
  });
  return { found: parts.flatMap(({ found }) => found), problems: parts.flatMap(({ problems }) => problems) };
}

/** "0" is the character after "/". */
export function rangesOf({ clusters, namespace, names }: Scope): readonly ShardRange[] {
  return clusters.flatMap((cluster): ShardRange[] => {
    if (namespace === undefined) return [{ cluster, from: "", to: null }];
    if (names === undefined) return [{ cluster, from: `${namespace}/`, to: `${namespace}0` }];
    const keys = [...new Set(names)].map((name) => keyNamed(namespace, name));
    return keys.map((key) => ({ cluster, from: key, to: `${key}\u0000` }));
  });
}

interface Context {
  readonly scope: Scope;
  readonly contents: ShardContents;
  readonly shards: readonly Shard[];
  readonly now: EpochMs;
}

function foundHpa({ key, document }: HpaDocument, { scope, contents, shards, now }: Context): Found {
  const { hpa, errors } = validateStoredHpa({ key, document });
  const cluster = contents.cluster.key;
  const named = isHpaKey(key) ? { namespace: namespaceOf(key), name: nameOf(key) } : { name: shownName(key) };
  const base = { type: "hpa", cluster, ...named, readAt: now } as const;
  if (hpa === undefined) return { ...base, labels: labelsOf(document), object: document as object, invalid: errors };
  const served = serve(scope.clusters.length > 1 ? annotated(hpa, cluster) : hpa, contents.states[key]?.status);
  const facts = factsOf(key, { hpa }, { contents, shards });
  const states = statesNow(facts, now);
  const object = scope.resource.v1 === true ? toV1(served) : withUnsetTimes(served);
  return { ...base, labels: hpa.metadata.labels ?? {}, object, hpa: served, states, facts };
}

/** As the API server serves kubectl: without managedFields, with these two fields. */
export function serve(hpa: HorizontalPodAutoscaler, status: HpaStatus | undefined): HorizontalPodAutoscaler {
  const { apiVersion, kind, spec } = hpa;
  const { managedFields: _, ...metadata } = hpa.metadata as HorizontalPodAutoscaler["metadata"] & {
    readonly managedFields?: unknown;
  };
  const known = servedStatus(status ?? hpa.status ?? {});
  return { apiVersion, kind, metadata, spec, status: { currentMetrics: null, desiredReplicas: 0, ...known } };
}

/** Go prints an unset time as null. */
function withUnsetTimes({ status, ...rest }: HorizontalPodAutoscaler): object {
  const conditions = status?.conditions?.map(({ type, status: value, lastTransitionTime = null, ...others }) => ({
    type,
    status: value,
    lastTransitionTime,
    ...others,
  }));
  return { ...rest, status: { ...status, ...present({ conditions }) } };
}

/** Objects of several clusters name theirs, so that the output can be applied again. */
function annotated(hpa: HorizontalPodAutoscaler, cluster: string): HorizontalPodAutoscaler {
  const annotations = { ...hpa.metadata.annotations, [clusterAnnotation]: cluster };
  return { ...hpa, metadata: { ...hpa.metadata, annotations } };
}
