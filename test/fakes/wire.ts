/**
 * What can happen to one write between its caller and a backend. The doubles, and the test benches of the real ends,
 * all offer the same four.
 *
 *                 the request    its effect       its answer      what the port says
 *   answerLost    arrives        at once          is lost once    a table: what became of it; a cluster: lost
 *   unanswered    arrives        at once          never comes     lost
 *   requestLost   is lost        none             never comes     lost
 *   late          is held up     with `land()`    never comes     lost
 *
 * A table's writes are asked again, and what is in the table is read: a write finds its own token. A scale is written
 * once and not asked again. An unconditional write to the table (a decision) says "timeout" where a conditional one
 * says "lost".
 */
export type Mishap = "answerLost" | "unanswered" | "requestLost" | "late";

export interface Landing {
  /** Whether a write has met the mishap. Another `nextWrite` before that takes its place. */
  readonly hasHappened: boolean;
  /** Lets a late write arrive. Resolves when the backend has handled it, whether or not its condition still held. */
  land(): Promise<void>;
}

export interface Mishaps {
  /**
   * Happens to the next write alone, with all its attempts; or the one after `skip` writes that reach the backend
   * unharmed.
   */
  nextWrite(mishap: Mishap, options?: { readonly skip?: number }): Landing;
}

/** A write that is about to meet its mishap. */
export interface MetMishap {
  readonly kind: Mishap;
  /** For "late": what `land` does. */
  hold(arrive: () => unknown): void;
}

export interface MishapSwitch extends Mishaps {
  /** For the backend: the mishap of the write that it is about to make. Asked once for each write. */
  take(): MetMishap | undefined;
}

export function mishapSwitch(): MishapSwitch {
  let next: MetMishap | undefined;
  let skips = 0;
  return {
    nextWrite(mishap, { skip = 0 } = {}) {
      let arrive: (() => unknown) | undefined;
      const own: MetMishap = { kind: mishap, hold: (held) => (arrive = held) };
      [next, skips] = [own, skip];
      return {
        get hasHappened() {
          return next !== own;
        },
        async land() {
          if (arrive === undefined) throw new Error(`no late write is under way: the mishap is "${mishap}"`);
          await arrive();
        },
      };
    },
    take() {
      if (skips-- > 0) return undefined;
      const taken = next;
      next = undefined;
      return taken;
    },
  };
}

/** Where a call stops: with its request not yet sent, or with its answer on the way. */
export type Stop = "beforeEffect" | "afterEffect";

/**
 * The same backend as one run reaches it. `stopOf` is asked at each call of a method. A call that stops continues when
 * `release` resolves. If that never resolves, the function has died.
 */
export function overWire<T extends object>(
  far: T,
  {
    stopOf,
    release,
  }: {
    readonly stopOf: (method: string | symbol) => { at: Stop; reached(): void } | undefined;
    release: Promise<void>;
  },
): T {
  return new Proxy(far, {
    get(object, name) {
      const method: unknown = Reflect.get(object, name);
      if (typeof method !== "function") return method;
      return async (...args: unknown[]): Promise<unknown> => {
        const make = (): unknown => Reflect.apply(method, object, args);
        const stop = stopOf(name);
        if (stop === undefined) return make();
        const answer = stop.at === "afterEffect" ? await make() : undefined;
        stop.reached();
        await release;
        return stop.at === "afterEffect" ? answer : make();
      };
    },
  });
}

/** An answer of the server's own, which it gives instead of doing what is asked. */
export interface ServerAnswer {
  readonly status: number;
  /** As the API server says it, in a Status. */
  readonly message: string;
}

export interface AnswerMishaps {
  /** The next request, a read or a write, gets this answer and has no effect. */
  nextAnswer(answer: ServerAnswer): void;
}

export function answerSwitch(): AnswerMishaps & { takeAnswer(): ServerAnswer | undefined } {
  let next: ServerAnswer | undefined;
  return {
    nextAnswer: (answer) => (next = answer),
    takeAnswer() {
      const taken = next;
      next = undefined;
      return taken;
    },
  };
}
