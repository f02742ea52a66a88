import { readOperations } from "../../lib/model/annotations";
import type { HorizontalPodAutoscaler } from "../../lib/k8s/hpa";
import { parseInstant } from "../../lib/k8s/time";
import { digest, type Digest } from "../../lib/core/explain/digest";
import { forecast, type Move } from "../../lib/core/explain/forecast";
import type { EpochMs } from "../../lib/k8s/time";
import type { DecisionRecord, Explained, Intent, State } from "../../lib/model/state";
import { decisionOptions } from "../../lib/model/options";
import { recall } from "../../lib/model/sightings";
import { haltOf, periodOf, type Halt } from "./halt";
import { kubectlName } from "./kubectl-name";
import { remarksOf } from "./remarks";
import { lastSyncOf, type Standing } from "./standing";
import { replicas, summarize } from "./summary";
import type { Times } from "./times";

/** Why an HPA has, or had, its size, and what comes next. `summary` goes on after the HPA's name. */
export interface Account {
  readonly summary: string;
  /** Why nothing is decided at all. */
  readonly halt?: Halt;
  readonly decision?: Explained & Digest;
  readonly isDryRun?: true;
  /** What happens while the metrics go on asking for the same. */
  readonly moves: readonly Move[];
  /** What else a person has to know. */
  readonly remarks: readonly string[];
}

/** How it stands now. */
export function accountOf(standing: Standing, times: Times): Account {
  const { entry, state } = standing;
  const remarks = remarksOf(standing, times);
  const halt = haltOf(standing, times);
  if (halt !== undefined) return { summary: halt.summary, halt, moves: [], remarks };
  if (state?.intent !== undefined) return { summary: unsettled(state.intent, times), moves: [], remarks };
  if ("errors" in entry || state?.decision === undefined) {
    return { summary: "has no recorded decision yet: its next sync records one", moves: [], remarks };
  }
  const { hpa } = entry;
  const decision = readDecision(standing, state.decision);
  const told = {
    decision,
    target: kubectlName(hpa),
    dryRun: isDryRun(hpa),
    isPast: false,
    blindSince: blindSince(state),
  };
  const moves = told.dryRun ? [] : movesAfter(standing, hpa, decision);
  return { summary: summarize(told, times), decision, ...(told.dryRun && { isDryRun: true }), moves, remarks };
}

function unsettled({ from, to, at }: Intent, times: Times): string {
  return `is being scaled from ${from} to ${replicas(to)}, begun at ${times.near(at)}: whether it was done is not known until the next sync`;
}

/** A decision that was recorded, as it stood then. */
export function accountOfRecord(standing: Standing, record: DecisionRecord, times: Times): Account {
  const decision = readDecision(standing, record);
  const target = "hpa" in standing.entry ? kubectlName(standing.entry.hpa) : "the target";
  const told = { decision, target, dryRun: record.dryRun === true, isPast: true };
  return { summary: summarize(told, times), decision, moves: [], remarks: [] };
}

/** A recorded decision's digest; `standing` is undefined for an HPA that is gone. */
export function digestOf(standing: Standing | undefined, record: Explained): Digest {
  const hpa = standing !== undefined && "hpa" in standing.entry ? standing.entry.hpa : undefined;
  return digest(record, { hpa, options: optionsOf(standing) });
}

function readDecision(standing: Standing, record: Explained): Explained & Digest {
  const { at, from, desiredReplicas, steps } = record;
  return { at, from, desiredReplicas, steps, ...digestOf(standing, record) };
}

function optionsOf(standing: Standing | undefined) {
  const cluster = standing?.cluster;
  return decisionOptions(cluster !== undefined && "value" in cluster ? cluster.value.spec.options : undefined);
}

function movesAfter(
  standing: Standing,
  hpa: HorizontalPodAutoscaler,
  { proposed, desiredReplicas, obstacle }: Explained & Digest,
): readonly Move[] {
  const { state } = standing;
  const at = lastSyncOf(standing);
  if (state === undefined || state.history === null || at === undefined) return [];
  if (proposed === null || obstacle !== undefined) return [];
  const history = recall(state, at).history ?? state.history;
  const after = { history, replicas: desiredReplicas, proposed, at };
  return forecast({ hpa, options: optionsOf(standing), ...after, periodMs: periodOf(standing) });
}

function isDryRun({ metadata }: HorizontalPodAutoscaler): boolean {
  const operations = readOperations(metadata);
  return "dryRun" in operations && operations.dryRun;
}

/** ScalingActive went False when the metrics went dark, for as long as that is its reason. */
function blindSince({ status }: State): EpochMs | undefined {
  const active = status.conditions?.find(({ type }) => type === "ScalingActive");
  if (active?.status !== "False" || active.lastTransitionTime === undefined) return undefined;
  return active.reason?.startsWith("FailedGet") === true ? parseInstant(active.lastTransitionTime) : undefined;
}
