import { isAtZero, isTrue } from "../core/conditions";
import { wasPaused } from "../core/modifiers";
import type { EpochMs } from "../k8s/time";
import { isPaused, type Operations, readOperations } from "../model/entry/annotations";
import { zeroAnnotation, zeroAnnotationProblem } from "../model/entry/zero-rule";
import { signsOf } from "../model/hpa-signs";
import { type HpaState, statesOf } from "../model/hpa-states";
import { type LastingType, lastingTypes } from "../model/notification";
import type { NotifiedEntry } from "../model/ports/notified";
import type { State } from "../model/stored/state";

export interface Seen {
  readonly states: readonly HpaState[];
  readonly lasting: ReadonlySet<LastingType>;
}

const nothing: ReadonlySet<LastingType> = new Set();

/**
 * A state is written whenever one of these begins or ends: warnings and conditions change with it.
 *
 * @param entry absent: any
 */
export function seenIn(state: State | undefined, now: EpochMs, entry?: NotifiedEntry): Seen {
  if (state === undefined) return { states: [], lasting: nothing };
  const operations = entry && operationsOf(entry);
  // The state remembers a pause until the first sync after it.
  if ((operations !== undefined && isPaused(operations, now)) || wasPaused(state))
    return { states: ["paused"], lasting: nothing };
  const signs = signsOf(state, operations?.dryRun === true);
  const states = statesOf(signs);
  const holds: Readonly<Record<LastingType, boolean>> = {
    failing: signs.isFailing,
    "unknown-metric": signs.holds.includes("unknownMetric"),
    "at-max": states.includes("atMax"),
    "not-woken": isNotWoken(state, signs, entry),
  };
  return { states, lasting: new Set(lastingTypes.filter((type) => holds[type])) };
}

export function isPausedNow(entry: NotifiedEntry, now: EpochMs): boolean {
  const operations = operationsOf(entry);
  return operations !== undefined && isPaused(operations, now);
}

/** Undefined: they cannot be read. */
function operationsOf({ annotations }: NotifiedEntry): Operations | undefined {
  const operations = readOperations({ annotations });
  return "errors" in operations ? undefined : operations;
}

/**
 * At zero, ebb wants more than zero, or does not own a zero that its entry lets it make. At a zero of somebody else, no
 * metric is read, so nothing says whether there is work.
 */
function isNotWoken(
  { decision, open, history }: State,
  { isLeftAtZero, isDryRun, size }: ReturnType<typeof signsOf>,
  entry: NotifiedEntry | undefined,
): boolean {
  if (isLeftAtZero) return entry === undefined || scalesToZero(entry);
  if (size !== 0 || isDryRun) return false;
  const recommended = open ? (history?.recommendations.at(-1)?.replicas ?? 0) : 0;
  return Math.max(recommended, decision?.desiredReplicas ?? 0) > 0;
}

function scalesToZero({ minReplicas, annotations }: NotifiedEntry): boolean {
  const rule = Object.hasOwn(annotations, zeroAnnotation) ? annotations[zeroAnnotation] : undefined;
  return minReplicas === 0 || (rule !== undefined && zeroAnnotationProblem(rule) === undefined);
}

export type ZeroScaling = "scaled-to-zero" | "scaled-from-zero";

/** Only scalings of ebb set the time. */
export function zeroScaling(before: State | undefined, { status }: State): ZeroScaling | undefined {
  const { lastScaleTime, desiredReplicas = 0, conditions } = status;
  if (before === undefined || lastScaleTime === undefined) return undefined;
  if (lastScaleTime === before.status.lastScaleTime) return undefined;
  if (desiredReplicas === 0) return isTrue(conditions, "ScaledToZero") ? "scaled-to-zero" : undefined;
  return isAtZero(before.status) ? "scaled-from-zero" : undefined;
}

/** Decides without the entry, for almost all records. */
export function mayMatter(before: State | undefined, after: State | undefined, now: EpochMs): boolean {
  if (after === undefined || zeroScaling(before, after) !== undefined) return true;
  const [old, next] = [seenIn(before, now), seenIn(after, now)];
  const isPaused = ({ states }: Seen) => states.includes("paused");
  if (isPaused(old) !== isPaused(next) || old.lasting.size !== next.lasting.size) return true;
  return [...next.lasting].some((type) => !old.lasting.has(type));
}
