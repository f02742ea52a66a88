import type { WorldClock } from "../../test/faults/world/clock";
import { deliveryMs, initMs } from "./assumptions";
import { type Instance, openInstance, type Surroundings } from "./instance";
import { limits } from "./limits";

/** serverless.yml's params, and what the account allows. */
export interface Params {
  readonly syncMemory: number;
  readonly syncConcurrency: number;
  readonly syncBatchSize: number;
  readonly tickMemory: number;
  /** What the table takes in a second. */
  readonly table: { readonly reads: number; readonly writes: number };
  /**
   * AWS does not say how soon pollers scale back between two slots. "keep": those that a slot reached are there for the
   * next one. "five": each slot begins with five.
   */
  readonly pollers: "keep" | "five";
}

export interface Message {
  readonly body: string;
  receives: number;
}

export interface Worker {
  readonly instance: Instance;
  readonly number: number;
}

export interface EventSource {
  /** The message is visible from now on. */
  show(message: Message): void;
  readonly used: {
    invocations: number;
    starts: number;
    gbSeconds: number;
    inFlight: number;
    received: number;
  };
  readonly peaks: { concurrency: number; inFlight: number; backlog: number };
}

/** The pollers of the slot queue and the environments of `sync`. */
export function openEventSource(
  clock: WorldClock,
  params: Params,
  around: Surroundings,
  run: (worker: Worker, messages: readonly Message[]) => Promise<ReadonlySet<Message>>,
): EventSource {
  const { syncBatchSize, syncMemory } = params;
  const most = Math.min(params.syncConcurrency, limits.pollers.most, limits.lambda.concurrency);
  const visible: Message[] = [];
  let taken = 0;
  const idle: Worker[] = [];
  let active = 0;
  let pollers: number = Math.min(limits.pollers.first, most);
  let grows = false;
  let workers = 0;
  const used = { invocations: 0, starts: 0, gbSeconds: 0, inFlight: 0, received: 0 };
  const peaks = { concurrency: 0, inFlight: 0, backlog: 0 };
  const backlog = () => visible.length - taken;

  function pump(): void {
    if (around.pausedUntil > clock.now) return void clock.after(around.pausedUntil - clock.now + 1, undefined, pump);
    peaks.backlog = Math.max(peaks.backlog, backlog());
    while (backlog() > 0 && active < Math.floor(pollers)) receive();
    if (backlog() === 0) {
      visible.length = taken = 0;
      if (active === 0 && params.pollers === "five") pollers = Math.min(limits.pollers.first, most);
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
    peaks.concurrency = Math.max(peaks.concurrency, active);
    for (const message of batch) message.receives += 1;
    const warm = idle.pop();
    const worker = warm ?? { instance: openInstance(syncMemory, around), number: workers++ };
    if (warm === undefined) used.starts += 1;
    used.invocations += 1;
    const begun = deliveryMs + (warm === undefined ? initMs : 0);
    clock.after(begun, undefined, () => {
      const from = clock.now;
      void run(worker, batch).then((failed) => {
        used.gbSeconds += ((clock.now - from + begun - deliveryMs) / 1_000) * (syncMemory / 1_024);
        used.inFlight -= batch.length - failed.size;
        active -= 1;
        idle.push(worker);
        for (const message of failed) again(message);
        pump();
      });
    });
  }

  /** Sync makes a failed message visible after 3 s. After three receives it is a dead letter. */
  function again(message: Message): void {
    clock.after(3_000, undefined, () => {
      used.inFlight -= 1;
      if (message.receives < 3) show(message);
    });
  }

  function show(message: Message): void {
    visible.push(message);
    if (backlog() === 1 || active < Math.floor(pollers)) clock.after(0, undefined, pump);
  }

  return { show, used, peaks };
}
