import { Server } from "node:net";
import timersPromises from "node:timers/promises";

/**
 * In unit tests, a time limit counts only the time in which the event loop runs. A busy machine stops a process for a
 * while. When its loop goes on, it finds the limit's end and the answer at once, and looks at limits first. So each
 * turn of the loop counts as at most 10 ms, and an answer that is there is read before the limit fires.
 *
 *     0          500 ms        2,000 ms      2,490 ms
 *     |-- runs --|                                        a limit of 500 ms fires after 500 ms
 *     |-- stops ---------------|--- runs ----|            or after 2,490 ms, 49 turns or more after the loop goes on
 *
 * Runs before each test file. Replaces `setTimeout`, `AbortSignal.timeout` and `setTimeout` of `node:timers/promises`.
 * Node's other limits, of sockets and child processes, stay in real time.
 */
const turnMs = 5;
const mostMsPerTurn = 2 * turnMs;

type SetTimeout = (run: (...args: unknown[]) => void, ms?: number, ...args: unknown[]) => NodeJS.Timeout;

/** Node keeps in a timer how long it waits each time. */
interface Timer extends NodeJS.Timeout {
  _idleTimeout: number;
}

const loopTime = Symbol.for("ebb.test.loopTime");
/** Node's own object, which all test files of a process share. */
const shared = timersPromises as typeof timersPromises & { [loopTime]?: SetTimeout };
const realm = globalThis as typeof globalThis & { [loopTime]?: true };

const setTimeoutInLoop = (shared[loopTime] ??= installInProcess());
if (realm[loopTime] === undefined) {
  realm[loopTime] = true;
  // With its way to be a promise, for util.promisify.
  const properties = Object.getOwnPropertyDescriptors(globalThis.setTimeout);
  const own: SetTimeout = (...args) => setTimeoutInLoop(...args);
  globalThis.setTimeout = Object.defineProperties(own, properties) as typeof setTimeout;
}

function installInProcess(): SetTimeout {
  const set = inLoopTime(globalThis.setTimeout, openClock());
  const { setTimeout: wait } = timersPromises;

  timersPromises.setTimeout = async (ms, value, options) => {
    const { signal, ref = true } = options ?? {};
    // Node's own error for a signal that has fired, or fires.
    if (signal?.aborted === true || !ref) return wait(ms, value, options);
    let timer: NodeJS.Timeout | undefined;
    let fired = () => {};
    const elapsed = new Promise<"elapsed" | "aborted">((resolve) => {
      timer = set(() => resolve("elapsed"), ms);
      fired = () => resolve("aborted");
    });
    signal?.addEventListener("abort", fired, { once: true });
    const outcome = await elapsed;
    clearTimeout(timer);
    signal?.removeEventListener("abort", fired);
    return outcome === "elapsed" ? (value as never) : wait(ms, value, options);
  };
  AbortSignal.timeout = (ms) => {
    const controller = new AbortController();
    const reason = () => new DOMException("The operation was aborted due to timeout", "TimeoutError");
    set(() => controller.abort(reason()), ms).unref();
    return controller.signal;
  };
  keepIdleConnections();
  return set;
}

/** Node ends a connection 5 s after its last answer, in real time: the next request of a late client would fail. */
function keepIdleConnections(): void {
  const listen = Reflect.get(Server.prototype, "listen") as (...args: unknown[]) => Server;
  Server.prototype.listen = function (this: Server & { keepAliveTimeout?: number }, ...args: unknown[]) {
    if (this.keepAliveTimeout !== undefined) this.keepAliveTimeout = 0;
    return Reflect.apply(listen, this, args);
  };
}

/** @returns how long the loop has run, in ms */
function openClock(): () => number {
  const realNow = performance.now.bind(performance);
  let counted = 0;
  let at = realNow();
  const now = () => counted + Math.min(realNow() - at, mostMsPerTurn);
  setInterval(() => {
    counted = now();
    at = realNow();
  }, turnMs).unref();
  return now;
}

function inLoopTime(setRealTimeout: typeof setTimeout, now: () => number): SetTimeout {
  return (run, ms = 0, ...args) => {
    if (!(ms > mostMsPerTurn && ms < 2 ** 31)) return setRealTimeout(run, ms, ...args);
    let due = now() + ms;
    const timer = setRealTimeout(() => {
      const left = due - now();
      if (left < 1) run.apply(timer, args);
      else wait(left);
    }, ms) as Timer;
    const refresh = timer.refresh.bind(timer);
    const wait = (left: number): NodeJS.Timeout => {
      timer._idleTimeout = Math.ceil(left);
      return refresh();
    };
    timer.refresh = () => {
      due = now() + ms;
      wait(ms);
      return timer;
    };
    return timer;
  };
}
