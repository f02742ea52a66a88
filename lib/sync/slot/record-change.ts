import { type ChangeBesideSlots, confirmedIn, unsettling } from "./confirmed";
import { Fault } from "../../model/fault";
import type { Store } from "../../model/ports/store";
import type { MissingQueue, Shard } from "../../model/stored/shard";
import { namesMissing, indexRecord, unchangedRecord, recordWithMissing } from "../../model/stored/queue-index";
import type { HpaKey } from "../../model/hpa-key";
import type { EventRecorder } from "../events/event-recorder";

const tries = 5;
/** Later tries cover all states, so that other writers find their change covered. */
const triesThatName = 3;

export interface MissingQueues {
  readonly lacks: readonly MissingQueue[];
  /** The item is not the referenced one: the next slot writes it again. */
  readonly isLost: boolean;
}

interface RecordedChange extends ChangeBesideSlots {
  readonly missing?: MissingQueues;
}

const nothing: MissingQueues = { lacks: [], isLost: false };

/**
 * Until `change.until`, processes load again, and wakes know what the index lacks. Of a thousand wakes, few write.
 *
 * @throws Fault "conflict" if others keep writing
 */
export async function recordChange(
  store: Store,
  found: Shard,
  { missing = nothing, ...change }: RecordedChange,
  signal: AbortSignal,
): Promise<void> {
  let shard: Shard | undefined = found;
  for (let attempt = 1; attempt <= tries && shard !== undefined; attempt++) {
    const version = shard.version + 1;
    const known = confirmedIn(shard);
    const unsettled = unsettling(shard, change, attempt <= triesThatName);
    if (unsettled === undefined && knowsLacking(shard, missing)) return;
    const confirmed = unsettled ?? (known && { ...known, version });
    const next = { ...shard, version, ...recordAfter(shard, version, missing), ...(confirmed && { confirmed }) };
    if (await store.replaceShard(shard, next, signal)) return;
    shard = await store.shard(shard, signal);
  }
  if (shard !== undefined)
    throw new Fault(
      "conflict",
      `shard "${shard.from}" of cluster "${shard.cluster}" was written ${tries} times meanwhile`,
    );
}

function knowsLacking(shard: Shard, { lacks, isLost }: MissingQueues): boolean {
  const { mark, lacks: known = [] } = indexRecord(shard) ?? {};
  return lacks.every((lack) => namesMissing(known, lack)) && !(isLost && mark !== undefined);
}

function recordAfter(shard: Shard, version: number, { lacks, isLost }: MissingQueues): Pick<Shard, "index"> {
  const record = lacks.length === 0 ? unchangedRecord(shard, version) : recordWithMissing(shard, version, lacks);
  const { mark: _, ...lost } = record.index;
  return isLost ? { index: lost } : record;
}

/** 2,000 decisions in about 100 calls. */
const maxRounds = 8;

/**
 * A load is no snapshot: an entry created meanwhile looks deleted, so this reads again. The state goes last: it shows
 * that something is left.
 *
 * @throws Fault
 */
export async function forgetHpa(
  { store, events }: { readonly store: Store; readonly events: EventRecorder },
  { cluster, key, version }: { readonly cluster: string; readonly key: HpaKey; readonly version: number },
  signal: AbortSignal,
): Promise<void> {
  if ((await store.document(cluster, key, signal)) !== undefined) return;
  events.forget(cluster, key);
  for (let round = 1; round <= maxRounds; round++) {
    if (!(await store.deleteRecords(cluster, key, signal))) continue;
    await store.deleteState(cluster, key, version, signal);
    return;
  }
}
