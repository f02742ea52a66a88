import { evaluate } from "../../../lib/core/evaluate";
import type { HpaSpec } from "../../../lib/k8s/hpa";
import type { MetricResponse, Pod } from "../../../lib/k8s/objects";
import type { MetricRules } from "../../../lib/model/metric/metric-rules";
import type { Decision, Situation } from "../../../lib/model/situation";
import { at, external, hpaWith, scaledToZero, scaleOf, situationWith, unhindered } from "../build";

export const periodMs = 15_000;

/** A value of the metric; "?" cannot be read. */
export type Read = number | "?";

export interface Play {
  readonly rules?: MetricRules;
  readonly replicas?: number;
  readonly spec?: Partial<HpaSpec>;
  readonly pods?: readonly Pod[];
}

/**
 * A slot of a story: the reading, how much of it is certain, and optionally a moment within the slot, or slots that
 * nobody synced before it.
 */
export type Slot =
  Read | { readonly read: Read; readonly certain?: number; readonly wake?: true; readonly skipped?: number };

/** Plays slots of 15 s. A wake happens 5 s into the slot before it. Every decision takes effect at once. */
export function play(
  slots: readonly Slot[],
  { rules = {}, replicas = 0, spec, pods = [] }: Play = {},
): readonly Decision[] {
  const hpa = hpaWith({ minReplicas: 0, behavior: unhindered, ...spec }, replicas === 0 ? scaledToZero : undefined);
  let last: Decision | undefined;
  let size = replicas;
  let index = -1;
  return slots.map((slot) => {
    const { read, certain, wake, skipped = 0 } = typeof slot === "object" ? slot : { read: slot };
    if (wake === undefined) index += 1 + skipped;
    const start = at(index * 15);
    const situation: Situation = situationWith({
      hpa: last === undefined ? hpa : { ...hpa, status: last.status },
      ...{ scale: scaleOf(size), pods },
      metrics: (hpa.spec.metrics ?? []).map(() => ({ ...responseOf(read), ...(certain !== undefined && { certain }) })),
      history: last?.history ?? null,
      rules: (hpa.spec.metrics ?? []).map(() => rules),
      slot: { start, periodMs },
      ...(last?.memory && { memory: last.memory }),
    });
    last = evaluate(situation, wake === undefined ? start : start + 5_000);
    size = last.scaleTo ?? size;
    return last;
  });
}

export function sizes(slots: readonly Slot[], given: Play = {}): readonly number[] {
  let size = given.replicas ?? 0;
  return play(slots, given).map(({ scaleTo }) => (size = scaleTo ?? size));
}

export function responseOf(read: Read): MetricResponse {
  return read === "?" ? { error: "connection refused" } : external(read);
}
