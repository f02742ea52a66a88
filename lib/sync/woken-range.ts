import type { ShardRange } from "../core/state";
import type { WakeMessage } from "./wake-message";

/**
 * What one sync of single HPAs loads: their namespace, as far as the shard goes. So their neighbours are known, and are those that a slot
 * knows: two HPAs on the same pods are halted by either, and never by one alone.
 */
export function wokenRange(
  { cluster, namespace }: Pick<WakeMessage, "cluster" | "namespace">,
  shard: ShardRange | undefined,
): ShardRange {
  const from = `${namespace}/`;
  const to = `${namespace}0`; // "0" is the character after "/"
  if (shard === undefined) return { cluster, from, to };
  return {
    cluster,
    from: shard.from > from ? shard.from : from,
    to: shard.to !== null && shard.to < to ? shard.to : to,
  };
}
