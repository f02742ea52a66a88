import { type EpochMs, hourMs, periodStart } from "../k8s/time";
import { Fault } from "../model/fault";
import type { NotifiedStore } from "../model/ports/notified";
import type { NotifiedHour } from "../model/stored/notified";
import { unwrittenVersion } from "../model/stored/version";

type HourStore = Pick<NotifiedStore, "hour" | "replaceHour">;

export interface Claim {
  readonly at: EpochMs;
  readonly cap: number;
  /** Negative: given back. */
  readonly wanted: number;
  /** Before the count of a new hour begins. */
  readonly report: (over: NotifiedHour) => Promise<void>;
}

const tries = 8;

/** @throws Fault "conflict" if others keep writing */
export async function claimHour(store: HourStore, claim: Claim, signal: AbortSignal): Promise<number> {
  for (let attempt = 1; attempt <= tries; attempt++) {
    const found = await store.hour(signal);
    const { granted, next, over } = claimed(found, claim);
    if (over !== undefined) await claim.report(over);
    if (next === undefined || (await store.replaceHour(found, next, signal))) return granted;
  }
  throw new Fault("conflict", `the count of the hour's notifications was written ${tries} times meanwhile`);
}

/** A clock that is behind opens no new hour. */
export function claimed(
  found: NotifiedHour | undefined,
  { at, cap, wanted }: Pick<Claim, "at" | "cap" | "wanted">,
): { readonly granted: number; readonly next?: NotifiedHour; readonly over?: NotifiedHour } {
  const hour = periodStart(at, hourMs);
  const isNew = found !== undefined && found.hour < hour;
  const over = isNew && found.leftOut > 0 ? { over: found } : {};
  const current = found === undefined || isNew ? { hour, sent: 0, leftOut: 0 } : found;
  const granted = Math.min(wanted, Math.max(0, cap - current.sent));
  if (wanted === 0 && !("over" in over)) return { granted };
  const counts = { sent: Math.max(0, current.sent + granted), leftOut: current.leftOut + (wanted - granted) };
  const version = (found?.version ?? unwrittenVersion(at)) + 1;
  return { granted, next: { version, hour: current.hour, ...counts }, ...over };
}
