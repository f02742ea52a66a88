import type { EpochMs } from "../k8s/time";
import { Fault, isFault } from "../model/fault";
import { openPlaces } from "./places";
import { unlessAborted, withinTime } from "./within-time";

/**
 * The calls to one endpoint: one region of a service, one API group of a cluster. The lane bounds how many run at a time, and it remembers
 * from turn to turn what did not answer, so that a dead endpoint, or one dead queue behind a healthy one, delays only itself:
 *
 * - What shares its fate with nothing else (`id`: a queue, a metric) gives its place to the next call when it has no answer after half a second,
 *   and goes on beside them. If it does not answer at all, it is asked again after 5 s, 10 s, … 60 s, briefly and beside the others.
 * - An endpoint is down after three calls during which nothing answered. Then a few probes go out every 5 s, and everybody else waits for
 *   their outcome. The first answer opens the lane again.
 *
 * Waiting for a place is not part of a call: the call's own time limit begins when it is made.
 */
export interface Lane {
  /** @throws Fault: the call's own; or, for what is not asked this time, what it met before or that the endpoint does not answer. */
  run<T>(ask: Ask, call: (signal: AbortSignal) => Promise<T>): Promise<T>;
}

export interface Ask {
  /** Equal for calls that share a fate. Absent: the call shares that of the endpoint. */
  readonly id?: string;
  /** As messages name it: `queue "orders" in eu-west-1`. */
  readonly asked: string;
  readonly signal: AbortSignal;
}

export interface LaneOptions {
  /** As messages name it: "SQS in eu-west-1". */
  readonly endpoint: string;
  /** Calls at a time. Up to four times as many may wait for a late answer beside them. */
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
/** For a probe, and for what did not answer last time. */
const briefMs = 2_000;
const maxRemembered = 10_000;

/** What an id last met. */
interface Met {
  readonly misses: number;
  /** The first of these misses: as long as it lasts, the same failure reads the same. */
  readonly fault?: Fault;
  readonly retryAt: EpochMs;
}

export function openLane({ endpoint, limit, now }: LaneOptions): Lane {
  const places = openPlaces(limit, asidePerPlace * limit, patienceMs);
  const met = new Map<string, Met>();
  const probes = openProbes(now);
  let missesInARow = 0;
  let firstMiss: Fault | undefined;
  let answers = 0;
  let lateRetries = 0;

  const metBy = ({ id }: Ask) => (id === undefined ? undefined : met.get(id));
  const isBarred = (ask: Ask) => missesInARow >= downAfter && metBy(ask)?.misses !== 0;
  /** The same for everybody who was not asked, so that it is reported once. */
  const barred = (ask: Ask) => {
    const why = firstMiss === undefined ? "" : ` (${firstMiss.message})`;
    return metBy(ask)?.fault ?? new Fault("timeout", `${endpoint} does not answer${why}`, { cause: firstMiss });
  };

  function remember({ id }: Ask, outcome: Met): void {
    if (id === undefined) return;
    met.delete(id);
    met.set(id, outcome);
    const [oldest] = met.keys();
    if (met.size > maxRemembered && oldest !== undefined) met.delete(oldest);
  }

  function answered(ask: Ask): void {
    answers += 1;
    missesInARow = 0;
    remember(ask, { misses: 0, retryAt: 0 });
  }

  function missed(ask: Ask, fault: Fault, answersBefore: number): Fault {
    if (answers === answersBefore) missesInARow += 1; // nothing else answered meanwhile
    if (missesInARow === 1) firstMiss = fault;
    const { misses = 0, fault: first = fault } = metBy(ask) ?? {};
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
        if (isFault(error)) answered(ask); // it answered, if only with an error
        throw error;
      }
      // A caller whose time is up says nothing about the far end.
      throw ask.signal.aborted ? error : missed(ask, error, answersBefore);
    }
  }

  function briefly<T>(ask: Ask, call: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return attempt(ask, () => withinTime(briefMs, ask.signal, call));
  }

  /** What did not answer last time goes beside those that do, and not before its time. */
  async function retry<T>(ask: Ask, fault: Fault, call: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { retryAt } = metBy(ask) ?? { retryAt: 0 };
    const isEarly = now() < retryAt && retryAt - now() <= longestRetryMs; // further off: the clock was set back
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
      const fault = metBy(ask)?.fault;
      if (fault !== undefined) return retry(ask, fault, call);
      return places.run(ask.signal, ask.id !== undefined, () => {
        if (isBarred(ask)) throw barred(ask);
        return attempt(ask, call);
      });
    },
  };
}

/** The few calls that find out whether an endpoint answers again; ids take turns. */
function openProbes(now: () => EpochMs) {
  const underWay = new Set<Promise<void>>();
  const had = new Set<string>();
  let started = 0;
  let until = 0;

  return {
    areUnderWay: () => underWay.size > 0,
    next: () => Promise.race(underWay),
    mayStart(id: string | undefined): boolean {
      if (now() >= until || until - now() > probeEveryMs) {
        if (started === 0) had.clear(); // every id has had its turn
        started = 0;
        until = now() + probeEveryMs;
      }
      if (started >= probesAtATime || (id !== undefined && had.has(id))) return false;
      started += 1;
      if (id !== undefined) had.add(id);
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
