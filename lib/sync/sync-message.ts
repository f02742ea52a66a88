import type { SyncCounts } from "../model/report";
import { isWake, type QueueMessage } from "../model/messages";
import { syncShard } from "./slot/sync-shard";
import { syncWoken } from "./wake/sync-woken";
import type { SyncContext, SyncPorts } from "./ports";

/** @throws Fault of the table: the message should be delivered again */
export async function syncMessage(
  ports: SyncPorts,
  message: QueueMessage,
  context: SyncContext,
): Promise<readonly SyncCounts[]> {
  return isWake(message) ? await syncWoken(ports, message, context) : [await syncShard(ports, message, context)];
}
