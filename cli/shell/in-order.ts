import { readsAtATime } from "../../lib/read/find-hpas";
import type { EntryRef } from "../../lib/model/ports/entries";
import type { Session } from "./session";

interface Each<T, R> {
  readonly doing: (item: T) => string;
  readonly call: (item: T) => Promise<R>;
  readonly done: (answer: R, item: T) => void;
  /** False: not this item's own failure. */
  readonly failed?: (error: unknown, item: T) => boolean;
}

type Settled<R> = { readonly answer: R } | { readonly error: unknown };

/** After a failure that is not an item's own, starts no further call, reports those under way, and throws. */
export async function eachInOrder<T, R>(
  { out, signal }: Pick<Session, "out" | "signal">,
  items: readonly T[],
  { doing, call, done, failed = () => false }: Each<T, R>,
): Promise<void> {
  const running: { readonly item: T; readonly settling: Promise<Settled<R>> }[] = [];
  let next = 0;
  let thrown: { readonly error: unknown } | undefined;
  const start = () => {
    const ready = thrown === undefined && !signal.aborted ? readsAtATime - running.length : 0;
    for (const item of items.slice(next, next + ready)) running.push({ item, settling: settle(call(item)) });
    next += Math.max(0, ready);
  };
  for (start(); running.length > 0; start()) {
    const [{ item, settling }] = running.splice(0, 1) as [(typeof running)[number]];
    const settled = await out.during(doing(item), settling);
    if ("answer" in settled) done(settled.answer, item);
    else if (!failed(settled.error, item)) thrown ??= settled;
  }
  if (thrown !== undefined) throw thrown.error;
  if (next < items.length) signal.throwIfAborted();
}

async function settle<R>(call: Promise<R>): Promise<Settled<R>> {
  try {
    return { answer: await call };
  } catch (error) {
    return { error };
  }
}

/** Neighbours of one kind without duplicates, for concurrent writes. A file's cluster precedes its HPAs. */
export function runsOf<T extends { readonly ref: EntryRef }>(items: readonly T[]): readonly (readonly T[])[] {
  const runs: T[][] = [];
  let seen = new Set<string>();
  for (const item of items) {
    const { kind, cluster, namespace, name } = item.ref;
    const key = JSON.stringify([cluster, namespace, name]);
    const last = runs.at(-1);
    if (last?.[0]?.ref.kind === kind && !seen.has(key)) last.push(item);
    else {
      runs.push([item]);
      seen = new Set();
    }
    seen.add(key);
  }
  return runs;
}
