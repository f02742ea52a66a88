import type { EpochMs } from "../../lib/k8s/time";
import type { Shard } from "../../lib/model/state";

/** What a slot may take until it is finished, delivery included, before somebody should look. */
const graceMs = 60_000;

/** Whether a shard's last finished slot is older than it can be when all goes well. */
export function isLate({ slot }: Pick<Shard, "slot">, periodMs: number, now: EpochMs): boolean {
  return now - slot > periodMs + graceMs;
}
