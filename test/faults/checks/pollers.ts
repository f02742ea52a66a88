import type { HpaKey } from "../../../lib/model/hpa-key";
import type { PollerLease } from "../../../lib/model/stored/idle";
import type { QueueMessage } from "../../../lib/model/messages";
import { leaseKey } from "../../../lib/table/items/keys";
import type { Story } from "../stories/story";
import { priceOfReading, watchPrices } from "../world/instances";
import type { ItemWrite } from "../world/memory-table";
import { keyOfMetric } from "../world/metric-id";
import type { Invocation } from "../world/wire";
import { type Books, dataOf } from "./books";
import { isActive, type Ledger, type Reading } from "./ledger";
import { inBounds, recommend } from "./oracle";

export interface PollersDeps {
  readonly story: Story;
  readonly epoch: number;
  /** What an HPA's metrics really are; undefined: unknown. */
  readonly valuesOf: (key: string) => readonly (number | undefined)[];
}

/** First message to scale write: a second for the next round, and what the calls of a wake and a sync take at most. */
const awakeWithinMs = 5_000;
/** A zero is watched by then: its slot has said so, and the next minute's poller is there. */
const polledAfterMs = 110_000;
/** An accident before has no consequence any more: a crashed poller's lease is over, and the next one is there. */
const calmAfterMs = 300_000;
/** What a wake is for was seen so long before it at most: its state is read first, with retries. */
const seenWithinMs = 25_000;
const leastWaitMs = 4_500;

const source = "cluster externalMetric ";
const monthMs = 31 * 24 * 3_600_000;

interface Watched {
  reads: number;
  /** By HPA. */
  readonly work: Map<string, number>;
  readonly wakes: Map<string, number>;
  /** Metrics whose last reading had work, certain or not. */
  readonly possible: Set<string>;
}

