import { openRetries, type Retries } from "../../lib/aws/http/retries";
import type { WorldClock } from "../../test/faults/world/clock";
import { latencyOf, type LatencyKind } from "./assumptions";
import type { CloudWatchModel, MetricsAsked } from "./cloudwatch";
import type { TableModel, Units } from "./dynamodb";
import { limits } from "./limits";

/** One request of a function to a backend. */
export interface SimulatedRequest {
  readonly operation: string;
  /** What reading the answer takes, in ms of a whole vCPU. */
  readonly cpuMs: number;
  /** Of the table. */
  readonly units?: Units;
  /** Of CloudWatch. */
  readonly metrics?: MetricsAsked;
  /** Requests of this kind in a row, that count as one here; default 1. `cpuMs` and `units` are of all of them. */
  readonly times?: number;
}

export type Answered = "answered" | "throttled";

/** What hears of each request, to play it back. */
export interface Listener {
  /** @returns the request's number. */
  issued(latency: LatencyKind): number;
  arrived(number: number, ask: SimulatedRequest): void;
  /** What happens until the next answer happens because of this one. */
  answered(number: number): void;
}

export interface Surroundings {
  readonly clock: WorldClock;
  readonly table: TableModel;
  readonly cloudwatch: CloudWatchModel;
  readonly random: () => number;
  /** How often each operation was asked for. */
  readonly counts: Map<string, number>;
  /** Until then, no service answers. */
  pausedUntil: number;
}

/** One execution environment of a function: a share of a vCPU that reads one answer after the other. */
export interface Instance {
  /** So far, as the function's `workedMs` counts: its time without a processor is work, too. */
  readonly workedMs: number;
  /** Of the table's client, and of CloudWatch's. */
  readonly retries: Retries;
  readonly metricRetries: Retries;
  listener: Listener | undefined;
  /** `arrive`: the request is at the backend, which says what it is worth and may throttle it. */
  request(
    latency: LatencyKind,
    arrive: () => SimulatedRequest,
    answered: (how: Answered) => void,
    times?: number,
  ): void;
  work(cpuMs: number, done: () => void): void;
}

/** Reading a refusal, in ms of a vCPU. */
const refusalCpuMs = 0.3;

export function openInstance(memory: number, around: Surroundings): Instance {
  const { clock, random, counts } = around;
  const slowness = Math.max(1, limits.lambda.mbPerVcpu / memory);
  let freeAt = 0;
  let worked = 0;

  function work(cpuMs: number, done: () => void): void {
    const takes = cpuMs * slowness;
    freeAt = Math.max(clock.now, freeAt) + takes;
    worked += takes;
    clock.after(freeAt - clock.now, undefined, done);
  }

  const instance: Instance = {
    listener: undefined,
    retries: openRetries(3),
    metricRetries: openRetries(2),
    get workedMs() {
      return worked - Math.max(0, freeAt - clock.now);
    },
    work,
    request(latency, arrive, answered, times = 1) {
      const { listener } = instance;
      const number = listener?.issued(latency) ?? 0;
      const reach = () => {
        if (around.pausedUntil > clock.now) return void clock.after(around.pausedUntil - clock.now, undefined, reach);
        const ask = arrive();
        counts.set(ask.operation, (counts.get(ask.operation) ?? 0) + (ask.times ?? 1));
        listener?.arrived(number, ask);
        const isTaken = isAdmitted(around, ask);
        work(isTaken ? ask.cpuMs : refusalCpuMs, () => {
          listener?.answered(number);
          answered(isTaken ? "answered" : "throttled");
        });
      };
      let waits = 0;
      for (let count = 0; count < times; count += 1) waits += latencyOf(latency, random);
      clock.after(waits, undefined, reach);
    },
  };
  return instance;
}

function isAdmitted({ clock, table, cloudwatch }: Surroundings, { units, metrics }: SimulatedRequest): boolean {
  if (metrics !== undefined) return cloudwatch.admit(metrics, clock.now);
  return units === undefined || table.admit(units, clock.now);
}
