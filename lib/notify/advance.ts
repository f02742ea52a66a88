import type { EpochMs } from "../k8s/time";
import type { HpaType, LastingType } from "../model/notification";
import type { HpaRef, NotifiedEntry } from "../model/ports/notified";
import type { Notified } from "../model/stored/notified";
import type { State } from "../model/stored/state";
import { unwrittenVersion } from "../model/stored/version";
import { isPausedNow, type Seen, seenIn, zeroScaling } from "./lasting";
import { type NotifySettings, wantsEntry, wantsHpa, wantsType } from "./settings";

/** Without `after`, the state was deleted. */
export interface StateWrite {
  readonly before: State | undefined;
  readonly after: State | undefined;
}

export interface Happening {
  readonly type: HpaType;
  readonly hpa: HpaRef;
  /** The state with which it began: the same for a retry. */
  readonly version: number;
  readonly at: EpochMs;
  readonly since?: EpochMs;
  readonly from?: number;
  readonly state: State;
  readonly seen: Seen;
  readonly entry: NotifiedEntry;
}

export interface Known {
  readonly hpa: HpaRef;
  readonly notified: Notified | undefined;
  readonly entry: NotifiedEntry | undefined;
}

/** `notified` is the given one if nothing changed. */
export interface Advanced {
  readonly notified: Notified | undefined;
  readonly occurred: readonly Happening[];
}

interface Context {
  readonly settings: NotifySettings;
  readonly now: EpochMs;
}

/**
 * ```
 * state      v7 at max            v9 below            v7: { since } is stored, v9: removed. Nothing was announced.
 * state      v7 at max ─ 10 min ─ minute's schedule   announced once, with the id of v7
 * ```
 */
export function advance(known: Known, { before, after }: StateWrite, context: Context): Advanced {
  const { hpa, notified, entry } = known;
  const was = notified?.lasting ?? {};
  // A deletion comes after the version that it deletes.
  const version = after?.version ?? (before?.version ?? 0) + 1;
  const becomes = (lasting: Notified["lasting"], occurred: readonly Happening[] = []): Advanced => {
    if (occurred.length === 0 && sameLasting(was, lasting)) return { notified, occurred };
    const next = { version: notified?.version ?? unwrittenVersion(context.now), ...hpa, state: version, lasting };
    return { notified: next, occurred };
  };
  if (notified !== undefined && isOld(version, notified)) return { notified, occurred: [] };
  if (after === undefined) return becomes({});
  if (entry === undefined || !listensTo(known, context)) return becomes(onlyAnnounced(was));
  const seen = seenIn(after, context.now, entry);
  if (seen.states.includes("paused")) return becomes(onlyAnnounced(was));

  const at = changedAt(after);
  const hadBefore = before === undefined ? undefined : seenIn(before, context.now, entry).lasting;
  const holding = [...seen.lasting].filter((type) => wantsLasting(type, context));
  const lasting = holding.map((type) => {
    const begun = { since: type === "failing" ? (after.failingSince ?? at) : at, state: version };
    // A record of its end may be lost.
    return [type, hadBefore?.has(type) === false ? begun : (was[type] ?? begun)] as const;
  });
  const common = { hpa, state: after, seen, entry };
  const due = announceDue(common, Object.fromEntries(lasting), context);
  const zero = zeroScaling(before, after);
  const failed = was["failing"];
  const isRecovered = failed?.announced === true && !seen.lasting.has("failing");
  const now: readonly Happening[] = [
    ...(zero === undefined ? [] : [{ ...common, type: zero, version, at, from: sizeBefore(before, after) }]),
    ...(isRecovered ? [{ ...common, type: "recovered" as const, version, at, since: failed.since }] : []),
  ];
  const wanted = now.filter(({ type }) => wantsType(context.settings.filters, type));
  return becomes(due.lasting, [...wanted, ...due.occurred]);
}

/** Records that are still to come count as before. */
export function announceLasting(
  known: Known & { readonly notified: Notified },
  state: State | undefined,
  context: Context,
): Advanced {
  const { hpa, notified, entry } = known;
  const isHeard = entry !== undefined && listensTo(known, context) && !isPausedNow(entry, context.now);
  const seen = seenIn(state, context.now, entry);
  const holding = Object.entries(notified.lasting).filter(
    ([type, { announced }]) => announced === true || (isHeard && seen.lasting.has(type as LastingType)),
  );
  const lasting = Object.fromEntries(holding);
  const due =
    state === undefined || !isHeard
      ? { lasting, occurred: [] }
      : announceDue({ hpa, state, seen, entry }, lasting, context);
  if (due.occurred.length === 0 && sameLasting(notified.lasting, due.lasting)) return { notified, occurred: [] };
  return { notified: { ...notified, lasting: due.lasting }, occurred: due.occurred };
}

export function isDue({ lasting }: Notified, { settings, now }: Context): boolean {
  return Object.entries(lasting).some(
    ([type, { since, announced }]) => announced !== true && since + settings.afterMs[type as LastingType] <= now,
  );
}

function announceDue(
  common: Pick<Happening, "hpa" | "state" | "seen" | "entry">,
  lasting: Notified["lasting"],
  { settings, now }: Context,
): { readonly lasting: Notified["lasting"]; readonly occurred: readonly Happening[] } {
  const occurred: Happening[] = [];
  const next = Object.entries(lasting).map(([name, one]) => {
    const type = name as LastingType;
    const at = one.since + settings.afterMs[type];
    if (one.announced === true || at > now || !common.seen.lasting.has(type)) return [name, one] as const;
    if (wantsType(settings.filters, type)) occurred.push({ ...common, type, version: one.state, at, since: one.since });
    return [name, { ...one, announced: true as const }] as const;
  });
  return { lasting: Object.fromEntries(next), occurred };
}

/** A failure that is not wanted itself may have a wanted end. */
function wantsLasting(type: LastingType, { settings: { filters } }: Context): boolean {
  return wantsType(filters, type) || (type === "failing" && wantsType(filters, "recovered"));
}

function listensTo({ hpa, entry }: Known, { settings: { filters } }: Context): boolean {
  return entry !== undefined && wantsHpa(filters, hpa) && wantsEntry(filters, entry);
}

/** A pause is silent, and a failure that was announced may still recover. */
function onlyAnnounced(lasting: Notified["lasting"]): Notified["lasting"] {
  return Object.fromEntries(Object.entries(lasting).filter(([type, one]) => type === "failing" && one.announced));
}

/** Versions start over every 24 days: lib/model/stored/version.ts */
const halfOfVersions = 2 ** 52;

function isOld(version: number, { state }: Notified): boolean {
  return version <= state && state - version < halfOfVersions;
}

/** A state that settles an older write has the size after it. */
function sizeBefore(before: State | undefined, { status: { currentReplicas, desiredReplicas } }: State): number {
  if (desiredReplicas !== 0) return 0;
  return currentReplicas || (before?.status.currentReplicas ?? 0);
}

function changedAt({ decision, slot }: State): EpochMs {
  return decision?.at ?? slot;
}

function sameLasting(one: Notified["lasting"], other: Notified["lasting"]): boolean {
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => one[name]?.state === other[name]?.state && one[name]?.announced === other[name]?.announced)
  );
}
