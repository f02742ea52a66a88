import type { HpaSpec } from "../../lib/k8s/hpa";
import type { MetricRules } from "../../lib/model/metric/metric-rules";
import type { MetricSources, SourceQuery, SourceReader, ReadContext } from "../../lib/model/ports/sources";
import { openSqsSource } from "../../lib/sources/sqs/sqs";
import { sqs } from "../../lib/sources/sqs/kind";
import { openPoll } from "../../lib/poller/poll";
import { openPolledQueries, type ZeroId } from "../../lib/poller/polled-queries";
import { manualClock } from "../../local/clock";
import { startConsumer } from "../../local/demo/metrics-server";
import { seededRandom } from "../../local/random";
import type { PodProcess } from "../../local/backends/kubernetes/controllers/pod-lifecycle";
import { accountClient } from "../fakes/sqs/account-client";
import { asReported, staleAccount, type Staleness } from "../fakes/sqs/stale-account";
import { dice } from "../faults/stories/dice";
import { document, fixture, periodMs, queueSpec, slotAt, start } from "./sync-fixture";

/** Slots and the zero-scale poller over a queue whose counts lag and spike as SQS's do, in virtual time. */
const minuteMs = 60_000;
const weekMs = 7 * 24 * 60 * minuteMs;
const visibilityMs = 900_000;
const { signal } = new AbortController();

const spec: HpaSpec = {
  ...queueSpec,
  metrics: [
    {
      type: "External",
      external: {
        metric: { name: "sqs", selector: { matchLabels: { queue: "work" } } },
        target: { type: "AverageValue", averageValue: "5" },
      },
    },
  ],
  behavior: { scaleDown: { stabilizationWindowSeconds: 0 } },
};

export interface Given {
  readonly seed: number;
  readonly staleness?: Partial<Staleness>;
  /** Of the HPA's annotation. Default: none, as users have it. */
  readonly rules?: MetricRules;
}

interface Scaled {
  readonly at: number;
  readonly to: number;
  readonly by: "slot" | "poller";
}

export function openStory({ seed, staleness, rules }: Given) {
  const clock = manualClock(start);
  const account = staleAccount({ clock, random: seededRandom(seed) }, { seed, ...asReported, ...staleness });
  const queue = account.create("work", { VisibilityTimeout: String(visibilityMs / 1_000) });
  const day = fixture({ spec, replicas: 1 });
  const annotations = {
    "ebb.dev/wake": "fast",
    ...(rules !== undefined && { "ebb.dev/metric-rules": JSON.stringify({ sqs: rules }) }),
  };
  const entry = document(spec) as { metadata: object };
  day.store.documents.set("prod shop/orders", { ...entry, metadata: { ...entry.metadata, annotations } });
  const client = accountClient(account);
  const { isBuiltIn, settleMs } = sqs;
  const source = openSqsSource(() => client, { now: () => clock.now() });
  /** The first of the empty readings in a row until now. */
  let emptySince = Infinity;
  const read = async (reader: SourceReader, query: SourceQuery) => {
    const reading = await reader.read(query);
    const isEmpty = "items" in reading && reading.items[0]?.value === "0";
    emptySince = isEmpty ? Math.min(emptySince, clock.now()) : Infinity;
    return reading;
  };
  const open = (context: ReadContext) => {
    const reader = source.open(context);
    return { read: (query: SourceQuery) => read(reader, query) };
  };
  const sources: MetricSources = { sqs: { ...source, open, isBuiltIn, ...(settleMs && { settleMs }) } };
  const over = { sources, poller: { byDefault: false } };

  const scaled: Scaled[] = [];
  /** Zeros while there was work that was there in each of the empty readings before. */
  const lost: string[] = [];
  let size = 1;

  function noteSize(by: Scaled["by"]): void {
    const to = day.replicasNow() ?? 0;
    if (to === size) return;
    size = to;
    scaled.push({ at: clock.now(), to, by });
    if (to > 0) return;
    const now = clock.now();
    for (const { sentAt, visibleAt, receiveCount } of queue.messages()) {
      const changedAt = receiveCount > 0 ? visibleAt - visibilityMs : sentAt;
      // Sent two minutes ago, it was visible or in flight for a whole minute of them.
      if (now - sentAt >= 2 * minuteMs || changedAt <= emptySince)
        lost.push(`${(now - start) / 1_000} s: sent ${now - sentAt} ms and changed ${now - changedAt} ms before`);
    }
  }

  async function slot(index: number): Promise<void> {
    clock.advance(Math.max(0, slotAt(index) + 200 - clock.now()));
    await day.sync(index, over);
    noteSize("slot");
  }

  const found: ZeroId[] = [];
  const ports = { clusters: { connect: () => Promise.reject(new Error("none")) }, sources, priceOf: () => 0 };
  const reporter = { failed: ({ message }: { readonly message: string }) => void lost.push(message) };
  const polled = openPolledQueries({ ...ports, store: day.store, reporter }, () => clock.now());
  let polls = openPoll(
    ports,
    { now: () => clock.now(), found: (ids) => void found.push(...ids), noted: () => undefined },
    clock.now(),
  );
  const woken: number[] = [];

  /** One second of the poller: it reads what is at zero, and what it finds is synced at once. */
  async function pollAt(at: number): Promise<void> {
    clock.advance(Math.max(0, at - clock.now()));
    if (size > 0) return;
    await polled.reload(signal);
    const intervals = new Map(polled.queries().map(({ id }) => [id, 1_000]));
    await polls.read(polls.due(polled.queries(), { intervals }, at), at, signal);
    if (found.splice(0).length === 0) return;
    woken.push(at);
    await day.wake(at, over);
    noteSize("poller");
  }

  /** A slot, and the rounds until the next one. */
  async function slotWithPolls(index: number): Promise<void> {
    await slot(index);
    for (let second = 1; second < periodMs / 1_000; second += 1) await pollAt(slotAt(index) + second * 1_000 + 300);
  }

  const nextPoller = () => {
    polls = openPoll(
      ports,
      { now: () => clock.now(), found: (ids) => void found.push(...ids), noted: () => undefined },
      clock.now(),
    );
  };
  return {
    ...{ clock, account, queue, day, scaled, lost, woken, slot, slotWithPolls, nextPoller },
    sizeNow: () => size,
  };
}

