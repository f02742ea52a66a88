import { onAbort } from "../../../lib/async/within-time";
import type { Incident, Story } from "../stories/story";
import type { Process, WorldClock } from "./clock";

/** One run of a function in a process. */
export interface Invocation {
  readonly id: number;
  readonly fn: Incident["fn"];
  readonly process: Instance;
  readonly startedAt: number;
  /** The bodies of its messages; empty for other functions. */
  readonly bodies: readonly string[];
  /** Of its calls. */
  readonly names: string[];
  readonly incidents: readonly Incident[];
  isOver: boolean;
}

export interface Instance extends Process {
  invocation: Invocation | undefined;
}

export interface Call<T> {
  /** "table", "cluster", "queue", "source": with the method, for traces. */
  readonly name: string;
  readonly signal: AbortSignal | undefined;
  /** Attempts that the backend's client makes by itself. */
  readonly attempts?: number;
  /** What the backend does with the request. Rejections are answers, too. `attempt`: which one arrives. */
  readonly arrive: (attempt: number) => T | Promise<T>;
  /** The request is on its way: sooner or later it arrives. */
  readonly onSent?: () => void;
  /** What the caller sees. `attempt`: how many were made. */
  readonly failure: (outcome: Outcome, attempt: number) => Error;
  /** After this long without an answer, the client gives an attempt up. */
  readonly limitMs: number;
}

/** `effect`: whether the backend did it. */
export type Outcome =
  | { readonly kind: "refused" | "failedAfter"; readonly variant: number }
  | { readonly kind: "noAnswer" }
  | { readonly kind: "aborted"; readonly isSent: boolean };

export type Wire = <T>(call: Call<T>) => Promise<T>;

export interface WireDeps {
  readonly clock: WorldClock;
  readonly story: Pick<Story, "seed" | "incidents" | "faultsEndMs">;
  readonly epoch: number;
  readonly trace: (line: string) => void;
  /** A process called although it has no invocation. */
  readonly onUnconfirmed: (name: string, process: Process | undefined) => void;
  readonly onCall: (invocation: Invocation, name: string) => void;
  readonly onKill: (process: Instance) => void;
}

const never = new Promise<never>(() => undefined);

/** Between a function and its backends. Every call of every process passes here. */
export function openWire({ clock, story, epoch, trace, onUnconfirmed, onCall, onKill }: WireDeps): Wire {
  const named = story.incidents.filter(({ on }) => on !== undefined);

  function takeNamed(name: string): Incident | undefined {
    const nowMs = clock.now - epoch;
    if (nowMs >= story.faultsEndMs) return undefined;
    const isNext = ({ atMs, untilMs = Infinity, on = "" }: Incident) =>
      atMs <= nowMs && nowMs < untilMs && name.startsWith(on);
    const index = named.findIndex(isNext);
    return index === -1 ? undefined : named.splice(index, 1)[0];
  }

  return <T>(call: Call<T>): Promise<T> => {
    const process = clock.current as Instance | undefined;
    if (process?.isDead === true) return never;
    const invocation = process?.invocation;
    if (process === undefined || invocation === undefined) {
      onUnconfirmed(call.name, process);
      return never;
    }
    const ordinal = invocation.names.push(call.name);
    onCall(invocation, call.name);
    const incident = invocation.incidents.find((each) => each.call === ordinal) ?? takeNamed(call.name);
    const chance = mix(story.seed, Math.round(invocation.startedAt) + invocation.id, ordinal);
    trace(
      `${clock.now} ${process.name} ${invocation.fn} ${ordinal} ${call.name}${incident ? ` ${incident.kind}` : ""}`,
    );
    return meet({ call, process, incident, chance });
  };

  interface Met<T> {
    readonly call: Call<T>;
    readonly process: Instance;
    readonly incident: Incident | undefined;
    readonly chance: number;
  }

  function meet<T>({ call, process, incident, chance }: Met<T>): Promise<T> {
    const { signal, arrive, failure, limitMs, attempts = 1 } = call;
    const there = 1 + (chance % 8);
    const back = 1 + ((chance >>> 4) % 8) + (chance % 97 === 0 ? 400 : 0);
    return new Promise<T>((resolve, reject) => {
      let isSettled = false;
      let unlisten = () => {};
      let isSent = false;
      let made = 1;
      let isOnItsWay = false;
      const abandon = () => settle(() => reject(failure({ kind: "aborted", isSent }, made)));
      const settle = (how: () => void) => {
        if (isSettled) return;
        isSettled = true;
        unlisten();
        how();
      };
      const answer = (how: () => void, ms: number) => void clock.after(ms, process, () => settle(how));

      const onItsWay = () => {
        if (!isOnItsWay) call.onSent?.();
        isOnItsWay = true;
      };

      /** The request arrives at the backend; its answer comes back, or does not. */
      const send = (ms: number, isAnswered: boolean) => {
        const attempt = made;
        isSent = true;
        onItsWay();
        clock.after(ms, undefined, () => {
          void Promise.resolve(attempt)
            .then(arrive)
            .then(
              (value) => isAnswered && answer(() => resolve(value), back),
              (error: Error) => isAnswered && answer(() => reject(error), back),
            );
        });
      };
      const fail = (ms: number, outcome: Outcome, attempt: number) => {
        if (attempt < attempts) clock.after(ms + 100 * attempt, process, () => isSettled || attemptIt(attempt + 1));
        else answer(() => reject(failure(outcome, attempt)), ms);
      };
      const freeze = ({ ms = 16_000, clockStops }: Incident) => {
        process.frozenUntil = Math.max(process.frozenUntil, clock.now + ms);
        if (clockStops) process.lostMs += ms;
      };
      const kill = () => {
        process.isDead = true;
        onKill(process);
      };

      function attemptIt(attempt: number): void {
        made = attempt;
        const met = attempt === 1 || incident?.isLasting === true ? incident : undefined;
        const variant = met?.variant ?? 0;
        switch (met?.kind) {
          case undefined:
            return send(there, true);
          case "refused":
            return fail(there + back, { kind: "refused", variant }, attempt);
          case "failedAfter":
            send(there, false);
            return fail(there + back, { kind: "failedAfter", variant }, attempt);
          case "answerLost":
            send(there, false);
            return fail(limitMs, { kind: "noAnswer" }, attempt);
          case "late":
            if (attempt === 1) send(met.ms ?? 16_000, false);
            return fail(limitMs, { kind: "noAnswer" }, attempt);
          case "slow":
            return send(met.ms ?? 7_000, true);
          case "freezeBefore":
            freeze(met);
            onItsWay();
            return void clock.after(0, process, () => isSettled || send(there, true));
          case "freezeAfter":
            freeze(met);
            return send(there, true);
          case "killBefore":
            return kill();
          case "killAfter":
            send(there, false);
            return kill();
        }
      }

      if (signal?.aborted === true) return abandon();
      if (signal !== undefined) unlisten = onAbort(signal, abandon);
      attemptIt(1);
    });
  }
}

/** A whole number that is the same for the same three, and has no pattern. */
export function mix(a: number, b: number, c: number): number {
  let h = (Math.imul(a ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(b | 0, 0xc2b2ae35) ^ Math.imul(c + 1, 0x27d4eb2f)) | 0;
  h = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d);
  h = Math.imul(h ^ (h >>> 12), 0x297a2d39);
  return (h ^ (h >>> 15)) >>> 0;
}
