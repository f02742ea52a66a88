import { seededRandom } from "../../../local/random";
import { createAccount, type QueueAccount } from "../../../local/backends/sqs/account";
import type { Message } from "../../../local/backends/sqs/message";
import type { Queue } from "../../../local/backends/sqs/queue";
import { dice } from "../../faults/stories/dice";

/** How the counts of a queue are wrong. */
export interface Staleness {
  readonly seed: number;
  /** Each of its counts is as it was up to so long ago, and each lags by itself. */
  readonly lagMs: number;
  /** How long an idle queue counts 1 or 2 messages that are not there, at most. */
  readonly spikeMs: number;
  /** How often it does, in a week. */
  readonly spikesAWeek: { readonly inFlight: number; readonly visible: number };
}

/**
 * AWS: counts settle "at least 1 minute after the producers stop sending messages" (GetQueueAttributes).
 * kedacore/keda#7845: in flight above 0 on queues that never had a message, which it does not count; and of visible
 * ones, "several false alarms per week", "+1 or +2 for a minute". We take several as five, of each queue in flight, and
 * of the alarms' visible messages over ten queues.
 */
export const asReported = {
  ...{ lagMs: 60_000, spikeMs: 60_000 },
  spikesAWeek: { inFlight: 5, visible: 0.5 },
} satisfies Omit<Staleness, "seed">;

export interface Spike {
  readonly from: number;
  readonly to: number;
  readonly messages: number;
}

type Counts = ReturnType<Queue["counts"]>;
type Count = keyof Counts;

const weekMs = 7 * 24 * 3_600_000;

/** The queue account of the demo, whose counts lag and spike as SQS's do. Its messages are delivered as ever. */
export interface StaleAccount extends QueueAccount {
  /** When a queue's count spikes if it is idle then, from the account's beginning. */
  spikesOf(name: string, count: "visible" | "inFlight", untilMs: number): readonly Spike[];
}

export function staleAccount(parts: Parameters<typeof createAccount>[0], staleness: Staleness): StaleAccount {
  const { clock, record = () => undefined } = parts;
  const began = clock.now();
  const pasts = new Map<string, Past>();
  const spikes = new Map<string, ReturnType<typeof drawSpikes>>();
  const account = createAccount({
    ...parts,
    record(change) {
      if (!("deleted" in change)) pasts.get(change.queue)?.changed(account.find(change.queue).messages(), clock.now());
      record(change);
    },
  });

  const seedOf = (name: string, what: string) =>
    [...name, ...what].reduce((hash, letter) => (hash * 31 + letter.charCodeAt(0)) >>> 0, staleness.seed);
  const spikesFor = (name: string, count: "visible" | "inFlight") => {
    const key = `${name} ${count}`;
    const known = spikes.get(key) ?? drawSpikes(seedOf(name, count), began, staleness, staleness.spikesAWeek[count]);
    spikes.set(key, known);
    return known;
  };

  function stale(queue: Queue): Queue {
    const { name } = queue;
    const past = pasts.get(name) ?? openPast(queue.messages(), began, staleness.lagMs);
    pasts.set(name, past);
    const lags = {
      visible: drawLags(seedOf(name, "visible lag"), began, staleness.lagMs),
      inFlight: drawLags(seedOf(name, "in flight lag"), began, staleness.lagMs),
      delayed: drawLags(seedOf(name, "delayed lag"), began, staleness.lagMs),
    };
    const lagged = (count: Count, now: number) => past.countsAt(now - lags[count](now))[count];
    const spike = (count: "visible" | "inFlight", now: number) =>
      past.isIdle(now) ? spikesFor(name, count).at(now) : 0;
    const counts = (): Counts => {
      queue.counts(); // what has expired is gone
      const now = clock.now();
      return {
        visible: lagged("visible", now) + spike("visible", now),
        inFlight: lagged("inFlight", now) + spike("inFlight", now),
        delayed: lagged("delayed", now),
      };
    };
    return { ...queue, counts };
  }

  const known = new Map<string, { readonly queue: Queue; readonly stale: Queue }>();
  const once = (queue: Queue): Queue => {
    const before = known.get(queue.name);
    if (before?.queue === queue) return before.stale;
    pasts.delete(queue.name);
    const wrapped = { queue, stale: stale(queue) };
    known.set(queue.name, wrapped);
    return wrapped.stale;
  };
  account.list().forEach(once);
  return {
    ...account,
    create: (...args) => once(account.create(...args)),
    find: (name) => once(account.find(name)),
    list: (prefix) => account.list(prefix).map(once),
    spikesOf: (name, count, untilMs) => spikesFor(name, count).until(untilMs),
  };
}

type Past = ReturnType<typeof openPast>;

/** What was in a queue at each moment of the last minute. */
function openPast(first: readonly Message[], since: number, lagMs: number) {
  let moments = [{ at: since, messages: first }];
  const at = (moment: number) => moments.findLast((one) => one.at <= moment) ?? moments[0];
  return {
    changed(messages: readonly Message[], now: number): void {
      const oldest = moments.findLastIndex((one) => one.at <= now - lagMs);
      moments = [...moments.slice(Math.max(0, oldest)), { at: now, messages }];
    },
    countsAt(moment: number): Counts {
      const messages = at(moment)?.messages ?? [];
      const visible = messages.filter(({ visibleAt }) => visibleAt <= moment).length;
      const delayed = messages.filter(({ visibleAt, receiveCount }) => visibleAt > moment && receiveCount === 0).length;
      return { visible, delayed, inFlight: messages.length - visible - delayed };
    },
    /** Without a message for as long as counts lag. */
    isIdle: (now: number): boolean =>
      moments.every((one, index) => one.messages.length === 0 || (moments[index + 1]?.at ?? Infinity) <= now - lagMs),
  };
}

/** How far a count lags: none, all or some of what it may, for 5 to 45 s each. Of moments that only grow. */
function drawLags(seed: number, began: number, lagMs: number) {
  const roll = dice(seededRandom(seed));
  let [until, lag] = [began, 0];
  return (now: number): number => {
    while (until <= now) {
      until += roll.between(5_000, 45_000);
      lag = roll.pick([0, lagMs, roll.between(0, lagMs)]);
    }
    return lag;
  };
}

/** At random, so many in a week on average. */
function drawSpikes(seed: number, began: number, { spikeMs }: Staleness, aWeek: number) {
  const random = seededRandom(seed);
  const drawn: Spike[] = [];
  let last = began;
  const drawUntil = (moment: number): void => {
    while (aWeek > 0 && last <= moment) {
      const from = last - Math.log(1 - random.next()) * (weekMs / aWeek);
      last = from + random.between(spikeMs / 4, spikeMs);
      drawn.push({ from, to: last, messages: random.next() < 0.5 ? 1 : 2 });
    }
  };
  return {
    at(moment: number): number {
      drawUntil(moment);
      return drawn.findLast(({ from, to }) => from <= moment && moment < to)?.messages ?? 0;
    },
    until(moment: number): readonly Spike[] {
      drawUntil(moment);
      return drawn.filter(({ from }) => from < moment);
    },
  };
}
