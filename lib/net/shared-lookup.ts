import { lookup, type LookupAddress, type LookupAllOptions } from "node:dns";

/** `UV_THREADPOOL_SIZE` of 64 allows 32: the AWS SDK looks its own hosts up with what is left. */
export const mostLookups = 24;
/** Names that were slow before may hold these. */
export const mostSlowLookups = 8;
const slowMs = 1_000;

type Waiting = (error: Error | null, addresses: readonly LookupAddress[]) => void;

interface Lookup {
  readonly host: string;
  readonly options: LookupAllOptions;
  readonly waiting: Waiting[];
}

/** By name and options, in the order in which they were asked for. */
const queued = new Map<string, Lookup>();
const running = new Map<string, Lookup>();
const slow = new Set<string>();

/**
 * Connections to one name share its lookup, because a name whose server hangs keeps one of the process's few threads
 * long after its reading has ended (docs/decisions/0108).
 */
export function sharedLookup(host: string, options: LookupAllOptions, done: Waiting): void {
  const key = JSON.stringify([host, options]);
  const known = running.get(key) ?? queued.get(key);
  if (known !== undefined) {
    known.waiting.push(done);
    return;
  }
  queued.set(key, { host, options, waiting: [done] });
  startLookups();
}

function startLookups(): void {
  for (const [key, next] of queued) {
    if (running.size >= mostLookups) return;
    if (!slow.has(next.host) || slowRunning() < mostSlowLookups) start(key, next);
  }
}

function slowRunning(): number {
  return [...running.values()].filter(({ host }) => slow.has(host)).length;
}

function start(key: string, own: Lookup): void {
  const { host, options, waiting } = own;
  queued.delete(key);
  running.set(key, own);
  let isSlow = false;
  const timer = setTimeout(() => {
    isSlow = true;
    slow.add(host);
  }, slowMs).unref();
  lookup(host, options, (error, addresses) => {
    clearTimeout(timer);
    running.delete(key);
    if (!isSlow) slow.delete(host);
    for (const one of waiting) one(error, addresses);
    startLookups();
  });
}
