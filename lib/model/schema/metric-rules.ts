import { Type } from "typebox";
import { closed, quantityField, type TypeOf, wholeNumber } from "../../k8s/schema/fields";
import { fallbackBehaviors } from "../metric/fallback-behaviors";
import { count, flag, onlyTrue, moment } from "./item-fields";

const mostReplicas = 2 ** 31 - 1;

const Fallback = Type.Object(
  {
    after: Type.Optional(
      wholeNumber("How many seconds the metric must have failed. Default 180.", [0, 86_400], {
        default: 180,
      }),
    ),
    behavior: Type.Optional(
      Type.Unsafe<(typeof fallbackBehaviors)[number]>({
        type: "string",
        enum: [...fallbackBehaviors],
        description:
          "static: the given number. currentReplicas: the current size. currentReplicasIfHigher: the higher of both. currentReplicasIfLower: the lower. zero: no replica. Default static.",
        default: "static",
      }),
    ),
    replicas: Type.Optional(wholeNumber("The given number.", [1, mostReplicas])),
    percentOfMaxReplicas: Type.Optional(
      wholeNumber("The given number, as a percentage of maxReplicas, rounded up.", [1, 100]),
    ),
  },
  {
    ...closed,
    title: "Fallback",
    description:
      "The size while the metric cannot be read. Without it, an unreadable metric never lowers the size. Set replicas or percentOfMaxReplicas, unless behavior is currentReplicas or zero.",
    if: {
      properties: { behavior: { enum: ["currentReplicas", "zero"] } },
      required: ["behavior"],
    },
    then: {},
    else: {
      anyOf: [{ required: ["replicas"] }, { required: ["percentOfMaxReplicas"] }],
      not: { required: ["replicas", "percentOfMaxReplicas"] },
      errorMessage: "either replicas or percentOfMaxReplicas",
    },
  },
);
export type Fallback = TypeOf<typeof Fallback>;

export const metricRuleFields = {
  activation: Type.Optional(quantityField("The largest value that counts as no work. Default 0.", "zeroOrMore")),
  confirm: Type.Optional(
    wholeNumber(
      "How many slots in a row without work before the target goes to zero. At zero, messages in flight alone must be there for as many. 1: the counts are exact. Default: a minute of slots for SQS and formulas of it (5 at 15 s), else 1.",
      [1, 100],
    ),
  ),
  confirmWake: Type.Optional(
    wholeNumber("How many slots in a row with work before the metric wakes the target. Default 1.", [1, 100], {
      default: 1,
    }),
  ),
  fallback: Type.Optional(Fallback),
  maxReplicas: Type.Optional(wholeNumber("The most replicas that this metric asks for.", [1, mostReplicas])),
} as const;

export const MetricRules = Type.Object(metricRuleFields, {
  ...closed,
  title: "MetricRules",
  description: "The rules of a metric.",
});
export type MetricRules = TypeOf<typeof MetricRules>;

/** `slots` stops at what the rules need, so that a lasting run changes no state. */
const ReadingRun = Type.Object({ empty: flag, slots: count, slot: moment });
export type ReadingRun = TypeOf<typeof ReadingRun>;

const Failing = Type.Object({
  since: moment,
  /** The fallback has begun. */
  fallback: Type.Optional(onlyTrue),
});
export type Failing = TypeOf<typeof Failing>;

export const MetricMemory = Type.Object({ readings: Type.Optional(ReadingRun), failing: Type.Optional(Failing) });
export type MetricMemory = TypeOf<typeof MetricMemory>;
