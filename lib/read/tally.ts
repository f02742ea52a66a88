import { type HpaKey, isHpaKey, nameOf, namespaceOf, shownName } from "../model/hpa-key";
import { readOperations, isPaused } from "../model/entry/annotations";
import { parseInstant } from "../k8s/time";
import { validateStoredHpa } from "../model/entry/stored-hpa";
import type { EpochMs } from "../k8s/time";
import type { State } from "../model/stored/state";
import type { ShardContents } from "../model/ports/store";
import { isLeftAtZero } from "./left-at-zero";

/** An HPA with a problem. */
export interface FailingCount {
  readonly namespace: string;
  readonly name: string;
  readonly reason: string;
  readonly message: string;
  /** Absent if unknown. */
  readonly since?: EpochMs;
}

/** The state of one cluster's HPAs. */
export interface Tally {
  readonly hpas: number;
  readonly paused: number;
  readonly dryRun: number;
  readonly failing: readonly FailingCount[];
  /** HPAs ("namespace/name") whose workloads are at a zero that ebb did not make, so that nothing wakes them. */
  readonly leftAtZero: readonly HpaKey[];
}

export function tallyOf({ hpas, states, brokenStates }: ShardContents, now: EpochMs): Tally {
  let [paused, dryRun] = [0, 0];
  const failing: FailingCount[] = [];
  const leftAtZero: HpaKey[] = [];
  for (const { key, document } of hpas) {
    const subject = { namespace: namespaceOf(key), name: isHpaKey(key) ? nameOf(key) : shownName(key) };
    const { hpa, errors } = validateStoredHpa({ key, document });
    const operations = hpa === undefined ? { errors } : readOperations(hpa.metadata);
    if ("errors" in operations) {
      failing.push({ ...subject, reason: "InvalidEntry", message: operations.errors.join("; ") });
      continue;
    }
    if (Object.hasOwn(brokenStates, key)) {
      failing.push({ ...subject, reason: "BrokenState", message: brokenStates[key] ?? "" });
      continue;
    }
    const isPausedNow = isPaused(operations, now);
    if (isPausedNow) paused += 1;
    else if (operations.dryRun) dryRun += 1;
    const state = Object.hasOwn(states, key) ? states[key] : undefined;
    if (!isPausedNow && state !== undefined && isLeftAtZero(state)) leftAtZero.push(key);
    const warning = isPausedNow ? undefined : state?.warnings?.[0];
    if (state === undefined || warning === undefined) continue;
    const { reason, message } = warning;
    const since = sinceOf(state, reason);
    failing.push({ ...subject, reason, message, ...(since === undefined ? {} : { since }) });
  }
  return { hpas: hpas.length, paused, dryRun, failing, leftAtZero };
}

/** When the condition went False for this reason. */
function sinceOf({ status }: State, reason: string): EpochMs | undefined {
  const condition = status.conditions?.find((one) => one.status === "False" && one.reason === reason);
  return condition?.lastTransitionTime === undefined ? undefined : parseInstant(condition.lastTransitionTime);
}
