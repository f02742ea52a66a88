import type { WorldClock } from "../../test/faults/world/clock";
import { sqsConcurrency } from "../../lib/sources/sqs/sqs";
import { cpu } from "../services/assumptions";
import type { Answered, SimulatedRequest, Instance } from "../services/instance";
import type { RecordedRequest, Trace } from "./recording";

/** One slot of one shard, played back. */
export interface Playing {
  readonly trace: Trace;
  /** CloudWatch's answer to the shard's call. */
  readonly metricsRead: (isAnswered: boolean) => void;
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

const urlAsk: SimulatedRequest = { operation: "sqs GetQueueUrl", cpuMs: 0.25 };
const discoveryAsk: SimulatedRequest = { operation: "kubernetes GET discovery", cpuMs: cpu.kubernetes };
/** A state that is written again. */
const stateUnits = 2;
/** As lib/sync: a second, or a quarter of what is left, is for recording. */
const recordingMs = (remaining: number) => Math.min(1_000, remaining / 4);

/**
 * Sends the requests of a recorded slot again, each when its cause has happened. They take the time, the units and the
 * CPU that this instance and this table have now. At the end of the slot's time, what was not read is behind.
 */
export function play(playing: Playing): void {
  const { trace, instance, clock, partition, isCold, isNew, owed, until, finish, done } = playing;
  const { asks, next, stages } = trace;
  let urls = isNew ? sqsConcurrency : 0;
  let stage = 0;
  const finishing = asks[trace.finish] as RecordedRequest;
  let open = 0;
  let isOver = false;
  let isFinishing = false;
  let unread = asks.reduce(
    (sum, { operation, times = 1 }) => sum + (operation === "sqs GetQueueAttributes" ? times : 0),
    0,
  );
  let unwritten = 0;
  /** Writes before the slot is finished, in units of the table. */
  let owes: number[] = Array.from({ length: owed }, () => stateUnits);

  const cut = clock.after(until - clock.now - recordingMs(until - clock.now), undefined, () => {
    if (isFinishing || isOver) return;
    isFinishing = true;
    // Nobody pays any more: the next slot does.
    unwritten += Math.min(owed, owes.length);
    owes = [];
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
    const ask = asks[at] as RecordedRequest;
    if (at === trace.finish) {
      if (isFinishing) return;
      if (owes.length > 0) return payAll(() => issue(at));
      isFinishing = true;
    }
    const isList = isCold && ask.operation === "kubernetes LIST";
    const needsUrl = urls > 0 && ask.operation === "sqs GetQueueAttributes";
    if (!isList && !needsUrl) return send(ask, at);
    const times = isList ? 1 : Math.min(urls, ask.times ?? 1);
    if (needsUrl) urls -= times;
    const first: SimulatedRequest = isList ? discoveryAsk : { ...urlAsk, cpuMs: urlAsk.cpuMs * times, times };
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

  function send(ask: RecordedRequest, at: number, attempts = 1): void {
    const { units } = ask;
    open += 1;
    const own: SimulatedRequest =
      units === undefined || units.partition === "SHARD" ? ask : { ...ask, units: { ...units, partition } };
    instance.request(
      ask.latency,
      () => own,
      (how) => {
        open -= 1;
        if (isOver) return;
        if (how === "answered") return answered(ask, at);
        const retries = ask.metrics === undefined ? instance.retries : instance.metricRetries;
        const delay = retries.delayMs(refusal, attempts);
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

  function answered(ask: RecordedRequest, at: number): void {
    if (ask.metrics === undefined) instance.retries.succeeded(1);
    else {
      instance.metricRetries.succeeded(1);
      follow("answered");
    }
    if (ask.operation === "sqs GetQueueAttributes") unread -= ask.times ?? 1;
    if (at === trace.finish) finish(unread + unwritten);
    goOn(at);
  }

  function goOn(at: number): void {
    for (const each of next[at] ?? []) issue(each);
    advance();
  }

  /** Once nothing is under way. A slot that was cut leaves requests out, and so whole stages. */
  function advance(): void {
    while (open === 0 && !isOver) {
      const following = stages[stage];
      stage += 1;
      if (following === undefined) return end(false);
      for (const each of following) issue(each);
    }
  }

  function refused(ask: RecordedRequest, at: number): void {
    if (ask.metrics !== undefined) {
      follow("throttled");
      return goOn(at);
    }
    const isWrite = (ask.units?.writes ?? 0) > 0;
    if (!isWrite || at === trace.finish) return end(true);
    unwritten += ask.times ?? 1;
    goOn(at);
  }

  function follow(how: Answered): void {
    playing.metricsRead(how === "answered");
    const { count, units } = trace.onMetrics?.[how] ?? { count: 0, units: 0 };
    owes = [...owes, ...Array.from({ length: count }, () => units / count)];
  }

  /** 32 at a time, as lib/sync writes. */
  function payAll(then: () => void): void {
    let paying = 0;
    open += 1;
    const pay = () => {
      if (isOver) return;
      const writes = owes.pop();
      if (writes === undefined) {
        if (paying > 0) return;
        open -= 1;
        then();
        return advance();
      }
      paying += 1;
      write(writes, 1, (isWritten) => {
        paying -= 1;
        if (!isWritten) unwritten += 1;
        pay();
      });
    };
    for (let lane = 0; lane < 32 && owes.length > 0; lane += 1) pay();
  }

  function write(writes: number, attempts: number, done: (isWritten: boolean) => void): void {
    const ask: SimulatedRequest = {
      operation: "dynamodb PutItem",
      cpuMs: cpu.write,
      units: { reads: 0, writes, partition },
    };
    instance.request(
      "item",
      () => ask,
      (how) => {
        const delay = how === "answered" ? undefined : instance.retries.delayMs(refusal, attempts);
        if (delay === undefined) return done(how === "answered");
        clock.after(delay, undefined, () => write(writes, attempts + 1, done));
      },
    );
  }

  for (const each of stages[stage++] ?? []) issue(each);
}

const refusal = { name: "ProvisionedThroughputExceededException", $metadata: { httpStatusCode: 400 } };
