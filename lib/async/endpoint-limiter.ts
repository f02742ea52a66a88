import type { EpochMs } from "../k8s/time";
import { Fault, isFault } from "../model/fault";
import { BoundedMap } from "./bounded-map";
import { openSemaphore } from "./semaphore";
import { OutOfTime, unlessAborted, withinTime } from "./within-time";

/**
 * Bounds the calls to one endpoint: a region of a service, or an API group of a cluster. It remembers from run to run
 * which calls got no answer, so a dead endpoint, or a dead queue behind a healthy endpoint, delays only itself:
 *
 * - A call with a failure key of its own (a queue, a metric) that has no answer after half a second gives its permit to
 * the next one and continues as overflow.
 * - A key that did not answer is tried again after 5 s, 10 s, … 60 s, for at most 2 s each time.
 * - An endpoint is down after three calls miss and nothing answers in between. Then at most four probes start every 5
 * s. Other calls wait for their outcome, except those whose key answered last time. The first answer lets all calls
 * through again.
 */
export interface EndpointLimiter {
  /**
   * @throws Fault: the call's own. If the limiter makes no call: the key's last failure, or that the endpoint does not
   * answer.
   */
  run<T>(options: CallOptions, call: (signal: AbortSignal) => Promise<T>): Promise<T>;
}

export interface CallOptions {
  /** Without a key, a call depends on the endpoint alone. */
  readonly failureKey?: string;
  readonly description: string;
  readonly signal: AbortSignal;
  /** The lowest number gets a permit first: one requester's tenth call waits for everyone's first. */
  readonly priority?: number;
}

export interface EndpointLimiterOptions {
  readonly endpoint: string;
  /** Concurrent calls. Beside them, up to four times as many slow calls may wait for an answer. */
  readonly limit: number;
  readonly now: () => EpochMs;
}

const overflowPerPermit = 4;
const slowCallMs = 500;
const downAfter = 3;
const probesAtATime = 4;
const probeEveryMs = 5_000;
const firstRetryMs = 5_000;
const longestRetryMs = 60_000;
const briefMs = 2_000;
const maxOutcomes = 10_000;

interface LastOutcome {
  readonly misses: number;
  /** Later misses report it too, so a lasting failure keeps one text. */
  readonly fault?: Fault;
  readonly retryAt: EpochMs;
}

export function openEndpointLimiter({ endpoint, limit, now }: EndpointLimiterOptions): EndpointLimiter {
  const semaphore = openSemaphore(limit, overflowPerPermit * limit, slowCallMs);
  const outcomes = new BoundedMap<string, LastOutcome>(maxOutcomes);
  const probes = openProbes(now);
  let missesInARow = 0;
  let firstMiss: Fault | undefined;
  let answers = 0;
  let lateRetries = 0;

  const lastOf = ({ failureKey }: CallOptions) => (failureKey === undefined ? undefined : outcomes.get(failureKey));
  const isBarred = (options: CallOptions) => missesInARow >= downAfter && lastOf(options)?.misses !== 0;
  /** One text for all calls that are not made, so that the failure is reported once. */
  const barred = (options: CallOptions) => {
    const why = firstMiss === undefined ? "" : ` (${firstMiss.message})`;
    return lastOf(options)?.fault ?? new Fault("timeout", `${endpoint} does not answer${why}`, { cause: firstMiss });
  };

  function recordOutcome({ failureKey }: CallOptions, outcome: LastOutcome): void {
    if (failureKey !== undefined) outcomes.set(failureKey, outcome);
  }

  function answered(options: CallOptions): void {
    answers += 1;
    missesInARow = 0;
    recordOutcome(options, { misses: 0, retryAt: 0 });
  }

  function missed(options: CallOptions, fault: Fault, answersBefore: number): Fault {
    if (answers === answersBefore) missesInARow += 1; // no other call got an answer meanwhile
    if (missesInARow === 1) firstMiss = fault;
    const { misses = 0, fault: first = fault } = lastOf(options) ?? {};
    const retryAt = now() + Math.min(firstRetryMs * 2 ** misses, longestRetryMs);
    recordOutcome(options, { misses: misses + 1, fault: first, retryAt });
    return first;
  }

  async function attempt<T>(options: CallOptions, call: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const answersBefore = answers;
    try {
      const answer = await call(options.signal);
      answered(options);
      return answer;
    } catch (given) {
      const error =
        given instanceof OutOfTime ? new Fault("timeout", `${options.description}: ${given.message}`) : given;
      if (!isFault(error, "timeout") && !isFault(error, "unreachable")) {
        if (isFault(error)) answered(options); // an error is an answer too
        throw error;
      }
      // The caller ran out of time. That says nothing about the endpoint.
      throw options.signal.aborted ? error : missed(options, error, answersBefore);
    }
  }

  function briefly<T>(options: CallOptions, call: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return attempt(options, () => withinTime(briefMs, options.signal, call));
  }

  /** A key that did not answer last time takes no permit, and is not tried before its retry time. */
  async function retry<T>(options: CallOptions, fault: Fault, call: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { retryAt } = lastOf(options) ?? { retryAt: 0 };
    const isEarly = now() < retryAt && retryAt - now() <= longestRetryMs; // further away: the clock was set back
    if (isEarly || lateRetries >= limit) throw fault;
    lateRetries += 1;
    try {
      return await briefly(options, call);
    } finally {
      lateRetries -= 1;
    }
  }

  return {
    async run(options, call) {
      while (isBarred(options)) {
        if (probes.mayStart(options.failureKey))
          return await probes.start(briefly(options, call)).catch((error: unknown) => {
            throw isBarred(options) && !options.signal.aborted ? barred(options) : error;
          });
        if (!probes.areUnderWay()) throw barred(options);
        await unlessAborted(probes.next(), options.signal);
      }
      const fault = lastOf(options)?.fault;
      if (fault !== undefined) return retry(options, fault, call);
      const { signal, priority = 0 } = options;
      return semaphore.run({ signal, priority, mayOverflow: options.failureKey !== undefined }, () => {
        if (isBarred(options)) throw barred(options);
        return attempt(options, call);
      });
    },
  };
}

/** A different failure key each time. */
function openProbes(now: () => EpochMs) {
  const underWay = new Set<Promise<void>>();
  const probed = new Set<string>();
  let started = 0;
  let until = 0;

  return {
    areUnderWay: () => underWay.size > 0,
    next: () => Promise.race(underWay),
    mayStart(failureKey: string | undefined): boolean {
      if (now() >= until || until - now() > probeEveryMs) {
        if (started === 0) probed.clear(); // every key has been tried
        started = 0;
        until = now() + probeEveryMs;
      }
      if (started >= probesAtATime || (failureKey !== undefined && probed.has(failureKey))) return false;
      started += 1;
      if (failureKey !== undefined) probed.add(failureKey);
      return true;
    },
    async start<T>(probe: Promise<T>): Promise<T> {
      const over = probe.then(
        () => undefined,
        () => undefined,
      );
      underWay.add(over);
      try {
        return await probe;
      } finally {
        underWay.delete(over);
      }
    },
  };
}
