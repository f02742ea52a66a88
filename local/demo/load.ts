import type { Clock } from "../clock";
import type { Random } from "../random";
import type { Queue } from "../sqs/queue";

/** Bursts of messages, from time to time. */
export interface Bursts {
  readonly queue: string;
  readonly firstAfterMs: number;
  readonly everyMs: number;
  /** The size of a burst: at least, and less than. */
  readonly messages: readonly [number, number];
  /** The length of a burst. */
  readonly spreadMs: number;
}

/** Sends bursts until it is stopped. */
export function startLoad(parts: {
  readonly clock: Clock;
  readonly random: Random;
  readonly bursts: readonly Bursts[];
  readonly queueOf: (name: string) => Queue;
  readonly onSent: (queue: string) => void;
}): () => void {
  const { clock, random } = parts;
  let stopped = false;
  const burst = (bursts: Bursts, number: number): void => {
    if (stopped) return;
    const count = Math.floor(random.between(...bursts.messages));
    for (let index = 1; index <= count; index += 1) {
      clock.after(random.between(0, bursts.spreadMs), () => {
        if (stopped) return;
        parts.queueOf(bursts.queue).send(JSON.stringify({ [bursts.queue]: `${number}-${index}` }));
        parts.onSent(bursts.queue);
      });
    }
    clock.after(bursts.everyMs, () => burst(bursts, number + 1));
  };
  for (const bursts of parts.bursts) clock.after(bursts.firstAfterMs, () => burst(bursts, 1));
  return () => {
    stopped = true;
  };
}
