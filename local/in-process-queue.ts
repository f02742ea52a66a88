import type { SlotQueue } from "../lib/model/ports/slot-queue";
import type { QueueMessage } from "../lib/model/messages";
import type { EpochMs } from "../lib/k8s/time";

/** After these, a message counts as dead. */
const deliveries = 5;
const redeliverAfterMs = 1_000;

interface InProcessQueue extends SlotQueue {
  /** Drops waiting messages, finishes those in progress. */
  close(): Promise<void>;
}

interface QueueEvents {
  readonly handle: (message: QueueMessage) => Promise<unknown>;
  /** The message failed on every delivery. */
  readonly onDead: (message: QueueMessage, error: unknown) => void;
}

/** Delays and redelivers like SQS. */
export function inProcessQueue({ handle, onDead }: QueueEvents): InProcessQueue {
  const waiting = new Set<() => void>();
  const running = new Set<Promise<void>>();
  let closed = false;

  function later(ms: number, message: QueueMessage, delivery: number): void {
    if (closed) return;
    const cancel = callAt(Date.now() + ms, () => {
      waiting.delete(cancel);
      const run = deliver(message, delivery).finally(() => running.delete(run));
      running.add(run);
    });
    waiting.add(cancel);
  }

  async function deliver(message: QueueMessage, delivery: number): Promise<void> {
    try {
      await handle(message);
    } catch (error) {
      if (delivery < deliveries) later(redeliverAfterMs, message, delivery + 1);
      else onDead(message, error);
    }
  }

  return {
    send(messages) {
      for (const { message, delaySeconds } of messages) later(delaySeconds * 1000, message, 1);
      return Promise.resolve();
    },
    async close() {
      closed = true;
      for (const cancel of waiting) cancel();
      waiting.clear();
      await Promise.all(running);
    },
  };
}

const longestWaitMs = 1_000;

/**
 * Looks at the clock every second, since a timer stops while a laptop sleeps.
 *
 * @returns a function that cancels it
 */
export function callAt(at: EpochMs, run: () => void): () => void {
  let timer: NodeJS.Timeout;
  const look = () => (Date.now() >= at ? run() : wait());
  const wait = () => {
    timer = setTimeout(look, Math.min(Math.max(0, at - Date.now()), longestWaitMs));
  };
  wait();
  return () => clearTimeout(timer);
}
