import { abortReason, onAbort } from "./within-time";

/** Bounds concurrent calls. The lowest priority number goes first; within one number, calls keep their order. */
export interface Semaphore {
  /** @throws the signal's reason when it fires before there is a permit. */
  run<T>(request: PermitRequest, call: () => Promise<T>): Promise<T>;
}

export interface PermitRequest {
  readonly signal: AbortSignal;
  readonly mayOverflow?: boolean;
  readonly priority?: number;
}

/** Up to `overflowLimit` calls without an answer after `slowCallMs` give their permits to others. */
export function openSemaphore(limit: number, overflowLimit = 0, slowCallMs = 0): Semaphore {
  const waiting = openQueue<() => void>();
  let free = limit;
  let overflowing = 0;

  function release(): void {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  }

  async function acquire(signal: AbortSignal, priority: number): Promise<void> {
    if (signal.aborted) throw abortReason(signal);
    if (free > 0) {
      free -= 1;
      return;
    }
    let unlisten = () => {};
    try {
      await new Promise<void>((resolve, reject) => {
        const withdraw = waiting.push(priority, resolve);
        unlisten = onAbort(signal, () => {
          if (withdraw()) reject(abortReason(signal));
        });
      });
    } finally {
      unlisten();
    }
  }

  return {
    async run({ signal, mayOverflow = false, priority = 0 }, call) {
      await acquire(signal, priority);
      let isOverflow = false;
      const overflow = () => {
        if (overflowing >= overflowLimit) return;
        isOverflow = true;
        overflowing += 1;
        release();
      };
      const timer = mayOverflow ? setTimeout(overflow, slowCallMs) : undefined;
      try {
        return await call();
      } finally {
        clearTimeout(timer);
        if (isOverflow) overflowing -= 1;
        else release();
      }
    },
  };
}

function openQueue<T>() {
  const byPriority = new Map<number, Set<{ readonly item: T }>>();
  /** The priorities that have waiting items, lowest first: few, since most HPAs have few queries. */
  let priorities: readonly number[] = [];

  function remove(priority: number, one: { readonly item: T }): boolean {
    const line = byPriority.get(priority);
    if (line === undefined || !line.delete(one)) return false;
    if (line.size === 0) {
      byPriority.delete(priority);
      priorities = priorities.filter((other) => other !== priority);
    }
    return true;
  }

  return {
    /** @returns a function that removes the item. It returns false if the item has left the queue. */
    push(priority: number, item: T): () => boolean {
      const one = { item };
      const line = byPriority.get(priority) ?? new Set();
      if (line.size === 0) priorities = [...priorities, priority].sort((a, b) => a - b);
      byPriority.set(priority, line.add(one));
      return () => remove(priority, one);
    },
    shift(): T | undefined {
      const [priority = 0] = priorities;
      const [first] = byPriority.get(priority) ?? [];
      if (first === undefined) return undefined;
      remove(priority, first);
      return first.item;
    },
  };
}

const never = new AbortController().signal;

export function limitConcurrency(limit: number): <T>(work: () => Promise<T>) => Promise<T> {
  const semaphore = openSemaphore(limit);
  return (work) => semaphore.run({ signal: never }, work);
}

interface Bounds {
  readonly limit: number;
  readonly signal: AbortSignal;
}

/** After a failure, no further call starts. */
export async function someAtATime<T, R>(
  items: readonly T[],
  { limit, signal }: Bounds,
  call: (item: T) => Promise<R>,
): Promise<R[]> {
  const semaphore = openSemaphore(limit);
  const failed = new AbortController();
  const request = { signal: AbortSignal.any([signal, failed.signal]) };
  const answers = items.map((item) =>
    semaphore
      .run(request, () => call(item))
      .catch((error: unknown) => {
        failed.abort(error);
        throw error;
      }),
  );
  return await Promise.all(answers);
}
