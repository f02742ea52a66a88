import { setMaxListeners } from "node:events";
import { Fault } from "../model/fault";
import { faultOf } from "./fault";

/** One call of an AWS API, as messages name it. */
export interface AwsCall {
  /** The IAM action, "sqs:GetQueueAttributes": what a role must allow. */
  readonly action: string;
  /** What the call asks for: `queue "orders" in eu-west-1`. */
  readonly asked: string;
  readonly signal: AbortSignal;
}

/** More than the SDK's attempts take together, so that it only ends what they cannot: an answer that trickles, credentials that hang. */
const limitMs = 10_000;

/**
 * Sends, and rejects with a Fault: at once when `signal` fires, after 10 s at the latest. The call itself is aborted then, so nothing
 * of it wakes up in a later invocation.
 */
export async function callAws<Output>(call: AwsCall, send: (signal: AbortSignal) => Promise<Output>): Promise<Output> {
  const abort = new AbortController();
  let end: (fault: Fault) => void = () => undefined;
  const ended = new Promise<never>((_resolve, reject) => {
    end = (fault) => {
      reject(fault);
      abort.abort();
    };
  });
  const onDeadline = () =>
    end(new Fault("timeout", `${call.asked}: the sync's time was up before ${call.action} answered`));
  const onLimit = () =>
    end(new Fault("timeout", `${call.asked}: no complete answer to ${call.action} in ${limitMs / 1000} s`));
  const timer = setTimeout(onLimit, limitMs);
  setMaxListeners(0, call.signal); // Many calls wait for one deadline, on purpose: no leak to warn of.
  call.signal.addEventListener("abort", onDeadline, { once: true });
  try {
    if (call.signal.aborted) onDeadline();
    return await Promise.race([ended, call.signal.aborted ? ended : send(abort.signal)]);
  } catch (error) {
    throw faultOf(error, call);
  } finally {
    clearTimeout(timer);
    call.signal.removeEventListener("abort", onDeadline);
  }
}
