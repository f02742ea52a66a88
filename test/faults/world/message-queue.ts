import { encodeQueueMessage, type QueueMessage } from "../../../lib/model/messages";
import type { WorldClock } from "./clock";

export interface QueuedMessage {
  readonly id: string;
  readonly body: string;
  receives: number;
  /** Grows with each change of what happens to it next: what was planned before is void. */
  plan: number;
  isGone: boolean;
}

/** As infra/queues.yml has it. */
const visibilityMs = 180_000;
const maxReceives = 5;

export interface MessageQueue {
  send(message: QueueMessage, delayMs: number): void;
  /** The platform has handled the delivery: those that failed stay. */
  settle(delivered: readonly QueuedMessage[], failed: ReadonlySet<string>): void;
  changeVisibility(id: string, ms: number): void;
  readonly dead: readonly QueuedMessage[];
  redrive(): void;
  readonly size: number;
  /** What happens to the next message that becomes due. */
  next: { readonly do: "again" | "late" | "redrive"; readonly byMs: number } | undefined;
}

/** A standard SQS queue with an event source: at least once, in any order, with visibility and dead letters. */
export function openMessageQueue(
  clock: WorldClock,
  batchSize: number,
  deliver: (messages: readonly QueuedMessage[]) => void,
): MessageQueue {
  const messages = new Map<string, QueuedMessage>();
  const dead: QueuedMessage[] = [];
  const ready: QueuedMessage[] = [];
  let sent = 0;

  function show(message: QueuedMessage, delayMs: number): void {
    const plan = (message.plan += 1);
    clock.after(delayMs, undefined, () => {
      if (!message.isGone && message.plan === plan) receive(message);
    });
  }

  function receive(message: QueuedMessage): void {
    const { next } = queue;
    if (next !== undefined) {
      queue.next = undefined;
      if (next.do === "again") {
        const body = message.body;
        const copy: QueuedMessage = { id: `${message.id}'`, body, receives: 0, plan: 0, isGone: false };
        messages.set(copy.id, copy);
        show(copy, next.byMs);
      } else if (next.do === "redrive") {
        bury(message);
        clock.after(next.byMs, undefined, () => raise(message));
        return;
      } else {
        return show(message, next.byMs);
      }
    }
    message.receives += 1;
    if (message.receives > maxReceives) return bury(message);
    ready.push(message);
    if (ready.length === 1) clock.after(0, undefined, flush);
  }

  function bury(message: QueuedMessage): void {
    messages.delete(message.id);
    message.isGone = true;
    dead.push(message);
  }

  /** From the dead letters back to the queue, unless that has happened: a new message with the same body. */
  function raise({ id, body }: QueuedMessage): void {
    const index = dead.findIndex((each) => each.id === id);
    if (index === -1) return;
    dead.splice(index, 1);
    const message: QueuedMessage = { id: `${id}+`, body, receives: 0, plan: 0, isGone: false };
    messages.set(message.id, message);
    show(message, 0);
  }

  function flush(): void {
    const batch = ready.splice(0, batchSize);
    if (batch.length === 0) return;
    for (const message of batch) show(message, visibilityMs);
    if (ready.length > 0) clock.after(0, undefined, flush);
    deliver(batch);
  }

  const queue: MessageQueue = {
    next: undefined,
    dead,
    get size() {
      return messages.size;
    },
    send(message, delayMs) {
      sent += 1;
      const body = encodeQueueMessage(message);
      const queued: QueuedMessage = { id: `m${sent}`, body, receives: 0, plan: 0, isGone: false };
      messages.set(queued.id, queued);
      show(queued, delayMs);
    },
    settle(delivered, failed) {
      for (const message of delivered) {
        if (failed.has(message.id)) continue;
        message.isGone = true;
        messages.delete(message.id);
      }
    },
    changeVisibility(id, ms) {
      const message = messages.get(id);
      if (message !== undefined) show(message, ms);
    },
    redrive() {
      for (const message of [...dead]) raise(message);
    },
  };
  return queue;
}
