import { Fault } from "../../model/fault";
import type { RecordedEvent } from "../../model/event-log";
import type { EpochMs } from "../../k8s/time";
import { keptLog, rebased, withTarget, type KeptLog } from "./kept-log";
import type { Store, StoredEvents } from "../../model/ports";

const tries = 4;

export interface Saved {
  /** What is kept from now on. It is still due where others kept writing first. */
  readonly log: KeptLog;
  /** The events that the table did not show as they are before this run wrote them. */
  readonly recorded: readonly RecordedEvent[];
}

/**
 * Writes what is due of an HPA's events. Where somebody else wrote meanwhile, the same occurrences are correlated on what stands, which may
 * leave nothing to write. The first version is the moment of writing, so that it is none of an item that stood there before and was deleted.
 *
 * @throws Fault; after a "lost" one, the same occurrences may come to be counted twice: rather that than never
 */
export async function saveEvents(
  store: Pick<Store, "replaceEvents">,
  hpa: { readonly cluster: string; readonly key: string },
  due: KeptLog,
  { now, signal }: { readonly now: EpochMs; readonly signal: AbortSignal },
): Promise<Saved> {
  let log = due;
  for (let attempt = 1; attempt <= tries && log.dueSince !== undefined; attempt++) {
    const after: StoredEvents = { version: log.version === 0 ? now : log.version + 1, log: log.log };
    const written = await store.replaceEvents(hpa, log.version, after, signal);
    if (written.ok) return { log: withTarget(keptLog(after), log.target), recorded: log.recorded };
    const { current } = written;
    if (current !== undefined && "broken" in current) throw brokenEvents(hpa.key, current.broken);
    log = rebased(log, current?.value);
  }
  return { log, recorded: [] };
}

/** It is not overwritten: it may be a newer version's. */
export function brokenEvents(key: string, why: string): Fault {
  return new Fault("badEntry", `EVENTS#${key}: ${why}: the item is kept as it is; delete it, and it is made anew`);
}
