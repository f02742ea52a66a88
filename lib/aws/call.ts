import type { EndpointLimiter } from "../async/endpoint-limiter";
import { OutOfTime, unlessAborted, withLimit } from "../async/within-time";
import { Fault, isFault } from "../model/fault";
import { faultOf } from "./fault";

export interface AwsCall {
  /** The IAM action: "sqs:GetQueueAttributes". */
  readonly action: string;
  /** The part of a connection to a cluster that fails with this call. */
  readonly part?: "eks";
  readonly description: string;
  readonly signal: AbortSignal;
  readonly limiter?: EndpointLimiter;
  readonly failureKey?: string;
  readonly priority?: number;
  /** Default 10 s: longer than all of the SDK's attempts. It ends a slow answer, and credentials that hang. */
  readonly limitMs?: number;
}

/**
 * Rejects with a Fault when `signal` fires, and at the latest after `limitMs`. Either aborts the request, so nothing
 * continues in a later invocation.
 */
export async function callAws<Output>(call: AwsCall, send: (signal: AbortSignal) => Promise<Output>): Promise<Output> {
  const { limiter, signal, description, failureKey, priority = 0 } = call;
  try {
    if (limiter === undefined) return await limited(call, signal, send);
    return await limiter.run(
      { description, signal, priority, ...(failureKey !== undefined && { failureKey }) },
      (callSignal) => limited(call, callSignal, send),
    );
  } catch (error) {
    throw isFault(error) ? error : outOfTime(call, error);
  }
}

function limited<Output>(
  call: AwsCall,
  signal: AbortSignal,
  send: (signal: AbortSignal) => Promise<Output>,
): Promise<Output> {
  return withLimit(call.limitMs ?? 10_000, signal, async (limit) => {
    try {
      limit.throwIfAborted();
      return await unlessAborted(send(limit), limit);
    } catch (error) {
      throw limit.aborted ? outOfTime(call, limit.reason) : faultOf(error, call);
    }
  });
}

function outOfTime({ description, action }: AwsCall, reason: unknown): Fault {
  const why =
    reason instanceof OutOfTime
      ? `no complete answer to ${action} in ${reason.afterMs / 1000} s`
      : `the sync's time was up before ${action} answered`;
  return new Fault("timeout", `${description}: ${why}`);
}
