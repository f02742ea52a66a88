import type { Lane } from "../async/lane";
import { OutOfTime, unlessAborted, withinTime } from "../async/within-time";
import { Fault, isFault } from "../model/fault";
import { faultOf } from "./fault";

/** One call to an AWS API. */
export interface AwsCall {
  /** The IAM action that a role must allow: "sqs:GetQueueAttributes". */
  readonly action: string;
  /** For messages: `queue "orders" in eu-west-1`. */
  readonly asked: string;
  readonly signal: AbortSignal;
  /** The lane of its endpoint. Without one, nothing bounds the call but its time limit. */
  readonly lane?: Lane;
  /** Calls with the same id fail together in the lane. */
  readonly id?: string;
  /** Its rank in the lane. */
  readonly rank?: number;
  /**
   * Default 10 s: longer than all of the SDK's attempts. It ends what they cannot: an answer that trickles, or
   * credentials that hang.
   */
  readonly limitMs?: number;
}

/**
 * Sends the request. Rejects with a Fault when `signal` fires, and at the latest `limitMs` after sending. Either aborts
 * the request, so nothing of it runs on in a later invocation.
 */
export async function callAws<Output>(call: AwsCall, send: (signal: AbortSignal) => Promise<Output>): Promise<Output> {
  const { lane, signal, asked, id, rank = 0 } = call;
  try {
    if (lane === undefined) return await limited(call, signal, send);
    return await lane.run({ asked, signal, rank, ...(id !== undefined && { id }) }, (laneSignal) =>
      limited(call, laneSignal, send),
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
  return withinTime(call.limitMs ?? 10_000, signal, async (limit) => {
    try {
      if (limit.aborted) throw limit.reason;
      return await unlessAborted(send(limit), limit);
    } catch (error) {
      throw limit.aborted ? outOfTime(call, limit.reason) : faultOf(error, call);
    }
  });
}

function outOfTime({ asked, action }: AwsCall, reason: unknown): Fault {
  const why =
    reason instanceof OutOfTime
      ? `no complete answer to ${action} in ${reason.afterMs / 1000} s`
      : `the sync's time was up before ${action} answered`;
  return new Fault("timeout", `${asked}: ${why}`);
}
