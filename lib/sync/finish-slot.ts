import type { Shard } from "../core/state";
import type { Store } from "./ports";
import type { SlotMessage } from "./slot-message";

const tries = 3;

/**
 * The write that makes a slot count: conditional on the shard as it was loaded. It may have moved on without taking anything from this slot:
 * an older slot was finished late, or a tick narrowed the range. Then `next` is built on what stands.
 *
 * @returns whether the slot is finished by this run; false: another run has finished it, or a newer one, or the range is another.
 */
export async function finishSlot(
  store: Store,
  loaded: Shard,
  next: (standing: Shard) => Shard,
  { message, signal }: { readonly message: SlotMessage; readonly signal: AbortSignal },
): Promise<boolean> {
  let standing = loaded;
  for (let attempt = 1; attempt <= tries; attempt++) {
    if (await store.replaceShard(standing, next(standing), signal)) return true;
    const found = await store.shard(message, signal);
    if (found === undefined || found.slot >= message.slot || !covers(loaded, found)) return false;
    standing = found;
  }
  return false;
}

/** `from` is the same: both are the shard that the message names. */
function covers(loaded: Shard, found: Shard): boolean {
  return loaded.to === null || (found.to !== null && found.to <= loaded.to);
}
