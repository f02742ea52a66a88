import { withDefaults } from "../../lib/k8s/defaults";
import type { HorizontalPodAutoscaler, HpaStatus } from "../../lib/k8s/hpa";
import type { MetricResponse, Pod, Scale } from "../../lib/k8s/objects";
import { defaultOptions } from "../../lib/model/entry/options";
import { parseInstant } from "../../lib/k8s/time";
import type { History, Options, Situation } from "../../lib/model/situation";
import type { EpochMs } from "../../lib/k8s/time";
import { checkHpa } from "./check-hpa";
import { checkPod, checkResponse, checkScale } from "./check-observed";
import { readHistory } from "./read-history";
import {
  checkInstant,
  checkName,
  checkNotNegative,
  checkObject,
  checkText,
  field,
  itemsOf,
  optional,
  ShapeError,
  type At,
} from "./shape";

/** A situation and its time. */
export interface Moment {
  readonly now: EpochMs;
  readonly situation: Situation;
}

/** What all steps of a story share. */
export type Constant = Pick<Situation, "hpa" | "options" | "otherHpas">;

/** `{now, hpa, scale, pods, metrics, history, options?, otherHpas?}`. Throws ShapeError. */
export function readMoment(at: At): Moment {
  return readStep(at, readConstant(at), readHistory(field(at, "history")));
}

/** A step of a story continues from the status and history of the step before. */
export function readStep(at: At, constant: Constant, history: History | null): Moment {
  const { hpa } = constant;
  checkInstant(field(at, "now"));
  checkScale(field(at, "scale"));
  const pods = itemsOf(field(at, "pods"));
  pods.forEach(checkPod);
  return {
    now: parseInstant(field(at, "now").value as string),
    situation: {
      ...constant,
      scale: field(at, "scale").value as Scale | { readonly error: string },
      pods: pods.map(({ value }) => value as Pod),
      metrics: readResponses(field(at, "metrics"), hpa),
      history,
    },
  };
}

export function readConstant(at: At): Constant {
  checkObject(at);
  checkHpa(field(at, "hpa"));
  const hpa = withDefaults(field(at, "hpa").value as HorizontalPodAutoscaler);
  return { hpa, options: readOptions(field(at, "options")), otherHpas: readOthers(field(at, "otherHpas")) };
}

export function withStatus(constant: Constant, status: HpaStatus): Constant {
  return { ...constant, hpa: { ...constant.hpa, status } };
}

/** One response for each metric of the defaulted spec. An empty list is valid: no metric was read. */
function readResponses(at: At, { spec }: HorizontalPodAutoscaler): readonly MetricResponse[] {
  const responses = itemsOf(at);
  const metrics = spec.metrics ?? [];
  if (responses.length > 0 && responses.length !== metrics.length) {
    throw new ShapeError(at, `one response for each of the ${metrics.length} metrics of the spec`);
  }
  responses.forEach((response, index) => checkResponse(response, metrics[index]?.type ?? ""));
  return responses.map(({ value }) => value as MetricResponse);
}

function readOptions(at: At): Options {
  if (at.value === undefined) return defaultOptions;
  checkObject(at);
  const given = Object.keys(defaultOptions).map((name) => ({ name, at: field(at, name) }));
  for (const option of given) optional(option.at, checkNotNegative);
  const set = given.filter((option) => option.at.value !== undefined);
  return { ...defaultOptions, ...Object.fromEntries(set.map((option) => [option.name, option.at.value])) };
}

function readOthers(at: At): Situation["otherHpas"] {
  return itemsOf(at).map((other) => {
    checkName(field(other, "namespace"));
    checkName(field(other, "name"));
    checkText(field(other, "selector"));
    return other.value as Situation["otherHpas"][number];
  });
}
