import type { Scale } from "../k8s/objects";
import { type EpochMs, formatSeconds } from "../k8s/time";
import { type BusyRule, busyRuleOf } from "../model/entry/busy-rule";
import type { BusyPods, HpaEvent, Situation } from "../model/situation";
import type { SpareDetail, Step } from "../model/step";
import type { Verdict } from "./conditions";
import { currentReplicas } from "./gate";

interface Sized {
  readonly scale: Scale;
  readonly replicas: number;
  readonly verdicts: readonly Verdict[];
  readonly events: readonly HpaEvent[];
  readonly steps: readonly Step[];
  readonly sparedSince?: EpochMs | undefined;
}

interface Needed {
  readonly replicas: number;
  readonly because: string;
}

/** The last stage of a size that would fall: docs/decisions/0101-spare-the-busy.md */
export function spareBusy<T extends Sized>(situation: Situation, findings: T, now: EpochMs): T {
  const { hpa, busy, costsSeenAt } = situation;
  const rule = busyRuleOf(hpa);
  const current = currentReplicas(findings.scale);
  if (rule === undefined || busy === undefined || findings.replicas >= current) return findings;
  const spared = notBelowBusy(situation, findings, { rule, busy, current, now });
  if (costsSeenAt === undefined || now >= costsSeenAt || spared.replicas >= current) return spared;
  const because = `${busyText(busy)}; controllers may not have seen their deletion costs yet`;
  const detail = { ...detailOf(busy, null), costsSeenAt };
  const step: Step = { stage: "spare", replicas: current, limitedBy: SPARED_BUSY, because, detail };
  return {
    ...spared,
    replicas: current,
    verdicts: [...findings.verdicts, sparedVerdict(because)],
    steps: [...findings.steps, step],
  };
}

interface Sparing {
  readonly rule: BusyRule;
  readonly busy: BusyPods;
  readonly current: number;
  readonly now: EpochMs;
}

function notBelowBusy<T extends Sized>(
  { sparedSince }: Situation,
  findings: T,
  { rule, busy, current, now }: Sparing,
): T {
  const needed = neededFor(rule, busy, current);
  const step = { stage: "spare", replicas: findings.replicas, because: needed.because } as const;
  if (needed.replicas <= findings.replicas) return withSteps(findings, { ...step, detail: detailOf(busy, null) });

  // From a clock that was wrong.
  const since = Math.min(sparedSince ?? now, now);
  const until = rule.spareForMs === undefined ? null : since + rule.spareForMs;
  const detail = detailOf(busy, until);
  const failed = failedEvents(busy);
  if (until !== null && now >= until) {
    const because = `${needed.because}; they have been spared until ${formatSeconds(until)}`;
    return { ...withSteps(findings, { ...step, because, detail }, failed), sparedSince: since };
  }
  const held: Step = { ...step, replicas: needed.replicas, limitedBy: SPARED_BUSY, detail };
  return {
    ...withSteps(findings, held, failed),
    replicas: needed.replicas,
    verdicts: [...findings.verdicts, sparedVerdict(needed.because)],
    sparedSince: since,
  };
}

export const SPARED_BUSY = "SparedBusy";

function neededFor({ spares }: BusyRule, busy: BusyPods, current: number): Needed {
  const because = busyText(busy);
  if ("error" in busy) return { replicas: current, because };
  const count = busy.busy + busy.unknown;
  if (!spares || count === 0) return { replicas: 0, because };
  // A ReplicaSet's controller ranks by readiness first.
  if (busy.notReady > 0)
    return { replicas: current, because: `${because}, ${busy.notReady} of them not Ready, which would go first` };
  // A Deployment's controller scales each in proportion.
  if (busy.replicaSets > 1)
    return { replicas: current, because: `${because}, and a rollout is under way: ${busy.replicaSets} ReplicaSets` };
  return { replicas: Math.min(count, current), because };
}

function busyText(pods: BusyPods): string {
  if ("error" in pods) return `nobody knows which pods are busy: ${pods.error}`;
  const { busy, unknown, idle, problem } = pods;
  const why = problem === undefined ? "" : ` (${problem})`;
  const unread = unknown === 0 ? "" : `, and ${unknown} may be${why}`;
  return `${busy} of ${busy + unknown + idle} pods are busy${unread}`;
}

function detailOf(busy: BusyPods, until: EpochMs | null): SpareDetail {
  return "error" in busy
    ? { busy: null, pods: null, until }
    : { busy: busy.busy + busy.unknown, pods: busy.busy + busy.unknown + busy.idle, until };
}

function withSteps<T extends Sized>(findings: T, step: Step, events: readonly HpaEvent[] = []): T {
  return { ...findings, steps: [...findings.steps, step], events: [...findings.events, ...events] };
}

function failedEvents(busy: BusyPods): readonly HpaEvent[] {
  if (!("error" in busy)) return [];
  return [{ type: "Warning", reason: "FailedGetBusyPods", message: busy.error }];
}

function sparedVerdict(because: string): Verdict {
  const message = `the desired replica count is less than the busy pods need: ${because}`;
  return { type: "ScalingLimited", status: "True", reason: SPARED_BUSY, message };
}
