import { deliveryMs, initMs, refusedRetryMs, type WarmChoice } from "./assumptions";
import type { Environments, Worker } from "./environments";
import type { Surroundings } from "./instance";
import { limits } from "./limits";

/** serverless.yml's params, and what the account allows. */
export interface Params {
  readonly syncMemory: number;
  readonly syncConcurrency: number;
  readonly syncBatchSize: number;
  readonly tickMemory: number;
  /** What the table takes in a second. */
  readonly table: { readonly reads: number; readonly writes: number };
  /** Calls of GetMetricData that CloudWatch answers in a second. */
  readonly metricCalls: number;
  /**
   * AWS does not say how soon pollers scale back between two slots. "keep": those that a slot reached are there for the
   * next one. "five": each slot begins with five. "all": as many as are needed are there from the beginning, as in
   * provisioned mode.
   */
  readonly pollers: "keep" | "five" | "all";
  readonly warm: WarmChoice;
}

export interface Message {
  readonly body: string;
  receives: number;
  /** When tick sent it. */
  readonly sentAt: number;
}

export interface EventSource {
  /** The message is visible from now on. */
  show(message: Message): void;
  readonly used: {
    invocations: number;
    gbSeconds: number;
    inFlight: number;
    received: number;
    dead: number;
    expired: number;
  };
  readonly peaks: { concurrency: number; inFlight: number; backlog: number };
}

type Settings = Pick<Params, "syncMemory" | "syncConcurrency" | "syncBatchSize" | "pollers"> & {
  /** Default: as infra/queues.yml has it. */
  readonly maxReceives?: number;
  readonly retentionMs?: number;
};

/** As slotVisibility in serverless.yml, and how soon functions/sync.ts lets a failed message return. */
const visibilityMs = 180_000;
const retrySoonMs = 3_000;

/** The pollers of the slot queue, which invoke `sync`. */
export function openEventSource(
  settings: Settings,
  around: Pick<Surroundings, "clock" | "pausedUntil">,
  environments: Environments,
  run: (worker: Worker, messages: readonly Message[]) => Promise<ReadonlySet<Message>>,
): EventSource {
  const { clock } = around;
  const { syncBatchSize, syncMemory, maxReceives = 5, retentionMs = 840_000 } = settings;
  const most = Math.min(settings.syncConcurrency, limits.pollers.most, limits.lambda.concurrency);
  const first = settings.pollers === "all" ? most : Math.min(limits.pollers.first, most);
  const visible: Message[] = [];
  let taken = 0;
  /** Batches that a poller holds, and those of them that are being run. */
  let active = 0;
  let running = 0;
  let pollers = first;
  let grows = false;
  const used = { invocations: 0, gbSeconds: 0, inFlight: 0, received: 0, dead: 0, expired: 0 };
  /** Of the last refusals in a row. */
  let backoffMs: number = refusedRetryMs.first;
  const peaks = { concurrency: 0, inFlight: 0, backlog: 0 };
  const backlog = () => visible.length - taken;

  function pump(): void {
    if (around.pausedUntil > clock.now) return void clock.after(around.pausedUntil - clock.now + 1, undefined, pump);
    peaks.backlog = Math.max(peaks.backlog, backlog());
    while (backlog() > 0 && active < Math.floor(pollers) && used.inFlight < limits.sqs.inFlight) receive();
    if (backlog() === 0) {
      visible.length = taken = 0;
      if (active === 0 && settings.pollers === "five") pollers = first;
    } else if (!grows && pollers < most) {
      grows = true;
      clock.after(60_000 / limits.pollers.morePerMinute, undefined, () => {
        grows = false;
        if (backlog() > 0) pollers = Math.min(most, pollers + 1);
        pump();
      });
    }
  }

  function receive(): void {
    const batch = visible.slice(taken, taken + syncBatchSize);
    taken += batch.length;
    active += 1;
    used.received += batch.length;
    used.inFlight += batch.length;
    peaks.inFlight = Math.max(peaks.inFlight, used.inFlight);
    for (const message of batch) message.receives += 1;
    invoke(batch);
  }

  function invoke(batch: readonly Message[]): void {
    const given = environments.take();
    if (given === undefined) {
      pollers = Math.max(Math.min(limits.pollers.first, most), pollers - 1);
      for (const message of batch) again(message, visibilityMs);
      clock.after(backoffMs, undefined, () => {
        active -= 1;
        pump();
      });
      backoffMs = Math.min(2 * backoffMs, refusedRetryMs.longest);
      return;
    }
    backoffMs = refusedRetryMs.first;
    const { worker, isCold } = given;
    used.invocations += 1;
    running += 1;
    peaks.concurrency = Math.max(peaks.concurrency, running);
    clock.after(deliveryMs + (isCold ? initMs : 0), undefined, () => {
      const from = clock.now;
      void run(worker, batch).then((failed) => {
        const ran = clock.now - from + (isCold ? initMs : 0);
        used.gbSeconds += (ran / 1_000) * (syncMemory / 1_024);
        running -= 1;
        environments.give(worker);
        over(batch, failed);
      });
    });
  }

  function over(batch: readonly Message[], failed: ReadonlySet<Message>): void {
    used.inFlight -= batch.length - failed.size;
    active -= 1;
    for (const message of failed) again(message, retrySoonMs);
    pump();
  }

  function again(message: Message, hiddenMs: number): void {
    clock.after(hiddenMs, undefined, () => {
      used.inFlight -= 1;
      if (clock.now - message.sentAt >= retentionMs) used.expired += 1;
      else if (message.receives < maxReceives) show(message);
      else used.dead += 1;
    });
  }

  function show(message: Message): void {
    visible.push(message);
    if (backlog() === 1 || active < Math.floor(pollers)) clock.after(0, undefined, pump);
  }

  return { show, used, peaks };
}
