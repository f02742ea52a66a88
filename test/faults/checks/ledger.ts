import type { HpaSpec } from "../../../lib/k8s/hpa";
import type { MetricRules } from "../../../lib/model/metric/metric-rules";
import type { PlannedBusy, PlannedZero } from "../stories/story";
import type { ListAnswer } from "../world/plain-reading";
import type { Invocation } from "../world/wire";

/** What really happened to one HPA and its target, as the checks need it. */
export interface Ledger {
  readonly key: string;
  readonly cluster: string;
  readonly versions: EntryVersion[];
  /** What is before this moment is forgotten: the entry was deleted, or its state was spoiled. */
  bornAt: number;
  readonly landings: Landing[];
  readonly observations: Observation[];
  /** Latest last. */
  readonly intentRecords: IntentRecord[];
  readonly readings: Map<string, Reading[]>;
  readonly decisions: { readonly at: number; readonly from: number; readonly to: number }[];
  /** Scalings that were reported. */
  readonly lines: { readonly at: number; readonly to: number }[];
  /** Runs that wrote the state, latest last. */
  readonly writers: { readonly at: number; readonly by: Invocation }[];
  /** The instant of a wake, as its claim says: the end of a slot may put it off. */
  readonly wokenAt: WeakMap<Invocation, number>;
  /** ebb's last effective scale write since the entry exists was to zero; undefined: it cannot be known. */
  isZeroOurs: boolean | undefined;
  /** The last run that had an effect. */
  lastRunAt: number;
  isSpoiled: boolean;
  /** An item or an answer says something else than is true, so what ebb does to this HPA cannot be judged. */
  isCorrupt: boolean;
  /** When the last of these was repaired. */
  repairedAt: number;
  /** Its cluster fails until then. */
  outUntil: number;
  /** The last answers about the pods of its namespace: listPods, podMetrics, or by the name of a Pods metric. */
  readonly podReadings: Map<string, PodReading[]>;
  /** Scalings up to here need no record: it failed, and that was reported, or their object is gone. */
  excusedUntil: number;
}

export interface EntryVersion {
  readonly from: number;
  to: number;
  /** undefined: deleted, or nothing that ebb can use. */
  readonly entry: UsableEntry | undefined;
}

export interface UsableEntry {
  readonly spec: HpaSpec;
  readonly annotations: Readonly<Record<string, string>>;
  readonly rules?: Readonly<Record<string, MetricRules>>;
  readonly zero?: PlannedZero;
  readonly busy?: PlannedBusy | undefined;
}

/** A change of the target's size. Moments are the world's, `decidedAt` is the deciding process'. */
export interface Landing {
  readonly at: number;
  readonly from: number;
  readonly to: number;
  readonly by: "hand" | IntentRecord;
  /** When it was decided by the run that recorded it: the one that wrote it, or another of the same size. */
  reportedAt: number | undefined;
  /** Its object was made again. If no run has reported it by then, nobody may know of it. */
  isReplaced?: boolean;
  /** ebb knew only that a write to some size may land, so nobody reports it. */
  isUnnamed?: boolean;
}

export type OurLanding = Omit<Landing, "by"> & { readonly by: IntentRecord };

/** A recommendation that ebb has recorded. */
export interface Observation {
  /** By the clock of the process that saw it. */
  readonly at: number;
  readonly replicas: number;
  /** When the table had it. */
  readonly knownAt: number;
}

/** A scale that is announced in the table. */
export interface IntentRecord {
  readonly by: Invocation;
  readonly at: number;
  /** The slot, or the wake's instant. */
  readonly runAt: number;
  readonly until: number;
  readonly decidedAt: number;
  readonly from: number;
  readonly to: number;
  readonly resourceVersion: string;
  /** The shard's last finished slot when this was announced. */
  readonly shardSlot: number;
  /** Of the HPA when this was announced: its write may land after its entry and its state are deleted. */
  readonly isZeroOurs: Ledger["isZeroOurs"];
}

export interface Reading {
  readonly at: number;
  readonly by: Invocation;
  /** undefined: no usable answer. */
  readonly value: number | undefined;
  /** The part that is work for certain; absent: all of it. */
  readonly certain?: number;
  /** A story made something else of the answer, so what it says cannot be calculated with. */
  readonly isOdd?: boolean;
}

export interface PodReading extends ListAnswer {
  readonly by: Invocation;
}

export function newLedger(key: string, cluster: string): Ledger {
  return {
    key,
    cluster,
    versions: [],
    bornAt: -Infinity,
    landings: [],
    observations: [],
    intentRecords: [],
    readings: new Map(),
    decisions: [],
    lines: [],
    writers: [],
    wokenAt: new WeakMap(),
    isZeroOurs: false,
    lastRunAt: -Infinity,
    isSpoiled: false,
    isCorrupt: false,
    repairedAt: -Infinity,
    outUntil: -Infinity,
    podReadings: new Map(),
    excusedUntil: -Infinity,
  };
}

export function versionsBetween(ledger: Ledger, from: number, to: number): readonly EntryVersion[] {
  return ledger.versions.filter((version) => version.from <= to && version.to >= from);
}

/** The entry that was decided from, if only one can be; undefined: none, or nobody knows which. */
export function usableAt(ledger: Ledger, { by, at }: IntentRecord): UsableEntry | undefined {
  const versions = versionsBetween(ledger, by.startedAt, at);
  return versions.length === 1 ? versions[0]?.entry : undefined;
}

/** Since when the entry is there, in whatever version; undefined: it is not. */
export function presentSince({ versions }: Ledger): number | undefined {
  return versions[versions.findLastIndex(({ entry }) => entry === undefined) + 1]?.from;
}

/** What is decided from something that is not true cannot be judged. */
export function isJudged({ isCorrupt, repairedAt }: Ledger, decidedAt: number): boolean {
  return !isCorrupt && decidedAt >= repairedAt;
}

export function usableNow({ versions }: Ledger): UsableEntry | undefined {
  return versions.at(-1)?.entry;
}

export function isActive({ annotations }: UsableEntry): boolean {
  return annotations["ebb.dev/paused"] !== "true" && annotations["ebb.dev/dry-run"] !== "true";
}

export function pushCapped<T>(list: T[], value: T, most = 400): void {
  list.push(value);
  if (list.length > most) list.splice(0, list.length - most / 2);
}
