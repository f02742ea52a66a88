import type { WarmChoice } from "./assumptions";
import type { Account } from "./account";
import { openInstance, type Instance, type Surroundings } from "./instance";
import { limits } from "./limits";
import { openBucket, openPeak } from "./rates";

/** One environment of a function. */
export interface Worker {
  readonly instance: Instance;
  readonly number: number;
}

export interface Environments {
  /** For one invocation. Undefined: Lambda refuses it (429), because it starts or invokes no more now. */
  take(): { readonly worker: Worker; readonly isCold: boolean } | undefined;
  /** The invocation is over. */
  give(worker: Worker): void;
  /** The function's code is replaced: environments that are busy end with their invocation. */
  replace(): void;
  readonly starts: number;
  readonly refused: number;
  /** The most in ten seconds. */
  readonly mostStarts: number;
}

export interface EnvironmentOptions {
  readonly memory: number;
  readonly warm: WarmChoice;
  readonly startsPerTenSeconds?: number;
  /** Where sync competes with other functions. Default: it has what it needs. */
  readonly account?: Account | undefined;
}

/**
 * The environments of one function, and how fast Lambda adds more. None ends for being idle: AWS keeps it for longer
 * than a simulation lasts.
 */
export function openEnvironments(around: Surroundings, options: EnvironmentOptions): Environments {
  const { clock } = around;
  const { startsPerTenSeconds = limits.lambda.startsPerTenSeconds } = options;
  const starts = openBucket(startsPerTenSeconds / 10, startsPerTenSeconds);
  const invocations = openBucket(limits.lambda.invocationsPerSecond * limits.lambda.concurrency);
  const peak = openPeak(10_000);
  let idle: Worker[] = [];
  let current = new Set<Worker>();
  let count = 0;
  let refused = 0;

  function warmOne(): Worker | undefined {
    if (options.warm === "last" || idle.length === 0) return idle.pop();
    const at = Math.floor(around.random() * idle.length);
    const chosen = idle[at];
    idle[at] = idle.at(-1) as Worker;
    idle.pop();
    return chosen;
  }

  return {
    get starts() {
      return count;
    },
    get refused() {
      return refused;
    },
    get mostStarts() {
      return peak.most;
    },
    take() {
      const mayStart = idle.length > 0 || starts.left(clock.now) >= 1;
      const hasRoom = mayStart && invocations.left(clock.now) >= 1 && (options.account?.take("sync") ?? true);
      if (!hasRoom) {
        refused += 1;
        return undefined;
      }
      invocations.take(1);
      const warm = warmOne();
      if (warm !== undefined) return { worker: warm, isCold: false };
      starts.take(1);
      peak.note(1, clock.now);
      const worker = { instance: openInstance(options.memory, around), number: count++ };
      current.add(worker);
      return { worker, isCold: true };
    },
    give(worker) {
      options.account?.give("sync");
      if (current.has(worker)) idle.push(worker);
    },
    replace() {
      idle = [];
      current = new Set();
    },
  };
}
