import type { WorldClock } from "../../test/faults/world/clock";
import { sqsConcurrency } from "../../lib/sources/sqs/sqs";
import { cpu } from "./assumptions";
import type { Ask, Instance } from "./instance";
import type { RecordedAsk, Trace } from "./recording";

/** One slot of one shard, played back. */
export interface Playing {
  readonly trace: Trace;
  readonly instance: Instance;
  readonly clock: WorldClock;
  /** Of the cluster's items. */
  readonly partition: string;
  /** The process has not read this cluster: it asks for what the cluster serves. */
  readonly isCold: boolean;
  /** The process has read no queue: the first ones, which are under way together, ask for their URLs. */
  readonly isNew: boolean;
  /** HPAs that earlier slots left behind: their states are written as well. */
  readonly owed: number;
  readonly until: number;
  /** `behind`: HPAs whose slot was over first, or whose write failed. */
  readonly finish: (behind: number) => void;
  /** `failed`: the load or the finishing write was refused to the end. */
  readonly done: (failed: boolean) => void;
}

const urlAsk: Ask = { operation: "sqs GetQueueUrl", cpuMs: 0.25 };
const discoveryAsk: Ask = { operation: "kubernetes GET discovery", cpuMs: cpu.kubernetes };
const owedAsk = { operation: "dynamodb PutItem", cpuMs: cpu.write };
/** As lib/sync: a second, or a quarter of what is left, is for recording. */
const recordingMs = (remaining: number) => Math.min(1_000, remaining / 4);

/**
 * Sends the requests of a recorded slot again, each when its cause has happened. They take the time, the units and the
 * CPU that this instance and this table have now. At the end of the slot's time, what was not read is behind.
 */
export function play({ trace, instance, clock, partition, isCold, isNew, owed, until, finish, done }: Playing): void {
  const { asks, next, stages } = trace;
  let urls = isNew ? sqsConcurrency : 0;
  let stage = 0;
  const finishing = asks[trace.finish] as RecordedAsk;
  let open = 0;
  let isOver = false;
  let isFinishing = false;
  let unread = asks.reduce(
    (sum, { operation, times = 1 }) => sum + (operation === "sqs GetQueueAttributes" ? times : 0),
    0,
  );
  let unwritten = 0;
  let owes = owed;

  const cut = clock.after(until - clock.now - recordingMs(until - clock.now), undefined, () => {
    if (isFinishing || isOver) return;
    isFinishing = true;
    // Nobody pays any more: the next slot does.
    unwritten += owes;
    owes = 0;
    send(finishing, trace.finish);
  });

  function end(failed: boolean): void {
    if (isOver) return;
    isOver = true;
    clock.cancel(cut);
    done(failed);
  }

  function issue(at: number): void {
    if (isOver || (isFinishing && at < trace.finish)) return;
    const ask = asks[at] as RecordedAsk;
    if (at === trace.finish) {
      if (isFinishing) return;
      if (owes > 0) return payAll(() => issue(at));
      isFinishing = true;
    }
    const isList = isCold && ask.operation === "kubernetes LIST";
    const needsUrl = urls > 0 && ask.operation === "sqs GetQueueAttributes";
    if (!isList && !needsUrl) return send(ask, at);
    const times = isList ? 1 : Math.min(urls, ask.times ?? 1);
    if (needsUrl) urls -= times;
    const first: Ask = isList ? discoveryAsk : { ...urlAsk, cpuMs: urlAsk.cpuMs * times, times };
    const latency = isList ? "kubernetes" : "queueAttributes";
    open += 1;
    instance.request(
      latency,
      () => first,
      () => {
        open -= 1;
        if (!isOver) send(ask, at);
      },
      times,
    );
  }

  function send(ask: RecordedAsk, at: number, attempts = 1): void {
    const { units } = ask;
    open += 1;
    const own: Ask =
      units === undefined || units.partition === "SHARD" ? ask : { ...ask, units: { ...units, partition } };
    instance.request(
      ask.latency,
      () => own,
      (how) => {
        open -= 1;
        if (isOver) return;
        if (how === "answered") return answered(ask, at);
        const delay = instance.retries.delayMs(refusal, attempts);
        if (delay === undefined) return refused(ask, at);
        open += 1;
        clock.after(delay, undefined, () => {
          open -= 1;
          send(ask, at, attempts + 1);
        });
      },
      ask.times,
    );
  }

  function answered(ask: RecordedAsk, at: number): void {
    instance.retries.succeeded(1);
    if (ask.operation === "sqs GetQueueAttributes") unread -= ask.times ?? 1;
    if (at === trace.finish) finish(unread + unwritten);
    goOn(at);
  }

  function goOn(at: number): void {
    for (const each of next[at] ?? []) issue(each);
    if (open > 0 || isOver) return;
    const following = stages[stage];
    stage += 1;
    if (following === undefined) return end(false);
    for (const each of following) issue(each);
    // What a cut slot leaves out.
    if (open === 0 && owes === 0) goOn(at);
  }

  function refused(ask: RecordedAsk, at: number): void {
    const isWrite = (ask.units?.writes ?? 0) > 0;
    if (!isWrite || at === trace.finish) return end(true);
    unwritten += ask.times ?? 1;
    goOn(at);
  }

  /** 32 at a time, as lib/sync writes. */
  function payAll(then: () => void): void {
    let left = owes;
    owes = 0;
    let paying = 0;
    open += 1;
    const pay = () => {
      if (isOver) return;
      if (left === 0) {
        if (paying > 0) return;
        open -= 1;
        return then();
      }
      left -= 1;
      paying += 1;
      const units = { reads: 0, writes: 2, partition };
      instance.request(
        "item",
        () => ({ ...owedAsk, units }),
        (how) => {
          paying -= 1;
          if (how !== "answered") unwritten += 1;
          pay();
        },
      );
    };
    for (let lane = 0; lane < 32 && left > 0; lane += 1) pay();
  }

  for (const each of stages[stage++] ?? []) issue(each);
}

const refusal = { name: "ProvisionedThroughputExceededException", $metadata: { httpStatusCode: 400 } };