/** An hour of bursts, from one message to many, of seconds to minutes of work each, and of quiet in between. */
export async function busyHour(given: Given & { readonly slots: number; readonly isPolled?: true }) {
  const story = openStory(given);
  const { clock, queue } = story;
  const roll = dice(seededRandom(given.seed + 1_000_000));
  const consumers: PodProcess[] = [];
  let [sent, processed] = [0, 0];

  function burst(): void {
    const messages = roll.pick([1, 1, 2, roll.between(1, 20)]);
    for (let nth = 0; nth < messages; nth += 1) {
      clock.after(roll.between(0, 3_000), () => {
        queue.send("work");
        sent += 1;
      });
    }
    clock.after(roll.pick([roll.between(5_000, 60_000), roll.between(60_000, 600_000)]), burst);
  }
  /** Pods take a while to start, and finish their message before they end. */
  function follow(): void {
    const wanted = story.sizeNow();
    while (consumers.length > wanted) consumers.pop()?.stop(() => undefined);
    while (consumers.length < wanted) {
      const consumer = { stopped: false, process: undefined as PodProcess | undefined };
      clock.after(roll.between(1_000, 40_000), () => {
        if (consumer.stopped) return;
        const serviceMs = () => roll.pick([roll.between(1_000, 20_000), roll.between(30_000, 300_000)]);
        consumer.process = startConsumer({ ...{ queue, clock, serviceMs }, onProcessed: () => void (processed += 1) });
      });
      consumers.push({
        stop(done) {
          consumer.stopped = true;
          consumer.process?.stop(done);
        },
        kill: () => consumer.process?.kill(),
      });
    }
  }

  clock.after(1_000, burst);
  for (let index = 1; index <= given.slots; index += 1) {
    await (given.isPolled ? story.slotWithPolls(index) : story.slot(index));
    if (index % 4 === 0) story.nextPoller();
    follow();
  }
  return { ...story, sent: () => sent, processed: () => processed };
}

/** Weeks of a queue without a message. Between the spikes nothing changes, so only their surroundings are lived. */
export async function idleWeeks(given: Given & { readonly weeks: number }) {
  const story = openStory(given);
  const { account } = story;
  for (let index = 1; index <= 6; index += 1) await story.slot(index);
  expect(story.sizeNow()).toBe(0);
  const until = given.weeks * weekMs;
  const spikes = (["inFlight", "visible"] as const).flatMap((count) => account.spikesOf("work", count, start + until));
  let index = 6;
  for (const { from, to } of spikes.sort((a, b) => a.from - b.from)) {
    index = Math.max(index, Math.floor((from - start) / periodMs) - 2);
    for (; slotAt(index) < to + 2 * minuteMs; index += 1) await story.slotWithPolls(index);
    story.nextPoller();
  }
  const { scaled, woken } = story;
  return { spikes, woken, starts: scaled.filter(({ to, at }) => to > 0 && at > slotAt(6)) };
}
