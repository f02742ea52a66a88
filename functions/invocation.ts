import type { Context } from "aws-lambda";
import { Fault } from "../lib/model/fault";
import type { BoundedRunTime } from "../lib/async/run-time";
import type { EpochMs } from "../lib/k8s/time";
import type { MiddlewareObj } from "@middy/core";
import type { Telemetry } from "./reporter";

/** `signal` fires shortly before the platform would freeze the process, and when the work is over. */
export type Bounds = Omit<BoundedRunTime, "now">;

/** Less in a short invocation. Rounded, because moments are stored as whole numbers. */
const recordMs = (remaining: number) => Math.min(5_000, Math.ceil(remaining / 3));
const answerMs = (remaining: number) => Math.min(1_500, Math.ceil(remaining / 10));

/**
 * ```
 *  0 ─────────────────────── deadline ───────────── abort ─────── timeout (30 s)
 *        start HPAs           25 s     only record   28.5 s  answer
 * ```
 *
 * The signal also fires when the work ends: anything that still runs would resume in the next invocation, with a clock
 * that jumped.
 */
export async function withinInvocation<T>(
  context: Pick<Context, "getRemainingTimeInMillis">,
  work: (bounds: Bounds) => Promise<T>,
): Promise<T> {
  const remaining = Math.floor(context.getRemainingTimeInMillis());
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

export function recordsOf<T>({ Records }: { readonly Records?: readonly T[] }, expected: string): readonly T[] {
  if (Array.isArray(Records)) return Records as readonly T[];
  throw new Fault("badEntry", `event, field Records: expected a batch of ${expected}, got ${typeof Records}`);
}

/** The Input of the schedules in infra/schedule.yml. */
export interface TickEvent {
  readonly time: string;
}

/** The same minute for a late or repeated delivery. */
export function scheduledTime({ time }: TickEvent): EpochMs {
  const at = typeof time === "string" ? Date.parse(time) : NaN;
  if (Number.isNaN(at))
    throw new Fault("badEntry", `event, field time: expected an instant, got ${JSON.stringify(time)}`);
  return at;
}

/** Logs an invocation's failure and writes its metrics. Use it first, so that it ends last. */
export function reported(reporter: Pick<Telemetry, "started" | "invocationFailed" | "flush">): MiddlewareObj {
  return {
    before({ context }) {
      reporter.started(context.awsRequestId);
    },
    after() {
      reporter.flush();
    },
    onError({ error, response }) {
      if (response === undefined) reporter.invocationFailed(error);
      reporter.flush();
    },
  };
}
