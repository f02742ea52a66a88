/** What the platform can do to a process. Nothing of a frozen process runs: no timer, no answer. */
export interface Process {
  readonly name: string;
  /** How far its clock is ahead of the world's. */
  readonly skewMs: number;
  /** How far it runs away before it is set right again. */
  readonly driftMs?: number;
  /** While it is paused. Afterwards everything that was due happens at once, in order. */
  frozenUntil: number;
  /** A clock that stood still while its process was paused is behind until its invocation ends. */
  lostMs: number;
  isDead: boolean;
}

interface Entry {
  readonly at: number;
  readonly order: number;
  readonly owner: Process | undefined;
  run: (() => void) | undefined;
}

/** The only clock of a world. Everything happens in one order, which follows from the story alone. */
export interface WorldClock {
  readonly now: number;
  /** Whose code runs. Code that is nobody's is the world's own. */
  readonly current: Process | undefined;
  /** Runs `run` as `owner` after `delayMs`. */
  after(delayMs: number, owner: Process | undefined, run: () => void): Entry;
  cancel(entry: Entry): void;
  /** As the running process sees it. */
  seen(): number;
  /** Lets everything happen that is due until then. */
  runUntil(end: number): Promise<void>;
}

const nextTurn = globalThis.setImmediate;
/** Settles all promises at once. Without it, Node does so after each turn of its event loop, at four times the cost. */
const { _tickCallback: settlePromises } = process as { readonly _tickCallback?: () => void };
const eventsInARun = settlePromises === undefined ? 1 : 2_000;

export function openClock(start: number): WorldClock {
  const queue = openQueue();
  let now = start;
  let order = 0;
  let current: Process | undefined;

  function after(delayMs: number, owner: Process | undefined, run: () => void): Entry {
    const entry: Entry = { at: now + Math.max(0, delayMs), order: order++, owner, run };
    queue.push(entry);
    return entry;
  }

  /** Every promise that an event settles runs on as the same process, before anything else happens. */
  function happen(entry: Entry): void {
    const { run, owner, at } = entry;
    if (run === undefined || owner?.isDead === true) return;
    now = at;
    if (owner !== undefined && owner.frozenUntil > now) return void after(owner.frozenUntil - now, owner, run);
    current = owner;
    run();
    settlePromises?.();
  }

  /** @returns whether there may be more until then. */
  function someHappen(end: number): Promise<boolean> {
    return new Promise((resolve) => {
      nextTurn(() => {
        for (let count = 0; count < eventsInARun; count += 1) {
          current = undefined;
          const entry = queue.popUntil(end);
          if (entry === undefined) return resolve(false);
          happen(entry);
        }
        resolve(true);
      });
    });
  }

  return {
    get now() {
      return now;
    },
    get current() {
      return current;
    },
    after,
    cancel(entry) {
      entry.run = undefined;
    },
    seen: () => now + (current === undefined ? 0 : current.skewMs - current.lostMs + drifted(current, now - start)),
    async runUntil(end) {
      while (await someHappen(end));
      now = end;
    },
  };
}

/** A clock is set right every ten minutes. Between, it runs ahead of the world's, or behind it. */
const setEveryMs = 600_000;

function drifted({ driftMs = 0 }: Process, sinceStart: number): number {
  return Math.round((driftMs * (sinceStart % setEveryMs)) / setEveryMs);
}

/** A heap: the earliest first, and of those the one that was planned first. */
function openQueue() {
  const heap: Entry[] = [];
  const isBefore = (a: Entry, b: Entry) => a.at < b.at || (a.at === b.at && a.order < b.order);

  function swap(i: number, j: number): void {
    const kept = heap[i] as Entry;
    heap[i] = heap[j] as Entry;
    heap[j] = kept;
  }

  function pop(): Entry | undefined {
    const [first] = heap;
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first;
    heap[0] = last;
    for (let i = 0; ;) {
      const left = 2 * i + 1;
      let least = i;
      if (left < heap.length && isBefore(heap[left] as Entry, heap[least] as Entry)) least = left;
      if (left + 1 < heap.length && isBefore(heap[left + 1] as Entry, heap[least] as Entry)) least = left + 1;
      if (least === i) return first;
      swap(i, least);
      i = least;
    }
  }

  return {
    push(entry: Entry): void {
      heap.push(entry);
      for (let i = heap.length - 1; i > 0;) {
        const parent = (i - 1) >> 1;
        if (!isBefore(heap[i] as Entry, heap[parent] as Entry)) return;
        swap(i, parent);
        i = parent;
      }
    },
    popUntil: (end: number): Entry | undefined => ((heap[0]?.at ?? Infinity) <= end ? pop() : undefined),
  };
}
