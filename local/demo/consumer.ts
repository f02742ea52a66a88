import type { Clock } from "../clock";
import type { PodProcess } from "../kubernetes/controllers/pod-lifecycle";
import type { Message, Queue } from "../sqs/queue";

/**
 * What runs in a consumer's pod: receives one message at a time, works on it, deletes it. Told to stop it finishes the message
 * at hand; killed it leaves it, and the message reappears when its visibility timeout is over.
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
  // Apart, because a receive that has a message at once calls back before it returns.
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
