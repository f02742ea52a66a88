import { limitConcurrency } from "../async/semaphore";
import type { EpochMs } from "../k8s/time";
import { isFault } from "../model/fault";
import { type HpaRef, type NotifiedStore, refText } from "../model/ports/notified";
import {
  type CloudEvent,
  type HpaNotification,
  mostPublished,
  type Publisher,
  type RefusedEvent,
} from "../model/ports/publisher";
import type { Notified, NotifiedHour } from "../model/stored/notified";
import { advance, type Advanced, announceLasting, type StateWrite, isDue, type Known } from "./advance";
import { eventOf, leftOutEvent } from "./event";
import { claimHour } from "./hour";
import { mayMatter } from "./lasting";
import { type NotifySettings, wantsHpa } from "./settings";

export interface NotifyPorts {
  readonly store: NotifiedStore;
  readonly publisher: Publisher;
  readonly reporter: { warned(message: string): void; unsent(notifications: number): void };
  readonly now: () => EpochMs;
}

export interface TimeBounds {
  readonly signal: AbortSignal;
  /** No later call to the topic: what was sent must still be remembered. */
  readonly sendUntil: EpochMs;
}

export interface HpaChange extends StateWrite {
  readonly hpa: HpaRef;
}

/** @returns by `refText`: HPAs whose changes must come again */
export async function notifyOfChanges(
  ports: NotifyPorts,
  settings: NotifySettings,
  changes: readonly HpaChange[],
  bounds: TimeBounds,
): Promise<ReadonlySet<string>> {
  const now = ports.now();
  const byHpa = new Map<string, HpaChange[]>();
  for (const change of changes) {
    if (!wantsHpa(settings.filters, change.hpa) || !mayMatter(change.before, change.after, now)) continue;
    const id = refText(change.hpa);
    byHpa.set(id, [...(byHpa.get(id) ?? []), change]);
  }
  const hpas = [...byHpa.values()].flatMap(([first]) => (first === undefined ? [] : [first.hpa]));
  const plan = (known: Known): Advanced => {
    const start: Advanced = { notified: known.notified, occurred: [] };
    return (byHpa.get(refText(known.hpa)) ?? []).reduce((so, change) => {
      const next = advance({ ...known, notified: so.notified }, change, { settings, now });
      return { notified: next.notified, occurred: [...so.occurred, ...next.occurred] };
    }, start);
  };
  return carryOut(ports, settings, { hpas, plan }, bounds);
}

export async function notifyOfTime(ports: NotifyPorts, settings: NotifySettings, bounds: TimeBounds): Promise<void> {
  const { signal } = bounds;
  const { store } = ports;
  const context = { settings, now: ports.now() };
  await claim(ports, settings, 0, signal);
  const due = (await store.all(signal)).filter((one) => isDue(one, context));
  const hpas = due.map(({ cluster, key }): HpaRef => ({ cluster, key: key as HpaRef["key"] }));
  const states = await store.states(hpas, signal);
  const plan = (known: Known): Advanced => {
    const { notified, hpa } = known;
    if (notified === undefined) return { notified, occurred: [] };
    return announceLasting({ ...known, notified }, states.get(refText(hpa)), context);
  };
  await carryOut(ports, settings, { hpas, plan }, bounds);
}

interface Work {
  readonly hpas: readonly HpaRef[];
  readonly plan: (known: Known) => Advanced;
}

const rounds = 3;
const concurrentWrites = 8;

/** Sends first, then remembers: after a lost answer the same events go again, with the same ids. */
async function carryOut(
  ports: NotifyPorts,
  settings: NotifySettings,
  { hpas, plan }: Work,
  bounds: TimeBounds,
): Promise<ReadonlySet<string>> {
  const { signal } = bounds;
  const again = new Set<string>();
  const settled = new Set<string>();
  let left = hpas;
  for (let round = 1; left.length > 0 && round <= rounds; round++) {
    const planned = await planAll(ports.store, { hpas: left, plan }, signal);
    const events = planned.map((one) =>
      one.occurred.map((each) => eventOf(each, settings.stack)).filter(({ id }) => !settled.has(id)),
    );
    const unsent = await sendWithinHour(ports, settings, events, bounds);
    for (const { id } of events.flat()) if (!unsent.has(id)) settled.add(id);
    const isSent = (_: unknown, at: number) => !(events[at] ?? []).some(({ id }) => unsent.has(id));
    for (const { hpa } of planned.filter((one, at) => !isSent(one, at))) again.add(refText(hpa));
    const written = await writeAll(ports, planned.filter(isSent), signal);
    for (const hpa of written.failed) again.add(refText(hpa));
    left = written.conflicts;
  }
  return new Set([...again, ...left.map(refText)]);
}

interface Planned {
  readonly hpa: HpaRef;
  readonly before: Notified | undefined;
  readonly after: Notified;
  readonly occurred: Advanced["occurred"];
}

async function planAll(store: NotifiedStore, { hpas, plan }: Work, signal: AbortSignal): Promise<readonly Planned[]> {
  const [known, entries] = await Promise.all([store.notified(hpas, signal), store.entries(hpas, signal)]);
  return hpas.flatMap((hpa) => {
    const before = known.get(refText(hpa));
    const { notified: after, occurred } = plan({ hpa, notified: before, entry: entries.get(refText(hpa)) });
    return after === undefined || after === before ? [] : [{ hpa, before, after, occurred }];
  });
}

