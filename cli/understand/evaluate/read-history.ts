import { formatInstant, parseInstant, DurationError, InstantError, parseDuration } from "../../../lib/k8s/time";
import type { ActivityInput, HistoryInput, MemoryInput } from "../../../lib/model/schema/situation";
import type { History, RecommendationSpan, ScaleEvent, Memory } from "../../../lib/model/situation";
import type { Activity } from "../../../lib/model/activity";
import type { MetricMemory } from "../../../lib/model/metric/metric-rules";
import { QuantityError, parseQuantity } from "../../../lib/k8s/quantity";
import { problemsOf } from "../../../lib/model/check/check-schema";
import { type Test, compileSchema } from "./compile-schema";
import { type FieldPath, type Problem, problemText, unexpected } from "../../../lib/model/check/problem";
import type { Formats, Schema } from "../../../lib/model/check/schema-data";

type RunInput = NonNullable<HistoryInput["recommendations"]>[number];
type EventInput = NonNullable<HistoryInput["scaleUpEvents"]>[number];

/**
 * `{recommendations: [{replicas, at, since?}], scaleUpEvents: [{change, at, foundAt?}], scaleDownEvents: [{change, at,
 * foundAt?}]}`; absent or null if the HPA was never synced.
 */
export function readHistory(given: HistoryInput | undefined): History | null {
  if (given === undefined) return null;
  const { recommendations = [], scaleUpEvents = [], scaleDownEvents = [] } = given;
  return {
    recommendations: recommendations.map(readRun),
    scaleUpEvents: scaleUpEvents.map(readEvent),
    scaleDownEvents: scaleDownEvents.map(readEvent),
  };
}

function readRun({ replicas, at, since = at }: RunInput): RecommendationSpan {
  return { replicas, since: parseInstant(since), at: parseInstant(at) };
}

function readEvent({ change, at, foundAt }: EventInput): ScaleEvent {
  return { change, at: parseInstant(at), ...(foundAt === undefined ? {} : { foundAt: parseInstant(foundAt) }) };
}

export function historyJson({ recommendations, scaleUpEvents, scaleDownEvents }: History) {
  return {
    recommendations: recommendations.map(({ replicas, since, at }) => ({
      replicas,
      since: formatInstant(since),
      at: formatInstant(at),
    })),
    scaleUpEvents: scaleUpEvents.map(eventJson),
    scaleDownEvents: scaleDownEvents.map(eventJson),
  };
}

function eventJson({ change, at, foundAt }: ScaleEvent) {
  return { change, at: formatInstant(at), ...(foundAt === undefined ? {} : { foundAt: formatInstant(foundAt) }) };
}

/** `[{readings?: {empty, slots, slot}, failing?: {since, fallback?}}]`: one for each metric of the spec. */
export function readMemory(given: MemoryInput | undefined): Memory | undefined {
  return given?.map(({ readings, failing }): MetricMemory => {
    return {
      ...(readings && { readings: { ...readings, slot: parseInstant(readings.slot) } }),
      ...(failing && { failing: { ...failing, since: parseInstant(failing.since) } }),
    };
  });
}

export function memoryJson(memory: Memory | undefined): object | undefined {
  return memory?.map(({ readings, failing }) => ({
    ...(readings && { readings: { ...readings, slot: formatInstant(readings.slot) } }),
    ...(failing && { failing: { ...failing, since: formatInstant(failing.since) } }),
  }));
}

export class InputError extends Error {
  constructor(problem: Problem) {
    super(problemText(problem));
    this.name = "InputError";
  }
}

const plainQuantity = /^[0-9]{1,15}(?:[numkMG]|[KMG]i)?$/;

const formats: Formats = {
  quantity: (value) =>
    typeof value === "string" && plainQuantity.test(value)
      ? undefined
      : unreadable(() => parseQuantity(value as string | number), QuantityError),
  instant: (value) => unreadable(() => parseInstant(value as string), InstantError),
  duration: (value) => unreadable(() => parseDuration(value as string), DurationError),
};

function unreadable(parse: () => unknown, failure: new (...args: never[]) => Error): string | undefined {
  try {
    parse();
    return undefined;
  } catch (error) {
    if (!(error instanceof failure)) throw error;
    return `a value that can be read (${error.message})`;
  }
}

const tests = new Map<Schema, Test>();

function testOf(schema: Schema): Test {
  const test = tests.get(schema) ?? compileSchema(schema, formats);
  tests.set(schema, test);
  return test;
}

/** `root`: the value's path in the document. @throws InputError */
export function checked<T>(schema: Schema, value: unknown, root: FieldPath = []): T {
  if (testOf(schema)(value)) return value as T;
  const [problem] = problemsOf(schema, value, { root, formats });
  throw new InputError(problem ?? unexpected(root, "a valid value", value));
}

/**
 * Kubernetes reads null as absent. Keys such as "__proto__" stay plain names. `depth` limits hostile nesting. @throws
 * InputError
 */
export function withoutNulls(value: unknown, depth = 100): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (depth === 0) throw new InputError({ path: "", message: "expected at most 100 levels of nesting" });
  if (Array.isArray(value)) return value.map((item) => withoutNulls(item, depth - 1));
  const present = Object.entries(value).filter(([, item]) => item !== null);
  return Object.fromEntries(present.map(([key, item]) => [key, withoutNulls(item, depth - 1)]));
}

/** `{lastWork?, working?, unobserved?}`, of an HPA with `ebb.dev/zero`. */
export function readActivity(given: ActivityInput | undefined): Activity | undefined {
  if (given === undefined) return undefined;
  const { lastWork, ...rest } = given;
  return { ...rest, ...(lastWork !== undefined && { lastWork: parseInstant(lastWork) }) };
}

/** The inverse of readActivity. */
export function activityJson(activity: Activity | undefined): object | undefined {
  if (activity === undefined) return undefined;
  const { lastWork, ...rest } = activity;
  return { ...rest, ...(lastWork !== undefined && { lastWork: formatInstant(lastWork) }) };
}
