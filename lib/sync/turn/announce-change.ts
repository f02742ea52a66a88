import { type Change, unsettling } from "../../model/stored/confirmed";
import { Fault } from "../../model/fault";
import type { Store } from "../../model/ports/store";
import type { Shard } from "../../model/stored/state";

const tries = 5;
/** If others keep writing the shard, one of them speaks for all: the rest find it said. */
const triesThatName = 3;

/**
 * Says in the shard that entries or states of it change until `change.until`, so that no process goes on with what it
 * has kept, and the next slot knows which states to compare. If the shard says so already, or nobody may keep anything,
 * this writes nothing: of a thousand wakes of one slot, few write.
 *
 * @throws Fault "conflict" if others keep writing the shard.
 */
export async function announceChange(store: Store, found: Shard, change: Change, signal: AbortSignal): Promise<void> {
  let shard: Shard | undefined = found;
  for (let attempt = 1; attempt <= tries && shard !== undefined; attempt++) {
    const confirmed = unsettling(shard, change, attempt <= triesThatName);
    if (confirmed === undefined) return;
    const next = { ...shard, version: confirmed.version, confirmed };
    if (await store.replaceShard(shard, next, signal)) return;
    shard = await store.shard(shard, signal);
  }
  if (shard !== undefined)
    throw new Fault(
      "conflict",
      `shard "${shard.from}" of cluster "${shard.cluster}" was written ${tries} times meanwhile`,
    );
}