/** The zero-scale poller: at most one reads, each wake has work, an HPA with work wakes, and the budget lasts. */
export function watchPollers(books: Books, { story, epoch, valuesOf }: PollersDeps) {
  const { clock, setting, skewMs, violated, ledgerOf, sizeOf, stateOf } = books;
  const invocations = new Map<Invocation, Watched>();
  /** They have read, and another one has read since. */
  const over = new Set<Invocation>();
  let last: Invocation | undefined;
  let lease: PollerLease | undefined;
  let [runMs, endedReads, allReads] = [0, 0, 0];
  const loadedAt = new Map<string, number>();

  function of(by: Invocation): Watched {
    const known = invocations.get(by) ?? { reads: 0, work: new Map(), wakes: new Map(), possible: new Set() };
    invocations.set(by, known);
    return known;
  }

  function leaseWritten(after: PollerLease): void {
    const before = lease;
    lease = after;
    if (before === undefined) return;
    if (after.version !== before.version + 1)
      violated(`lease: version ${after.version} is written over ${before.version}`);
    const leftMs = before.until - skewMs - clock.now;
    if (after.holder !== before.holder && leftMs > 0)
      violated(`lease: ${after.holder} takes it ${leftMs} ms before the end of ${before.holder}`);
    const { month, spent } = before.spending;
    if (after.spending.month === month && after.spending.spent < spent)
      violated(`spending: ${after.spending.spent} is written over ${spent}`);
  }

  /** Nothing has gone wrong for a while. */
  function isCalm(): boolean {
    const nowMs = clock.now - epoch;
    const isQuiet = setting.isStrict === true && setting.firstVersion === undefined;
    return nowMs > polledAfterMs && (isQuiet || nowMs > story.calmAtMs + calmAfterMs);
  }

  /** It sleeps by ebb's own doing, long enough to be watched, and its metrics say that it should not. */
  function sleepsWithWork(ledger: Ledger): boolean {
    const { key, versions, landings, isSpoiled, isCorrupt, outUntil, isZeroOurs } = ledger;
    const version = versions.at(-1);
    const entry = version?.entry;
    if (entry === undefined || isSpoiled || isCorrupt || outUntil > clock.now || !isActive(entry)) return false;
    if (isZeroOurs !== true || sizeOf(key)?.replicas !== 0 || entry.rules !== undefined) return false;
    const periodMs = Math.max(setting.periodSeconds, entry.spec.syncPeriodSeconds ?? 0) * 1_000;
    const settledAt = Math.max(version?.from ?? 0, landings.at(-1)?.at ?? 0) + 2 * periodMs + polledAfterMs;
    if (settledAt > clock.now || stateOf(ledger)?.intent !== undefined) return false;
    const values = valuesOf(key);
    if (values.includes(undefined)) return false;
    const isLive = (entry.spec.metrics ?? []).every(({ external }) => external?.metric.name === "live");
    const wanted = recommend(entry.spec, 0, values);
    return isLive && typeof wanted === "number" && inBounds(entry.spec, wanted) > 0;
  }

  return {
    /** A request of a poller is sent. */
    called(by: Invocation, name: string): void {
      if (!name.startsWith(source)) return;
      of(by).reads += 1;
      allReads += 1;
      if (over.has(by)) violated(`watch: ${by.process.name} reads, and so does ${last?.process.name}`);
      if (last !== undefined && last !== by) over.add(last);
      last = by;
    },
    read(metric: string, { value = 0, certain = value, by }: Reading): void {
      const { work, possible } = of(by);
      if (value > 0 && (certain > 0 || possible.has(metric))) work.set(keyOfMetric(metric), clock.now);
      if (value > 0) possible.add(metric);
      else possible.delete(metric);
    },
    written({ pk, sk, after }: ItemWrite): void {
      if (pk !== leaseKey.pk || sk !== leaseKey.sk || after === undefined)
        return violated(`users': ${pk} ${sk} is written by a poller`);
      leaseWritten(dataOf(after) as unknown as PollerLease);
    },
    woken(messages: readonly QueueMessage[], by: Invocation | undefined): void {
      if (by === undefined) return violated("wake: nobody's");
      const { work, wakes } = of(by);
      for (const message of messages) {
        if (!("names" in message)) {
          violated(`wake: a poller sends ${JSON.stringify(message)}`);
          continue;
        }
        for (const name of message.names) {
          const key: HpaKey = `${message.namespace}/${name}`;
          const seenAt = work.get(key);
          if (seenAt === undefined || seenAt < clock.now - seenWithinMs - by.process.lostMs)
            violated(`wake: ${key} is woken, and no reading of the last ${seenWithinMs / 1_000} s says so`);
          const before = wakes.get(key);
          const landing = ledgerOf(key).landings.at(-1);
          const upMs = landing === undefined || landing.to === 0 ? 0 : clock.now - landing.at;
          if (upMs > seenWithinMs && isCalm()) violated(`wake: ${key} is woken, and has been up for ${upMs} ms`);
          if (before !== undefined && (landing?.at ?? 0) < before && clock.now - before < leastWaitMs)
            violated(`wake: ${key} is woken again after ${clock.now - before} ms`);
          wakes.set(key, clock.now);
        }
      }
    },
    /** An HPA's metrics have just changed. */
    loaded(key: string): void {
      const ledger = ledgerOf(key);
      loadedAt.set(key, clock.now);
      const changedAt = clock.now;
      if (setting.watch === undefined || !isCalm() || lastsLess()) return;
      // The metrics of one moment change one by one.
      clock.after(0, undefined, () => {
        if (loadedAt.get(key) !== changedAt || !sleepsWithWork(ledger)) return;
        const landings = ledger.landings.length;
        clock.after(awakeWithinMs, undefined, () => {
          if (loadedAt.get(key) !== changedAt || ledger.landings.length > landings) return;
          if (sleepsWithWork(ledger)) violated(`awake: ${key} has work for ${awakeWithinMs / 1_000} s, and sleeps`);
        });
      });
    },
    ended(by: Invocation): void {
      runMs += clock.now - by.startedAt;
      endedReads += of(by).reads;
      invocations.delete(by);
    },
    finish(): void {
      if (setting.watch === undefined || setting.isStrict !== true) return;
      const spent = lease?.spending.spent ?? 0;
      const least = endedReads * priceOfReading;
      if (spent < least * 0.999) violated(`spending: ${spent}, expected at least ${least}`);
      const running = (runMs / 1_000 + 200) * watchPrices.perSecond;
      const real = allReads * priceOfReading + running;
      if (spent > real * 1.001) violated(`spending: ${spent}, expected at most ${real}`);
      // A round more than the time so far may have.
      const share = setting.watch.budget * ((clock.now - epoch) / monthMs);
      const round = story.hpas.length * 2 * priceOfReading;
      if (allReads * priceOfReading > share * 1.05 + round * 3)
        violated(`budget: ${allReads} readings cost more than ${share}`);
    },
  };

  /** The budget does not pay for a round each second. */
  function lastsLess(): boolean {
    const round = story.hpas.length * 2 * priceOfReading + watchPrices.perSecond;
    return (setting.watch?.budget ?? 0) * (1_000 / monthMs) < 1.2 * round;
  }
}
