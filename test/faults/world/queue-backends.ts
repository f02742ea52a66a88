import { Fault } from "../../../lib/model/fault";
import type { QueueMessage } from "../../../lib/model/messages";
import type { SlotQueue } from "../../../lib/model/ports/slot-queue";
import type { MessageQueue } from "./message-queue";
import type { Wire } from "./wire";

/** Hears what is sent. */
export function heard(slots: SlotQueue, hear: (messages: readonly QueueMessage[]) => void): SlotQueue {
  return {
    send(messages, signal) {
      hear(messages.map(({ message }) => message));
      return slots.send(messages, signal);
    },
  };
}

/** The slot queue, as senders have it. */
export function slotQueue(queue: MessageQueue, wire: Wire): SlotQueue {
  return {
    send: (messages, signal) =>
      wire({
        name: `queue send ${messages.length}`,
        signal,
        attempts: 3,
        limitMs: 4_000,
        arrive: () => {
          for (const { message, delaySeconds } of messages as readonly {
            message: QueueMessage;
            delaySeconds: number;
          }[])
            queue.send(message, delaySeconds * 1_000);
        },
        failure: ({ kind }) => new Fault(kind === "refused" ? "throttled" : "timeout", `the queue: ${kind}`),
      }),
  };
}

/** The slot queue, as a receiver puts messages off. */
export function visibilityClient(queue: MessageQueue, wire: Wire) {
  return {
    send: (command: { readonly input: VisibilityInput }, { abortSignal }: { abortSignal?: AbortSignal } = {}) =>
      wire({
        name: "queue changeVisibility",
        signal: abortSignal,
        limitMs: 4_000,
        arrive: () => {
          for (const { ReceiptHandle, VisibilityTimeout } of command.input.Entries)
            queue.changeVisibility(ReceiptHandle, VisibilityTimeout * 1_000);
          return { Failed: [] };
        },
        failure: () => Object.assign(new Error("by the story"), { name: "TimeoutError" }),
      }),
  };
}

interface VisibilityInput {
  readonly Entries: readonly { readonly ReceiptHandle: string; readonly VisibilityTimeout: number }[];
}
