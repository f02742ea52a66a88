import type { Clock } from "../clock";
import type { PodProcess } from "../kubernetes/controllers/pod-lifecycle";
import type { Message } from "../sqs/message";
import type { Queue } from "../sqs/queue";

/**
 * The process in a consumer's pod: it receives one message at a time, works on it, and deletes it. When asked to stop,
 * it finishes its message. When killed, it leaves the message, which reappears after its visibility timeout.
 */
export function startConsumer(parts: {
  readonly queue: Queue;
  readonly clock: Clock;
  /** How long one message takes, in ms. */
  readonly serviceMs: () => number;
  readonly onProcessed: (message: Message) => void;
}): PodProcess {
  const { queue, clock } = parts;
  const longPollMs = 20_000;
  const nothing = (): void => undefined;
  // Declared first, because receive may call back before it returns.
  let cancelWaiting = nothing;
  let cancelWork = nothing;
  let working = false;
  let finish: (() => void) | undefined;

  const poll = (): void => {
    if (finish !== undefined) return finish();
    cancelWaiting = queue.receive({ max: 1, waitMs: longPollMs }, ([message]) => {
      if (message === undefined) cancelWork = clock.after(0, poll);
      else work(message);
    });
  };
  const work = (message: Message): void => {
    working = true;
    cancelWork = clock.after(parts.serviceMs(), () => {
      working = false;
      if (message.receiptHandle !== undefined) queue.delete(message.receiptHandle);
      parts.onProcessed(message);
      poll();
    });
  };

  const kill = (): void => {
    cancelWaiting();
    cancelWork();
  };

  cancelWork = clock.after(0, poll);
  return {
    stop(done) {
      finish = done;
      if (working) return;
      kill();
      done();
    },
    kill,
  };
}
