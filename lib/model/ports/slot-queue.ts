import type { QueueMessage } from "../messages";

/**
 * Where ticks send slots and table changes send wakes: SQS, or a queue in this process. Rejects with a Fault if any
 * message was not accepted.
 */
export interface SlotQueue {
  /** `delaySeconds`: whole seconds, 0 to 900. */
  send(
    messages: readonly { readonly message: QueueMessage; readonly delaySeconds: number }[],
    signal: AbortSignal,
  ): Promise<void>;
}
