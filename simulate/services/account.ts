import type { WorldClock } from "../../test/faults/world/clock";
import { throttledEventMs } from "./assumptions";

/** The concurrent executions of an account in a region. */
export interface Account {
  /** Whether the function may run once more now. */
  take(name: string): boolean;
  give(name: string): void;
  /** How often each function was refused. */
  readonly refused: Readonly<Record<string, number>>;
}

/** Functions with a reservation have that and no more; all others share the rest. */
export function openAccount(executions: number, reserved: Readonly<Record<string, number>> = {}): Account {
  const refused: Record<string, number> = {};
  const sum = Object.values(reserved).reduce((total, own) => total + own, 0);
  const free = { ...reserved, "": executions - sum };
  const pool = (name: string) => (Object.hasOwn(reserved, name) ? name : "") as keyof typeof free;
  return {
    refused,
    take(name) {
      if (free[pool(name)] > 0) {
        free[pool(name)] -= 1;
        return true;
      }
      refused[name] = (refused[name] ?? 0) + 1;
      return false;
    },
    give: (name) => void (free[pool(name)] += 1),
  };
}

interface Events {
  readonly clock: WorldClock;
  readonly account: Account;
  readonly name: string;
  /** Lambda drops an event that it could not hand over by then. */
  readonly maximumAgeMs: number;
}

/** Asynchronous invocations, as a schedule makes them: Lambda keeps an event that it cannot start, and tries again. */
export function openEvents({ clock, account, name, maximumAgeMs }: Events) {
  const figures = { lost: 0, longestWaitMs: 0 };
  function begin(run: () => Promise<unknown>, since: number, waitMs: number): void {
    if (account.take(name)) {
      figures.longestWaitMs = Math.max(figures.longestWaitMs, clock.now - since);
      void run().finally(() => account.give(name));
      return;
    }
    if (clock.now + waitMs - since > maximumAgeMs) return void (figures.lost += 1);
    const next = Math.min(2 * waitMs, throttledEventMs.longest);
    clock.after(waitMs, undefined, () => begin(run, since, next));
  }
  return { figures, begin: (run: () => Promise<unknown>) => begin(run, clock.now, throttledEventMs.first) };
}

/** Another function of the account, of which many run at the same time. */
export interface Neighbour {
  /** So many want to run, for so long of each cycle. */
  readonly wants: number;
  readonly busyMs: number;
  readonly everyMs: number;
  /** What one invocation takes, and how soon a refused caller tries again. */
  readonly runsMs: number;
  readonly againMs: number;
}

/** Each of its callers has one invocation at a time, and the next one when that ends. */
export function moveIn(neighbour: Neighbour, around: Pick<Events, "clock" | "account"> & { random: () => number }) {
  const { clock, account, random } = around;
  const since = clock.now;
  const isBusy = () => (clock.now - since) % neighbour.everyMs < neighbour.busyMs;
  const about = (ms: number) => ms * (0.5 + random());
  function call(): void {
    if (!isBusy()) {
      const left = neighbour.everyMs - ((clock.now - since) % neighbour.everyMs);
      return void clock.after(left + about(100), undefined, call);
    }
    if (!account.take("neighbour")) return void clock.after(about(neighbour.againMs), undefined, call);
    clock.after(about(neighbour.runsMs), undefined, () => {
      account.give("neighbour");
      call();
    });
  }
  for (let caller = 0; caller < neighbour.wants; caller += 1) clock.after(about(1_000), undefined, call);
}
