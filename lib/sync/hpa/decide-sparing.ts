import { evaluateEntry } from "../../core/evaluate-entry";
import { currentReplicas } from "../../core/gate";
import type { Operations } from "../../model/entry/annotations";
import { busyRuleOf, ignoresCosts } from "../../model/entry/busy-rule";
import type { Decision, HpaEvent, Situation } from "../../model/situation";
import type { State } from "../../model/stored/state";
import { type BusyReading, readBusy } from "../../readings/read-busy";
import { findOwnCosts, mayLeaveCosts, type OwnCosts, type SparedScaling, takeCostsAway } from "../scale/deletion-costs";
import type { SyncRun } from "./sync-run";

interface Decided {
  readonly decision: Decision;
  readonly situation: Situation;
  readonly spared?: SparedScaling;
}

export async function decideSparing(run: SyncRun, situation: Situation, operations: Operations): Promise<Decided> {
  const { hpa, scale } = situation;
  const { now, cluster, time } = run;
  const decision = evaluateEntry(situation, operations, now);
  const rule = busyRuleOf(hpa);
  if (rule === undefined || "error" in scale || !wantsLess(decision, currentReplicas(scale)))
    return { decision, situation };
  const namespace = hpa.metadata.namespace ?? "";
  const { kind, name } = hpa.spec.scaleTargetRef;
  const query = { rule, namespace, selector: scale.status.selector ?? "", workload: `${kind}/${name}` };
  const read = () => readBusy({ cluster, now: () => time.now(), signal: time.reads }, query);
  const reading = await read();
  const knowing = (found: BusyReading) => ({ ...situation, busy: found.counts });
  const decided = evaluateEntry(knowing(reading), operations, now);
  const { scaleTo } = decided;
  if (scaleTo === null) return { decision: decided, situation: knowing(reading) };
  const holds = (found: BusyReading) => evaluateEntry(knowing(found), operations, now).scaleTo === scaleTo;
  const usesCosts = ignoresCosts(hpa)?.isStatefulSet !== true;
  return { decision: decided, situation: knowing(reading), spared: { namespace, reading, read, holds, usesCosts } };
}

/** Also in a dry run. */
function wantsLess({ steps }: Decision, current: number): boolean {
  const { replicas } = steps.find(({ stage }) => stage === "decide") ?? { replicas: null };
  return replicas !== null && replicas < current;
}

interface LeftCosts {
  readonly deletionCosts: boolean;
  readonly warnings: readonly HpaEvent[];
  /** Call once the state is written. */
  readonly takeAway?: () => Promise<unknown>;
}

/** List, write the state, patch: docs/decisions/0101-spare-the-busy.md */
export async function findLeftCosts(
  run: SyncRun,
  { deletionCosts: had }: State,
  { decision, situation, spared }: Decided,
  { dryRun }: Operations,
): Promise<LeftCosts> {
  const deletionCosts = had === true;
  if (spared !== undefined) return { deletionCosts: deletionCosts || mayLeaveCosts(spared), warnings: [] };
  const { hpa, scale } = situation;
  const isQuiet = decision.scaleTo === null && !dryRun && !("error" in scale);
  if (!deletionCosts || !isQuiet || scale.status.replicas > currentReplicas(scale))
    return { deletionCosts, warnings: [] };
  const namespace = hpa.metadata.namespace ?? "";
  const own: OwnCosts = await findOwnCosts(run, { namespace, selector: scale.status.selector ?? "" });
  if ("error" in own)
    return { deletionCosts, warnings: [{ type: "Warning", reason: "FailedClearDeletionCosts", message: own.error }] };
  const { pods } = own;
  if (pods.length === 0) return { deletionCosts: false, warnings: [] };
  return { deletionCosts, warnings: [], takeAway: () => takeCostsAway(run, namespace, pods) };
}
