import type { SyncCounts } from "../../model/report";
import { isWake, type QueueMessage } from "../../model/messages";
import { type SyncContext, type SyncPorts, syncShard } from "./sync-shard";
import { syncWoken } from "./sync-woken";

/** Does what a message of the queue asks for. @throws Fault of the table: the message should be delivered again. */
export async function syncMessage(
  ports: SyncPorts,
  message: QueueMessage,
  context: SyncContext,
): Promise<readonly SyncCounts[]> {
  return isWake(message) ? await syncWoken(ports, message, context) : [await syncShard(ports, message, context)];
}
