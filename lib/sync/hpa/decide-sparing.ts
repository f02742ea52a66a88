import { evaluateEntry } from "../../core/evaluate-entry";
import { currentReplicas } from "../../core/gate";
import { SPARED_BUSY } from "../../core/spare-busy";
import type { Operations } from "../../model/entry/annotations";
import { busyRuleOf, ignoresCosts } from "../../model/entry/busy-rule";
import type { Decision, HpaEvent, Situation } from "../../model/situation";
import type { DeletionCosts, State } from "../../model/stored/state";
import { type BusyReading, readBusy } from "../../readings/read-busy";
import {
  clearMs,
  findOwnCosts,
  patchAll,
  type Prepared,
  type SparedScaling,
  takeCostsAway,
} from "../scale/deletion-costs";
import { type CostWait, isElsewhere, mayLand, waitForCosts } from "../scale/wait-for-costs";
import type { SyncRun } from "./sync-run";

interface Decided {
  readonly decision: Decision;
  readonly situation: Situation;
  readonly wait?: CostWait;
  readonly spared?: SparedScaling;
}

export async function decideSparing(
  run: SyncRun,
  { deletionCosts }: State,
  situation: Situation,
  operations: Operations,
): Promise<Decided> {
  const { hpa, scale } = situation;
  const { now, cluster, time } = run;
  const decision = evaluateEntry(situation, operations, now);
  const rule = busyRuleOf(hpa);
  if (rule === undefined || "error" in scale || !wantsLess(decision, currentReplicas(scale)))
    return { decision, situation };
  const namespace = hpa.metadata.namespace ?? "";
  const { kind, name } = hpa.spec.scaleTargetRef;
  const query = { rule, namespace, selector: scale.status.selector ?? "", workload: `${kind}/${name}` };
  // Leaves time to decide without.
  const limitMs = () => Math.max(0, time.readsEnd - time.now()) / 2;
  const read = () => readBusy({ cluster, now: () => time.now(), signal: time.reads, limitMs: limitMs() }, query);
  const reading = await read();
  const knowing = (found: BusyReading) => ({ ...situation, busy: found.counts });
  const known = knowing(reading);
  const decided = evaluateEntry(known, operations, now);
  const { scaleTo } = decided;
  if (scaleTo === null) return { decision: decided, situation: known };
  const usesCosts = ignoresCosts(hpa)?.isStatefulSet !== true;
  const wait = waitForCosts(
    { pods: usesCosts ? reading.pods : [], selector: query.selector },
    deletionCosts,
    time.now(),
  );
  const waiting = { ...known, ...(wait.seenAt !== undefined && { costsSeenAt: wait.seenAt }) };
  const held = evaluateEntry(waiting, operations, now);
  if (held.scaleTo === null) return { decision: held, situation: waiting, wait };
  const holds = (found: BusyReading) => evaluateEntry(knowing(found), operations, now).scaleTo === scaleTo;
  const { isOverdue, costs } = wait;
  const spared = { namespace, reading, read, holds, usesCosts, isOverdue, setAt: costs?.at };
  return { decision: decided, situation: known, wait, spared };
}

function wantsLess({ steps }: Decision, current: number): boolean {
  const { replicas } = steps.find(({ stage }) => stage === "decide") ?? { replicas: null };
  return replicas !== null && replicas < current;
}

export interface NextCosts {
  readonly deletionCosts: DeletionCosts | undefined;
  readonly warnings: readonly HpaEvent[];
  /** Call once the state is written. */
  readonly patch?: () => Promise<Prepared>;
}

/** List, write the state, patch: docs/decisions/0101-spare-the-busy.md */
export async function nextCosts(
  run: SyncRun,
  { deletionCosts, intent }: State,
  { decision, situation, wait, spared }: Decided,
  { dryRun }: Operations,
): Promise<NextCosts> {
  const { hpa, scale } = situation;
  const namespace = hpa.metadata.namespace ?? "";
  if ("error" in scale) return abandonCosts(run, namespace, deletionCosts);
  if (dryRun) return { deletionCosts, warnings: [] };
  if (deletionCosts !== undefined && isElsewhere(deletionCosts, scale.status.selector ?? ""))
    return takeAway(run, namespace, deletionCosts);
  if (wait !== undefined) {
    const { changes, costs } = wait;
    const patches = spared === undefined && changes.length > 0;
    const patch = () => patchAll(run, { namespace, changes, setAt: costs?.at });
    return { deletionCosts: costs, warnings: [], ...(patches && { patch }) };
  }
  if (deletionCosts === undefined) return { deletionCosts, warnings: [] };
  const { since: _, ...left } = deletionCosts;
  const isQuiet = decision.scaleTo === null && intent === undefined && !goesOnFalling(decision);
  if (!isQuiet || scale.status.replicas > currentReplicas(scale)) return { deletionCosts: left, warnings: [] };
  return takeAway(run, namespace, left);
}

/** Nothing scales down while the entry is invalid or the target cannot be read, which may never end. */
export async function abandonCosts(
  run: SyncRun,
  namespace: string,
  costs: DeletionCosts | undefined,
): Promise<NextCosts> {
  const isOld = costs !== undefined && Math.abs(run.time.now() - costs.at) >= clearMs;
  return isOld ? takeAway(run, namespace, costs) : { deletionCosts: costs, warnings: [] };
}

async function takeAway(run: SyncRun, namespace: string, costs: DeletionCosts): Promise<NextCosts> {
  const at = run.time.now();
  const { again, selector } = costs;
  const isEarly = mayLand(costs.at, at);
  if (again && isEarly) return { deletionCosts: costs, warnings: [] };
  const own = await findOwnCosts(run, { namespace, selector });
  if ("error" in own) return { deletionCosts: costs, warnings: [costWarning("FailedClearDeletionCosts", own.error)] };
  const { pods } = own;
  if (pods.length === 0) return { deletionCosts: isEarly ? { ...costs, again: true } : undefined, warnings: [] };
  const patch = () => takeCostsAway(run, { namespace, pods, setAt: at });
  return { deletionCosts: { at, selector }, warnings: [], patch };
}

function goesOnFalling({ steps }: Decision): boolean {
  const isLimited = steps.some(
    ({ stage, limitedBy, detail }) =>
      stage === "limitRate" && limitedBy === "ScaleDownLimit" && (detail?.until ?? null) !== null,
  );
  return isLimited && !steps.some(({ limitedBy }) => limitedBy === SPARED_BUSY);
}

export function costWarning(reason: string, message: string): HpaEvent {
  return { type: "Warning", reason, message };
}
