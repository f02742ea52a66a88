import type { QueueMessage } from "../messages";

/** Rejects with a Fault if any message was not accepted. */
export interface SlotQueue {
  /** `delaySeconds`: 0 to 900. */
  send(
    messages: readonly { readonly message: QueueMessage; readonly delaySeconds: number }[],
    signal: AbortSignal,
  ): Promise<void>;
}
