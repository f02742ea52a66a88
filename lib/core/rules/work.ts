import type { HorizontalPodAutoscaler, MetricSpec, Quantity } from "../../k8s/hpa";
import { parseMilli } from "../../k8s/quantity";
import { type MetricMemory, type ReadingRun, ruleDefaults, type SlotTime } from "../../model/metric/metric-rules";
import { canReachZero, minReplicas } from "../gate";
import type { Proposal } from "../recommend/recommendation";
import { afterStep, type RuleContext, type RuledMetric } from "./rule";

/**
 * Decides between zero and one replica. Above one, and with minReplicas 1 or more, the metric decides as upstream does.
 *
 *     slot      1    2    3    4    5    6        confirm 2, confirmWake 2
 *     value     9    0    9    0    0    9
 *     may be 0  no   no   no   no   yes  yes      a single empty reading, or a single phantom count, moves nothing
 *
 * At zero, uncertain work must last as long as zero must.
 */
export function weighWork(proposal: Proposal, context: RuleContext): RuledMetric {
  const { rules, current, hpa, metric } = context;
  const { value } = proposal.detail;
  if (!movesToZero(hpa, metric) || value === undefined) return { recommendation: proposal, memory: {}, slotsToZero: 0 };
  const { activation = ruleDefaults.activation, confirm = 1, confirmWake = 1 } = rules;
  const isEmpty = parseMilli(value) <= parseMilli(activation);
  // Enough for a running size, not for leaving zero at once.
  const isMerelyPossible =
    !isEmpty && current === 0 && context.certain !== undefined && parseMilli(context.certain) <= parseMilli(activation);
  const needed = isEmpty ? confirm : isMerelyPossible ? Math.max(confirm, confirmWake) : confirmWake;
  const { slot, now } = context;
  const isWithin = (isEmpty || isMerelyPossible) && needed > 1 && now - slot.start > onTimeMs;
  const readings = countReading(context.memory.readings, { isEmpty, needed, slot, isWithin });
  const memory: MetricMemory = needed > 1 ? { readings } : {};
  const { slots } = readings;

  if (current === 0) {
    if (isEmpty)
      return { recommendation: withoutWork(proposal, value, activation), memory, slotsToZero: 0, work: "none" };
    if (slots >= needed) return { recommendation: proposal, memory, slotsToZero: 0, work: "work" };
    const waiting = { slots, needed, ...(isMerelyPossible && { certain: context.certain }) };
    return { recommendation: unconfirmed(proposal, waiting), memory, slotsToZero: 0, work: "unconfirmed" };
  }
  const isWatched = confirm > 1 || parseMilli(activation) > 0n;
  if (!isEmpty) {
    const recommendation = isWatched ? withWork(proposal, value, activation) : proposal;
    return { recommendation, memory, slotsToZero: 0, work: "work" };
  }
  if (slots < needed) return { recommendation: proposal, memory, slotsToZero: needed - slots, work: "unconfirmed" };
  const recommendation = context.isZeroByActivity ? proposal : withoutWork(proposal, value, activation);
  return { recommendation, memory, slotsToZero: 0, work: "none" };
}

/** Readable while no pod runs. */
export function isTotal({ type }: MetricSpec): boolean {
  return type === "Object" || type === "External";
}

function movesToZero(hpa: HorizontalPodAutoscaler, metric: MetricSpec): boolean {
  return isTotal(metric) && minReplicas(hpa) === 0 && canReachZero(hpa);
}

interface Counted {
  readonly isEmpty: boolean;
  readonly needed: number;
  readonly slot: SlotTime;
  /** Read in mid-slot: too close to the next one. */
  readonly isWithin: boolean;
}

/** Later readings are a wake's, or a late slot's. */
const onTimeMs = 2_000;

/**
 * A slot counts once. After a slot without a reading, empty readings count from one again, since nobody knows what that
 * slot had; readings with work do not, since work goes on waiting. A mid-slot reading that must last starts the count
 * with the next one.
 */
function countReading(before: ReadingRun | undefined, { isEmpty, needed, slot, isWithin }: Counted): ReadingRun {
  const { start, periodMs } = slot;
  const first: ReadingRun = { empty: isEmpty, slots: isWithin ? 0 : 1, slot: start };
  // From a clock that was wrong.
  if (before === undefined || before.empty !== isEmpty || before.slot > start) return first;
  if (before.slot === start || before.slots >= needed) return before;
  const isInterrupted = isEmpty && start - before.slot > periodMs;
  return isInterrupted ? first : { empty: isEmpty, slots: before.slots + 1, slot: start };
}

/** An unreadable slot ends empty readings. */
export function unreadMemory({ readings }: MetricMemory): MetricMemory {
  return readings === undefined || readings.empty ? {} : { readings };
}

/** Activation 0 leaves upstream's answer, which may be the current size. */
function withoutWork(proposal: Proposal, value: string, activation: string | number): Proposal {
  if (proposal.replicas === 0 || parseMilli(activation) === 0n) return proposal;
  return afterStep(proposal, {
    stage: "activation",
    replicas: 0,
    limitedBy: "NotActivated",
    because: `${value} is no work: the metric's activation is ${activation}`,
    detail: { rule: activation, found: value },
  });
}

/** For a Value target, upstream asks for no replica while no pod is ready. */
function withWork(proposal: Proposal, value: string, activation: string | number): Proposal {
  if (proposal.replicas > 0) return proposal;
  return afterStep(proposal, {
    stage: "activation",
    replicas: 1,
    limitedBy: "HasWork",
    because: `${value} is work: the metric's activation is ${activation}`,
    detail: { rule: activation, found: value },
  });
}

interface Waiting {
  readonly slots: number;
  readonly needed: number;
  readonly certain?: Quantity | undefined;
}

function unconfirmed(proposal: Proposal, { slots, needed, certain }: Waiting): Proposal {
  if (proposal.replicas === 0) return proposal;
  const soFar = `in ${slots} of the ${needed} slots in a row that wake the target`;
  return afterStep(proposal, {
    stage: "confirmWake",
    replicas: 0,
    limitedBy: "WakeNotConfirmed",
    because:
      certain === undefined
        ? `the metric has work ${soFar}`
        : `the count may be wrong, because ${isNone(certain) ? "none" : `only ${certain}`} of it is work for certain: it was there ${soFar}`,
    detail: { rule: needed, found: slots },
  });
}

const isNone = (certain: Quantity): boolean => parseMilli(certain) === 0n;
