import type { HpaKey } from "../../model/hpa-key";
import { Fault } from "../../model/fault";
import type { RecordedEvent } from "../../model/stored/event-log";
import type { EpochMs } from "../../k8s/time";
import { firstVersion } from "../../model/stored/version";
import { cachedEventLog, rebased, withTarget, type CachedEventLog } from "./cached-event-log";
import type { Store, StoredEvents } from "../../model/ports/store";

const tries = 4;

export interface Saved {
  /** The log to keep. It is still due if other writers were always first. */
  readonly log: CachedEventLog;
  /** The visible events that this run added or changed in the table. */
  readonly recorded: readonly RecordedEvent[];
}

/**
 * Writes an HPA's due events. If another writer was first, the same occurrences are correlated again on top of what it
 * stored, which may leave nothing to write.
 *
 * @throws Fault. After a "lost" one, the same occurrences may be counted twice: rather twice than never.
 */
export async function saveEvents(
  store: Pick<Store, "replaceEvents">,
  hpa: { readonly cluster: string; readonly key: HpaKey },
  due: CachedEventLog,
  { now, signal }: { readonly now: EpochMs; readonly signal: AbortSignal },
): Promise<Saved> {
  let log = due;
  for (let attempt = 1; attempt <= tries && log.dueSince !== undefined; attempt++) {
    const after: StoredEvents = { version: log.version === 0 ? firstVersion(now) : log.version + 1, log: log.log };
    const written = await store.replaceEvents(hpa, log.version, after, signal);
    if (written.ok) return { log: withTarget(cachedEventLog(after), log.target), recorded: log.recorded };
    const { current } = written;
    if (current !== undefined && "broken" in current) throw brokenEvents(hpa.key, current.broken);
    log = rebased(log, current?.value);
  }
  return { log, recorded: [] };
}

/** The item is not overwritten, because a newer version of ebb may have written it. */
export function brokenEvents(key: HpaKey, why: string): Fault {
  return new Fault("badEntry", `EVENTS#${key}: ${why}: the item is left as it is; delete it, and ebb creates it again`);
}
