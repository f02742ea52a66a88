import type { Clock } from "../clock";
import type { PodProcess } from "../backends/kubernetes/controllers/pod-lifecycle";
import type { Message } from "../backends/sqs/message";
import type { Queue } from "../backends/sqs/queue";

/**
 * Receives one message at a time, works, and deletes it. When stopped, it finishes its message. When killed, the
 * message reappears after its visibility timeout.
 */
export function startConsumer(parts: {
  readonly queue: Queue;
  readonly clock: Clock;
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
