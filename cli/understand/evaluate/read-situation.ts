import { isDeepStrictEqual } from "node:util";
import { servedStatus } from "../../../lib/k8s/codec/encode-v1";
import { withDefaults } from "../../../lib/k8s/defaults";
import type { HorizontalPodAutoscaler, HpaStatus } from "../../../lib/k8s/hpa";
import type { MetricResponse } from "../../../lib/k8s/objects";
import { type EpochMs, parseInstant } from "../../../lib/k8s/time";
import { type FieldPath, unexpected } from "../../../lib/model/check/problem";
import type { Schema } from "../../../lib/model/check/schema-data";
import { defaultOptions } from "../../../lib/model/entry/options";
import type { ObservedInput, SituationInput, StoryInput } from "../../../lib/model/schema/situation";
import type { Decision, Situation } from "../../../lib/model/situation";
import * as validators from "../../../lib/model/validators/situation";
import { checked, InputError, readActivity, readHistory, readMemory } from "./read-history";

export interface Moment {
  readonly now: EpochMs;
  readonly situation: Situation;
}

export type Constant = Pick<Situation, "hpa" | "options" | "otherHpas" | "rules">;

export interface StoryStep {
  readonly now: EpochMs;
  readonly seen: Pick<Situation, "scale" | "pods" | "metrics" | "slot" | "busy" | "costsSeenAt">;
}

/**
 * `{now, hpa, scale, pods, metrics, history, options?, otherHpas?, rules?, memory?, activity?, sparedSince?, slot?,
 * busy?, costsSeenAt?}`, without nulls.
 *
 * @throws InputError
 */
export function readMoment(document: unknown, root: FieldPath = []): Moment {
  const input = checked<SituationInput>(validators.situation, document, root);
  const constant = readConstant(input, root);
  const { now, seen } = readObserved(input, constant.hpa, root);
  const memory = readMemory(input.memory);
  const activity = readActivity(input.activity);
  const known = { history: readHistory(input.history), ...(memory && { memory }), ...(activity && { activity }) };
  const spared = input.sparedSince !== undefined && { sparedSince: parseInstant(input.sparedSince) };
  return { now, situation: { ...constant, ...seen, ...known, ...spared } };
}

/**
 * `{hpa, options?, otherHpas?, rules?, steps}`, without nulls. A step is
 * `{now, scale, pods, metrics, slot?, busy?, costsSeenAt?}`.
 *
 * @throws InputError
 */
export function readStory(document: unknown): { readonly constant: Constant; readonly steps: readonly StoryStep[] } {
  const input = checked<StoryInput>(validators.story, document);
  const constant = readConstant(input, []);
  const steps = input.steps.map((step, index) => readObserved(step, constant.hpa, ["steps", index]));
  return { constant, steps };
}

/** A status that differs in spelling alone is not written: the stored one stays. Upstream: updateStatusIfNeeded. */
export function withStoredStatus<T extends Pick<Decision, "status">>({ hpa }: Constant, decision: T): T {
  const isStored = isDeepStrictEqual(hpa.status, servedStatus(decision.status));
  return isStored ? { ...decision, status: hpa.status } : decision;
}

/** As the next sync reads it from the API server. */
export function withStatus(constant: Constant, status: HpaStatus): Constant {
  return { ...constant, hpa: { ...constant.hpa, status: servedStatus(status) } };
}

function readConstant(
  { hpa: given, options, otherHpas = [], rules }: SituationInput | StoryInput,
  root: FieldPath,
): Constant {
  const hpa = withDefaults(given);
  const metrics = hpa.spec.metrics ?? [];
  if (rules !== undefined && rules.length !== metrics.length) {
    throw new InputError(unexpected([...root, "rules"], `one entry for each of the ${metrics.length} metrics`, rules));
  }
  return {
    hpa,
    options: options ? { ...defaultOptions, ...options } : defaultOptions,
    otherHpas,
    ...(rules && { rules }),
  };
}

function readObserved(
  { now, scale, pods = [], metrics = [], slot, busy, costsSeenAt }: ObservedInput,
  hpa: HorizontalPodAutoscaler,
  root: FieldPath,
): StoryStep {
  const responses = readResponses(metrics, hpa, [...root, "metrics"]);
  const time = slot && { slot: { start: parseInstant(slot.start), periodMs: slot.periodSeconds * 1000 } };
  const spared = {
    ...(busy && { busy }),
    ...(costsSeenAt !== undefined && { costsSeenAt: parseInstant(costsSeenAt) }),
  };
  return { now: parseInstant(now), seen: { scale, pods, metrics: responses, ...time, ...spared } };
}

const responseSchemas: ReadonlyMap<string, Schema> = new Map([
  ["Resource", validators.podMetrics],
  ["ContainerResource", validators.podMetrics],
  ["Pods", validators.metricValue],
  ["Object", validators.metricValue],
  ["External", validators.externalValue],
]);

/** One for each metric of the defaulted spec. An empty list is valid: no metric was read. */
function readResponses(
  responses: readonly unknown[],
  { spec: { metrics = [] } }: HorizontalPodAutoscaler,
  path: FieldPath,
): readonly MetricResponse[] {
  if (responses.length > 0 && responses.length !== metrics.length) {
    throw new InputError(
      unexpected(path, `one response for each of the ${metrics.length} metrics of the spec`, responses),
    );
  }
  return responses.map((response, index) =>
    checked(responseSchemas.get(metrics[index]?.type ?? "") ?? validators.anyResponse, response, [...path, index]),
  );
}
