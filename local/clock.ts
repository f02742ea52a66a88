import { isFault } from "../lib/model/fault";

/** Real in the demo; tests advance it. */
export interface Clock {
  /** Epoch ms. */
  now(): number;
  /** @returns a function that cancels it */
  after(ms: number, task: () => void): () => void;
}

interface RealClock extends Clock {
  close(): void;
}

export function realClock(): RealClock {
  const timers = new Set<NodeJS.Timeout>();
  let closed = false;
  return {
    now: () => Date.now(),
    after(ms, task) {
      if (closed) return () => undefined;
      const timer = setTimeout(() => {
        timers.delete(timer);
        try {
          task();
        } catch (error) {
          // The journal's own report ends the run.
          if (!isFault(error)) throw error;
        }
      }, ms);
      timers.add(timer);
      return () => {
        timers.delete(timer);
        clearTimeout(timer);
      };
    },
    close() {
      closed = true;
      for (const timer of timers) clearTimeout(timer);
      timers.clear();
    },
  };
}

export interface ManualClock extends Clock {
  /** Runs each task at its moment, ordered by time and then by arrival. */
  advance(ms: number): void;
}

interface Appointment {
  readonly at: number;
  readonly task: () => void;
}

export function manualClock(start: number): ManualClock {
  let now = start;
  const appointments = new Set<Appointment>();

  const nextUntil = (end: number): Appointment | undefined => {
    let next: Appointment | undefined;
    for (const appointment of appointments) {
      if (appointment.at <= end && (next === undefined || appointment.at < next.at)) next = appointment;
    }
    return next;
  };

  return {
    now: () => now,
    after(ms, task) {
      const appointment = { at: now + Math.max(0, ms), task };
      appointments.add(appointment);
      return () => appointments.delete(appointment);
    },
    advance(ms) {
      const end = now + ms;
      for (let next = nextUntil(end); next !== undefined; next = nextUntil(end)) {
        appointments.delete(next);
        now = Math.max(now, next.at);
        next.task();
      }
      now = end;
    },
  };
}
