import type { ClusterEntry } from "../../lib/api/entries";
import type { EpochMs } from "../../lib/core/situation";
import type { Shard } from "../../lib/core/state";
import type { Entry } from "../../lib/table/entry";
import type { Store } from "../../lib/sync/ports";
import type { Reach } from "../reach/open-reach";
import { checkCluster } from "./check-cluster";
import { checkEntries } from "./check-entries";
import { checkSchedule } from "./check-schedule";
import { checkSources } from "./check-sources";
import { fail, type Finding } from "./finding";
import { needsOf } from "./needs";

export interface Examination {
  readonly store: Pick<Store, "load">;
  readonly reach: Pick<Reach, "clusters" | "sources">;
  readonly shards: readonly Shard[];
  /** When each cluster was registered, by name; those of entries written by hand are not known. */
  readonly registrations: ReadonlyMap<string, EpochMs>;
  /** The HPAs of this namespace alone. */
  readonly namespace: string | undefined;
  readonly now: () => EpochMs;
  readonly signal: AbortSignal;
}

/** Everything about one cluster: its entries, its slots, access to it and to the metrics. Rejects with a Fault of the table. */
export async function examineCluster(
  entry: Entry<ClusterEntry>,
  examination: Examination,
): Promise<readonly Finding[]> {
  const { store, reach, shards, registrations, namespace, now, signal } = examination;
  const contents = await store.load({ cluster: entry.key, from: "", to: null }, signal);
  const { findings, usable } = checkEntries(entry.key, contents, namespace);
  const schedule = checkSchedule(entry, { shards, registeredAt: registrations.get(entry.key) }, now());
  if ("invalid" in entry) {
    const todo = `ebb edit cluster ${entry.key}`;
    return [fail("its entry is valid", entry.invalid, todo), ...findings, schedule];
  }
  const sourceEntries = new Map(contents.sources.map((source) => [source.key, source]));
  const { spec } = entry.value;
  const mirrorsEvents = spec.options?.mirrorEvents === true;
  const needs = needsOf(usable, sourceEntries, { mirrorsEvents });
  const invalid = needs.invalidSources.map((problem) =>
    fail("every External metric has a source", problem, "mend the metric's selector: parameters are its matchLabels"),
  );
  const [access, metrics] = await Promise.all([
    checkCluster(reach, { entry: entry.value, needs }, { now, signal }),
    checkSources(reach.sources, needs.sources, { now: now(), signal }),
  ]);
  return [...findings, schedule, ...access, ...metrics, ...invalid];
}
