import { cpuMs } from "./processes";

/** CPU time of some processes over time, so that a round can be cut out of it once it is over. */
export interface CpuLog {
  /** Milliseconds of each process from just before `from` to just after `to`, both of `performance.now()`. */
  between(from: number, to: number): Promise<Readonly<Record<string, number>>>;
  stop(): void;
}

const everyMs = 50;
/** A process that answers last works a little longer. The same for both sides. */
const afterMs = 300;

export function startCpuLog(pids: Readonly<Record<string, number>>): CpuLog {
  const samples: { readonly at: number; readonly cpu: Readonly<Record<string, number>> }[] = [];
  const sample = () => {
    const cpu = Object.fromEntries(Object.entries(pids).map(([name, pid]) => [name, cpuMs(pid)]));
    samples.push({ at: performance.now(), cpu });
  };
  sample();
  const timer = setInterval(sample, everyMs);
  return {
    async between(from, to) {
      while (performance.now() < to + afterMs + everyMs) await new Promise((done) => setTimeout(done, everyMs));
      const before = samples.findLast(({ at }) => at <= from) ?? samples[0];
      const after = samples.find(({ at }) => at >= to + afterMs) ?? samples.at(-1);
      return Object.fromEntries(
        Object.keys(pids).map((name) => [name, (after?.cpu[name] ?? NaN) - (before?.cpu[name] ?? NaN)]),
      );
    },
    stop: () => clearInterval(timer),
  };
}
