import { PlainAbortController } from "./abort";
import type { WorldClock } from "./clock";

/**
 * The code under test keeps its own timers and clocks: these take the place of Node's, and belong to the world that
 * runs. Worlds run one after another.
 */
let world: { readonly clock: WorldClock; tokens: number } | undefined;

export function enter(clock: WorldClock): void {
  world = { clock, tokens: 0 };
}

function here() {
  if (world === undefined) throw new Error("expected a world to run, got none");
  return world;
}

/** The bundle of the simulator has this for node:crypto's. */
export function randomUUID(): string {
  const entered = here();
  entered.tokens += 1;
  return `token-${entered.tokens}`;
}

/** A digest is the same in every run, and so is a certificate: these are Node's own. */
export { createHash, createHmac, timingSafeEqual, X509Certificate } from "node:crypto";

/** The bundle of the simulator has this for node:events'. */
export function setMaxListeners(): void {
  // PlainAbortController has no limit.
}

/** The bundle of the simulator has this for node:timers/promises'. */
function wait<T>(ms: number, value: T, { signal }: { readonly signal?: AbortSignal } = {}): Promise<T> {
  return new Promise((resolve, reject) => {
    const give = () => reject(Object.assign(new Error("the wait was aborted"), { name: "AbortError" }));
    if (signal?.aborted) return give();
    const { clock } = here();
    const entry = clock.after(ms, clock.current, () => {
      signal?.removeEventListener("abort", giveUp);
      resolve(value);
    });
    const giveUp = () => {
      clock.cancel(entry);
      give();
    };
    signal?.addEventListener("abort", giveUp, { once: true });
  });
}
export { wait as setTimeout };

export function takeOverTime(): void {
  const timers = {
    setTimeout: (run: () => void, ms = 0) => {
      const { clock } = here();
      // The clock counts whole milliseconds, as Node's does.
      const entry = clock.after(Math.ceil(ms), clock.current, run);
      return Object.assign(entry, { unref: () => entry });
    },
    clearTimeout: (entry: Parameters<WorldClock["cancel"]>[0] | undefined) => {
      if (entry !== undefined) here().clock.cancel(entry);
    },
    setInterval: () => {
      throw new Error("expected no interval in a function");
    },
  };
  Object.assign(globalThis, timers, { AbortController: PlainAbortController });
  const now = () => here().clock.seen();
  Object.assign(Date, { now });
  Object.assign(AbortSignal, {
    timeout: (ms: number) => {
      const controller = new AbortController();
      timers.setTimeout(() => controller.abort(new DOMException("timed out", "TimeoutError")), ms);
      return controller.signal;
    },
  });
  Object.assign(Math, {
    random: () => {
      throw new Error("expected nothing random outside a story");
    },
  });
}
