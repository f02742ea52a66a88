import { confirmedIn, unsettledUntil } from "../../model/stored/confirmed";
import type { EpochMs } from "../../k8s/time";
import { Fault } from "../../model/fault";
import type { Store } from "../../model/ports/store";
import type { Shard } from "../../model/stored/state";

const tries = 5;

/**
 * Says in the shard that entries or states of it change until `end`, so that no process goes on with what it has kept.
 * If the shard says so already, or nobody may keep anything, this writes nothing: of a thousand wakes of one slot, one
 * writes.
 *
 * @throws Fault "conflict" if others keep writing the shard.
 */
export async function announceChange(store: Store, found: Shard, end: EpochMs, signal: AbortSignal): Promise<void> {
  let shard: Shard | undefined = found;
  for (let attempt = 1; attempt <= tries && shard !== undefined; attempt++) {
    const confirmed = confirmedIn(shard);
    if (confirmed === undefined || confirmed.changed >= unsettledUntil(end)) return;
    const version = shard.version + 1;
    const next = { ...shard, version, confirmed: { ...confirmed, version, changed: unsettledUntil(end) } };
    if (await store.replaceShard(shard, next, signal)) return;
    shard = await store.shard(shard, signal);
  }
  if (shard !== undefined)
    throw new Fault(
      "conflict",
      `shard "${shard.from}" of cluster "${shard.cluster}" was written ${tries} times meanwhile`,
    );
}
