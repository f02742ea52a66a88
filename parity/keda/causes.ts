import { parseMilli } from "../../lib/k8s/quantity";
import { fallbackValue, modifiersOf, specOf } from "./keda-loop";
import type { Instant } from "./row";
import type { Imported, Stepped } from "./step-ebb";
import type { Story } from "./story";

export const formulaOf = (story: Story) => modifiersOf(story)?.formula;
export const isDisabled = ({ decision }: Stepped) =>
  decision.steps.some(({ limitedBy }) => limitedBy === "ScalingDisabled");
export const isFallingBack = ({ told }: Instant) => told.fallback.some((bits) => bits !== 0);
export const fallbackOf = (story: Story) => specOf(story).fallback;

/** A trigger fails, and the formula has a value without it. */
export function failsUnneeded({ story, imported, step, from }: Instant): boolean {
  const index = (imported.hpa.spec.metrics ?? []).findIndex(({ external }) =>
    external?.metric.name.endsWith(".formula"),
  );
  const read = imported.read(step, from)[index];
  return formulaOf(story) !== undefined && step.read.includes(null) && read !== undefined && "items" in read;
}

export function withoutFormula({ imported: { hpa, read } }: Instant): Imported["read"] {
  return (step, size) =>
    read(step, size).map((response, index) =>
      hpa.spec.metrics?.[index]?.external?.metric.name.endsWith(".formula") === true
        ? { error: "a trigger fails" }
        : response,
    );
}

export function isBelowLeast(story: Story, from: number): boolean {
  return from > 0 && from < (specOf(story).minReplicaCount ?? 0);
}

export function isWithinTolerance({ hpa: { spec } }: Imported, from: number, size: number): boolean {
  const { tolerance = "100m" } = (size > from ? spec.behavior?.scaleUp : spec.behavior?.scaleDown) ?? {};
  return size !== from && BigInt(Math.abs(size - from) * 1000) <= parseMilli(tolerance) * BigInt(from);
}

/** KEDA compares the fallback's value with activationTarget. */
export function isInactiveFallback({ story, step, from }: Instant): boolean {
  const { activationTarget = 0 } = modifiersOf(story) ?? {};
  const value = modifiersOf(story) && fallbackValue({ story, size: from }, step.read.indexOf(null));
  return value !== undefined && value <= Number(activationTarget);
}