async function writeAll(
  { store, reporter }: NotifyPorts,
  planned: readonly Planned[],
  signal: AbortSignal,
): Promise<{ readonly conflicts: readonly HpaRef[]; readonly failed: readonly HpaRef[] }> {
  const limited = limitConcurrency(concurrentWrites);
  const conflicts: HpaRef[] = [];
  const failed: HpaRef[] = [];
  await Promise.all(
    planned.map(({ hpa, before, after }) =>
      limited(async () => {
        try {
          const next = { ...after, version: after.version + 1 };
          if (!(await store.replace(before, next, signal))) conflicts.push(hpa);
        } catch (error) {
          if (!isFault(error)) throw error;
          reporter.warned(`${nameOf(hpa)}: notifications not remembered, so they may come again: ${error.message}`);
          failed.push(hpa);
        }
      }),
    ),
  );
  return { conflicts, failed };
}

/** @returns ids that must go again */
async function sendWithinHour(
  ports: NotifyPorts,
  settings: NotifySettings,
  events: readonly (readonly HpaNotification[])[],
  bounds: TimeBounds,
): Promise<ReadonlySet<string>> {
  const wanted = events.flat().length;
  if (wanted === 0) return new Set();
  const granted = await claim(ports, settings, wanted, bounds.signal);
  const first = events
    .flat()
    .sort((one, other) => (one.time < other.time ? -1 : 1))
    .slice(0, granted);
  const unsent = await send(ports, events, new Set(first), bounds);
  if (unsent.size > 0) await claim(ports, settings, -unsent.size, bounds.signal);
  return unsent;
}

const concurrentCalls = 4;

/** An HPA's next event waits for the one before. */
async function send(
  { publisher, reporter, now }: NotifyPorts,
  events: readonly (readonly HpaNotification[])[],
  chosen: ReadonlySet<HpaNotification>,
  bounds: TimeBounds,
): Promise<ReadonlySet<string>> {
  const unsent = new Set<string>();
  let left = events.map((list) => list.filter((event) => chosen.has(event))).filter((list) => list.length > 0);
  const limited = limitConcurrency(concurrentCalls);
  while (left.length > 0) {
    const wave = left.flatMap(([event]) => (event === undefined ? [] : [event]));
    const calls = batchesOf(wave).map((batch) =>
      limited(() => (now() < bounds.sendUntil ? publishAll(publisher, batch, bounds.signal) : late(batch))),
    );
    const refused = new Map((await Promise.all(calls)).flat());
    for (const [id, { message, isFinal }] of refused) {
      reporter.warned(`${id}: notification ${isFinal ? "refused, and not sent again" : "not sent yet"}: ${message}`);
      if (!isFinal) unsent.add(id);
    }
    if (refused.size > 0) reporter.unsent(refused.size);
    const stops = ([event]: readonly HpaNotification[]) => event !== undefined && unsent.has(event.id);
    for (const [, ...rest] of left.filter(stops)) for (const { id } of rest) unsent.add(id);
    left = left
      .filter((list) => !stops(list))
      .map(([, ...rest]) => rest)
      .filter((list) => list.length > 0);
  }
  return unsent;
}

function late(events: readonly CloudEvent[]): Promise<Refused> {
  return Promise.resolve(events.map(({ id }) => [id, { message: "the invocation has no time left", isFinal: false }]));
}

function batchesOf<T>(items: readonly T[]): readonly (readonly T[])[] {
  const count = Math.ceil(items.length / mostPublished);
  return Array.from({ length: count }, (_, at) => items.slice(at * mostPublished, (at + 1) * mostPublished));
}

type Refused = readonly (readonly [id: string, refusal: RefusedEvent])[];

/** A call that is refused as a whole goes again one by one: a single event may be the reason. */
async function publishAll(publisher: Publisher, events: readonly CloudEvent[], signal: AbortSignal): Promise<Refused> {
  try {
    return [...(await publisher.publish(events, signal))];
  } catch (error) {
    if (!isFault(error)) throw error;
    const isOwn = error.kind === "badEntry";
    if (!isOwn || events.length === 1)
      return events.map(({ id }) => [id, { message: error.message, isFinal: isOwn }] as const);
    const refused: (readonly [string, RefusedEvent])[] = [];
    for (const event of events) refused.push(...(await publishAll(publisher, [event], signal)));
    return refused;
  }
}

async function claim(
  ports: NotifyPorts,
  settings: NotifySettings,
  wanted: number,
  signal: AbortSignal,
): Promise<number> {
  const { store, publisher, now } = ports;
  const { hourlyCap: cap, stack } = settings;
  const report = async (over: NotifiedHour) => {
    await publisher.publish([leftOutEvent(over, cap, stack)], signal);
  };
  return claimHour(store, { at: now(), cap, wanted, report }, signal);
}

function nameOf({ cluster, key }: HpaRef): string {
  return `${cluster}: ${key}`;
}
