import { type EpochMs, parseInstant } from "../k8s/time";
import { isPaused, readOperations } from "../model/entry/annotations";
import type { ClusterEntry } from "../model/entry/entries";
import { validateStoredHpa } from "../model/entry/validate-hpa-entry";
import { type HpaKey, isHpaKey, nameOf, namespaceOf, shownName } from "../model/hpa-key";
import type { Entry, ShardContents, Store } from "../model/ports/store";
import type { HpaState } from "../model/hpa-states";
import type { Shard } from "../model/stored/shard";
import type { State } from "../model/stored/state";
import { factsOf } from "./hpa-facts";
import { type ShardHealth, shardHealth } from "./shard-health";
import { statesNow } from "./states-now";
import type { RunTime } from "../async/run-time";

export interface Overview {
  readonly at: EpochMs;
  readonly clusters: readonly ClusterLine[];
  readonly shards: readonly ShardLine[];
}

export interface ClusterLine extends Tally {
  readonly cluster: string;
  readonly reachable: Reachable;
  readonly namespaces: readonly string[];
  /** The health of a cluster without shards. */
  readonly unsharded?: ShardHealth;
}

export interface ShardLine extends Pick<Shard, "cluster" | "from" | "to" | "entries" | "slot"> {
  readonly health: ShardHealth;
  readonly behind: number;
}

/** `notAsked`: only the functions may have the credentials. */
export type Reachable =
  | { readonly kind: "yes" }
  | { readonly kind: "no"; readonly message: string }
  | { readonly kind: "notAsked"; readonly message: string };

export interface OverviewContext extends RunTime {
  readonly store: Pick<Store, "clusters" | "shards" | "load">;
  readonly probe: (entry: Entry<ClusterEntry>) => Promise<Reachable>;
}

export interface OverviewPart {
  readonly cluster: string | undefined;
  readonly namespace: string | undefined;
}

export async function takeOverview(
  { cluster, namespace }: OverviewPart,
  { store, probe, now, signal }: OverviewContext,
): Promise<Overview> {
  const [entries, shards] = await Promise.all([store.clusters(signal), store.shards(signal)]);
  const wanted = entries.filter(({ key }) => cluster === undefined || key === cluster);
  const clusters = await Promise.all(
    wanted.map(async (entry) => {
      const [reachable, contents] = await Promise.all([
        probe(entry),
        store.load({ cluster: entry.key, from: "", to: null }, signal),
      ]);
      const hpas = contents.hpas.filter(({ key }) => namespace === undefined || namespaceOf(key) === namespace);
      const namespaces = [...new Set(contents.hpas.map(({ key }) => namespaceOf(key)))];
      const isSharded = shards.some((shard) => shard.cluster === entry.key);
      const unsharded = isSharded ? {} : { unsharded: shardHealth(undefined, entry, now()) };
      const tally = tallyOf({ ...contents, hpas }, shards, now());
      return { cluster: entry.key, reachable, namespaces, ...unsharded, ...tally };
    }),
  );
  const at = now();
  const lines = wanted.flatMap((entry) =>
    shards.filter((shard) => shard.cluster === entry.key).map((shard) => lineOf(shard, entry, at)),
  );
  return { at, clusters, shards: lines };
}

function lineOf(shard: Shard, cluster: Entry<ClusterEntry>, now: EpochMs): ShardLine {
  const { from, to, entries, slot } = shard;
  const behind = Object.keys(shard.behind).length;
  return { cluster: cluster.key, from, to, entries, slot, behind, health: shardHealth(shard, cluster, now) };
}

interface FailingCount {
  readonly namespace: string;
  readonly name: string;
  readonly reason: string;
  readonly message: string;
  readonly since?: EpochMs;
}

interface Tally {
  readonly hpas: number;
  readonly states: Readonly<Partial<Record<HpaState, number>>>;
  readonly failing: readonly FailingCount[];
  /** Their workloads are at a zero that ebb did not make, so nothing wakes them. */
  readonly leftAtZero: readonly HpaKey[];
}

function tallyOf(contents: ShardContents, shards: readonly Shard[], now: EpochMs): Tally {
  const { hpas, states, brokenStates } = contents;
  const counts: Partial<Record<HpaState, number>> = {};
  const failing: FailingCount[] = [];
  const leftAtZero: HpaKey[] = [];
  for (const { key, document } of hpas) {
    const subject = { namespace: namespaceOf(key), name: isHpaKey(key) ? nameOf(key) : shownName(key) };
    const { hpa, errors } = validateStoredHpa({ key, document });
    const facts = factsOf(key, hpa === undefined ? { errors } : { hpa }, { contents, shards });
    const found: readonly HpaState[] = statesNow(facts, now);
    for (const one of found) counts[one] = (counts[one] ?? 0) + 1;
    const operations = hpa === undefined ? { errors } : readOperations(hpa.metadata);
    if ("errors" in operations) {
      failing.push({ ...subject, reason: "InvalidEntry", message: operations.errors.join("; ") });
      continue;
    }
    if (Object.hasOwn(brokenStates, key)) {
      failing.push({ ...subject, reason: "BrokenState", message: brokenStates[key] ?? "" });
      continue;
    }
    if (found.includes("notOurZero")) leftAtZero.push(key);
    const state = Object.hasOwn(states, key) ? states[key] : undefined;
    const warning = isPaused(operations, now) ? undefined : state?.warnings?.[0];
    if (state === undefined || warning === undefined) continue;
    const { reason, message } = warning;
    const since = sinceOf(state, reason);
    failing.push({ ...subject, reason, message, ...(since === undefined ? {} : { since }) });
  }
  return { hpas: hpas.length, states: counts, failing, leftAtZero };
}

function sinceOf({ status }: State, reason: string): EpochMs | undefined {
  const condition = status.conditions?.find((one) => one.status === "False" && one.reason === reason);
  return condition?.lastTransitionTime === undefined ? undefined : parseInstant(condition.lastTransitionTime);
}
