import type { EpochMs } from "../k8s/time";
import { Fault, isFault } from "../model/fault";
import { BoundedMap } from "./bounded-map";
import { openPlaces } from "./limit";
import { unlessAborted, withinTime } from "./within-time";

/**
 * The calls to one endpoint: a region of a service, or an API group of a cluster. The lane bounds how many run at a
 * time. It also remembers from run to run what did not answer, so a dead endpoint, or a dead queue behind a healthy
 * endpoint, delays only itself:
 *
 * - A call with an id of its own (a queue, a metric) that has no answer after half a second gives its place to the next
 *   one and continues outside the places.
 * - An id that did not answer is asked again after 5 s, 10 s, … 60 s, for at most 2 s each time.
 * - An endpoint is down after three calls miss and nothing answers in between. Then at most four probes go out every
 *   5 s. Other calls wait for their outcome, except those whose id answered last time. The first answer opens the lane
 *   again.
 *
 * Waiting for a place is not part of a call: the call's own time limit starts when the call is made.
 */
export interface Lane {
  /**
   * @throws Fault: the call's own. If the lane makes no call: the id's last failure, or that the endpoint does not
   * answer.
   */
  run<T>(ask: Ask, call: (signal: AbortSignal) => Promise<T>): Promise<T>;
}

export interface Ask {
  /** Calls with the same id fail together. Without an id, a call depends on the endpoint alone. */
  readonly id?: string;
  /** For messages: `queue "orders" in eu-west-1`. */
  readonly asked: string;
  readonly signal: AbortSignal;
  /** While places are taken, calls of lower rank go first: one asker's tenth call waits for everybody's first. */
  readonly rank?: number;
}

export interface LaneOptions {
  /** For messages: "SQS in eu-west-1". */
  readonly endpoint: string;
  /** Calls at a time. Beside them, up to four times as many slow calls may still wait for an answer. */
  readonly limit: number;
  readonly now: () => EpochMs;
}

const asidePerPlace = 4;
const patienceMs = 500;
const downAfter = 3;
const probesAtATime = 4;
const probeEveryMs = 5_000;
const firstRetryMs = 5_000;
const longestRetryMs = 60_000;
/** The time limit of a probe, and of a call to an id that did not answer last time. */
const briefMs = 2_000;
const maxRemembered = 10_000;

/** The last outcome of an id. */
interface LastOutcome {
  readonly misses: number;
  /** The first of these misses. Later misses report it too, so a lasting failure keeps one text. */
  readonly fault?: Fault;
  readonly retryAt: EpochMs;
}

export function openLane({ endpoint, limit, now }: LaneOptions): Lane {
  const places = openPlaces(limit, asidePerPlace * limit, patienceMs);
  const outcomes = new BoundedMap<string, LastOutcome>(maxRemembered);
  const probes = openProbes(now);
  let missesInARow = 0;
  let firstMiss: Fault | undefined;
  let answers = 0;
  let lateRetries = 0;

  const lastOf = ({ id }: Ask) => (id === undefined ? undefined : outcomes.get(id));
  const isBarred = (ask: Ask) => missesInARow >= downAfter && lastOf(ask)?.misses !== 0;
  /** One text for all calls that are not made, so that the failure is reported once. */
  const barred = (ask: Ask) => {
    const why = firstMiss === undefined ? "" : ` (${firstMiss.message})`;
    return lastOf(ask)?.fault ?? new Fault("timeout", `${endpoint} does not answer${why}`, { cause: firstMiss });
  };

  function remember({ id }: Ask, outcome: LastOutcome): void {
    if (id !== undefined) outcomes.set(id, outcome);
  }

  function answered(ask: Ask): void {
    answers += 1;
    missesInARow = 0;
    remember(ask, { misses: 0, retryAt: 0 });
  }

  function missed(ask: Ask, fault: Fault, answersBefore: number): Fault {
    if (answers === answersBefore) missesInARow += 1; // no other call got an answer meanwhile
    if (missesInARow === 1) firstMiss = fault;
    const { misses = 0, fault: first = fault } = lastOf(ask) ?? {};
    const retryAt = now() + Math.min(firstRetryMs * 2 ** misses, longestRetryMs);
    remember(ask, { misses: misses + 1, fault: first, retryAt });
    return first;
  }

  async function attempt<T>(ask: Ask, call: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const answersBefore = answers;
    try {
      const answer = await call(ask.signal);
      answered(ask);
      return answer;
    } catch (error) {
      if (!isFault(error, "timeout") && !isFault(error, "unreachable")) {
        if (isFault(error)) answered(ask); // an error is an answer too
        throw error;
      }
      // The caller ran out of time. That says nothing about the endpoint.
      throw ask.signal.aborted ? error : missed(ask, error, answersBefore);
    }
  }

  function briefly<T>(ask: Ask, call: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return attempt(ask, () => withinTime(briefMs, ask.signal, call));
  }

  /** An id that did not answer last time takes no place, and is not asked before its retry time. */
  async function retry<T>(ask: Ask, fault: Fault, call: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { retryAt } = lastOf(ask) ?? { retryAt: 0 };
    const isEarly = now() < retryAt && retryAt - now() <= longestRetryMs; // further away: the clock was set back
    if (isEarly || lateRetries >= limit) throw fault;
    lateRetries += 1;
    try {
      return await briefly(ask, call);
    } finally {
      lateRetries -= 1;
    }
  }

  return {
    async run(ask, call) {
      while (isBarred(ask)) {
        if (probes.mayStart(ask.id))
          return await probes.start(briefly(ask, call)).catch((error: unknown) => {
            throw isBarred(ask) && !ask.signal.aborted ? barred(ask) : error;
          });
        if (!probes.areUnderWay()) throw barred(ask);
        await unlessAborted(probes.next(), ask.signal);
      }
      const fault = lastOf(ask)?.fault;
      if (fault !== undefined) return retry(ask, fault, call);
      const { signal, rank = 0 } = ask;
      return places.run({ signal, rank, stepsAside: ask.id !== undefined }, () => {
        if (isBarred(ask)) throw barred(ask);
        return attempt(ask, call);
      });
    },
  };
}

/** The few calls that find out whether an endpoint answers again. Ids take turns. */
function openProbes(now: () => EpochMs) {
  const underWay = new Set<Promise<void>>();
  const probed = new Set<string>();
  let started = 0;
  let until = 0;

  return {
    areUnderWay: () => underWay.size > 0,
    next: () => Promise.race(underWay),
    mayStart(id: string | undefined): boolean {
      if (now() >= until || until - now() > probeEveryMs) {
        if (started === 0) probed.clear(); // every id had its turn
        started = 0;
        until = now() + probeEveryMs;
      }
      if (started >= probesAtATime || (id !== undefined && probed.has(id))) return false;
      started += 1;
      if (id !== undefined) probed.add(id);
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
