import type { Context } from "aws-lambda";
import { Fault } from "../lib/model/fault";
import type { EpochMs } from "../lib/k8s/time";

/** Within what an invocation's work has to stay. */
export interface Bounds {
  /** Nothing new is started after this moment: what is left of the time is for recording. */
  readonly deadline: EpochMs;
  /** Aborts shortly before the platform would freeze the process, and in any case when the work is over. */
  readonly signal: AbortSignal;
}

/** Time kept for recording, and for answering; less where the whole invocation is short. */
const recordMs = (remaining: number) => Math.min(5_000, remaining / 3);
const answerMs = (remaining: number) => Math.min(1_500, remaining / 10);

/**
 * ```
 *  0 ─────────────────────── deadline ───────────── abort ─────── timeout (30 s)
 *        start HPAs           25 s     only record   28.5 s  answer
 * ```
 * After it, whatever the work left running is aborted: it would wake up in the next invocation, with a clock that jumped.
 */
export async function withinInvocation<T>(
  context: Pick<Context, "getRemainingTimeInMillis">,
  work: (bounds: Bounds) => Promise<T>,
): Promise<T> {
  const remaining = context.getRemainingTimeInMillis();
  const controller = new AbortController();
  const outOfTime = new Fault("timeout", `out of time: the invocation had ${remaining} ms`);
  const timer = setTimeout(() => controller.abort(outOfTime), remaining - answerMs(remaining));
  try {
    return await work({ deadline: Date.now() + remaining - recordMs(remaining), signal: controller.signal });
  } finally {
    clearTimeout(timer);
    controller.abort(new Fault("timeout", "the invocation is over"));
  }
}

/** Work that does listen to the signal gets this long to end by itself: its own error says more. */
const graceMs = 100;

/**
 * The work's outcome, or the signal's reason where the signal aborts and the work takes no notice: one stuck piece of work must not
 * keep the outcomes of the others from being told.
 */
export async function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  let stop: () => void = () => undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = () => {
      timer = setTimeout(() => reject(signal.reason as Error), graceMs);
    };
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
    clearTimeout(timer);
  }
}
