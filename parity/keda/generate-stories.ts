import fc from "fast-check";
import { behavior } from "../generate/specs";
import type { ScaledObject, Story, StoryStep, Trigger } from "./story";

const start = Date.UTC(2026, 2, 1, 12);
/** KEDA keeps the last activity in whole seconds. */
const offsetMs = 500;
/** No two instants are a window or a period apart to the nanosecond: there, upstream's answer depends on its speed. */
const driftMs = 1;
const steps = 50;

const optional = <T>(one: fc.Arbitrary<T>, share: number) =>
  fc.oneof({ weight: 100 - share, arbitrary: fc.constant(undefined) }, { weight: share, arbitrary: one });

interface ShapedTrigger {
  readonly trigger: Trigger;
  /** What it reads with work. */
  readonly most: number;
  readonly activation: number;
}

const external: fc.Arbitrary<ShapedTrigger> = fc
  .record({
    target: fc.constantFrom("1", "2", "5", "10", "2.5"),
    activation: optional(fc.constantFrom("0", "1", "5", "2.5"), 35),
    metricType: optional(fc.constantFrom("AverageValue", "Value"), 20),
    replicas: fc.integer({ min: 1, max: 25 }),
  })
  .map(({ target, activation, metricType, replicas }) => ({
    trigger: {
      type: "metrics-api",
      metadata: { targetValue: target, ...(activation !== undefined && { activationTargetValue: activation }) },
      ...(metricType !== undefined && { metricType }),
    },
    most: Number(target) * (metricType === "Value" ? 3 : replicas),
    activation: Number(activation ?? 0),
  }));

const ofPods: fc.Arbitrary<ShapedTrigger> = fc
  .record({ type: fc.constantFrom("cpu", "memory"), value: fc.constantFrom("50", "60", "80") })
  .map(({ type, value }) => ({
    trigger: { type, metricType: "Utilization", metadata: { value } },
    most: 150,
    activation: 0,
  }));

/** Shares as people have them: cpu beside another trigger in a tenth. */
const triggers: fc.Arbitrary<readonly ShapedTrigger[]> = fc.oneof(
  { weight: 55, arbitrary: fc.tuple(external) },
  { weight: 25, arbitrary: fc.array(external, { minLength: 2, maxLength: 3 }) },
  { weight: 15, arbitrary: fc.tuple(external, ofPods) },
  { weight: 5, arbitrary: fc.tuple(ofPods) },
);

const formulas = ["a", "a * 2", "a + b", "max(a, b)", "a > 3 ? a : b", "(a + b) / 2"] as const;
const modifiers = fc.record({
  formula: fc.constantFrom(...formulas),
  target: fc.constantFrom("1", "5", "10"),
  activationTarget: optional(fc.constantFrom("1", "5"), 30),
  metricType: optional(fc.constantFrom("AverageValue", "Value"), 20),
});

const fallback = fc.record({
  failureThreshold: fc.integer({ min: 0, max: 5 }),
  replicas: fc.integer({ min: 0, max: 8 }),
  behavior: optional(
    fc.constantFrom("static", "currentReplicas", "currentReplicasIfHigher", "currentReplicasIfLower"),
    50,
  ),
});

const bounds = fc
  .record({
    least: fc.constantFrom(undefined, undefined, 0, 0, 1, 1, 2, 3),
    idle: optional(fc.constantFrom(0, 0, 0, 1), 40),
    span: fc.constantFrom(undefined, 1, 3, 10, 20, 30),
  })
  .map(({ least = 0, idle, span }) => ({
    ...(least > 0 && { minReplicaCount: least }),
    ...(idle !== undefined && idle < least && { idleReplicaCount: idle }),
    ...(span !== undefined && { maxReplicaCount: Math.max(1, least) + span }),
  }));

const annotation = fc.constantFrom("paused-scale-in", "paused-scale-out", "force-activation");

const specs = fc.record(
  {
    cooldownPeriod: fc.constantFrom(0, 15, 60, 120, 600),
    initialCooldownPeriod: fc.constantFrom(0, 120, 900),
    pollingInterval: fc.constantFrom(5, 10, 15, 30, 60),
  },
  { requiredKeys: [] },
);

const objects = fc.record({
  shaped: triggers,
  spec: specs,
  bounds,
  fallback: optional(fallback, 25),
  behavior: optional(behavior, 30),
  modifiers: optional(modifiers, 12),
  annotation: optional(annotation, 8),
  wasActive: fc.boolean(),
});

type Drawn = typeof objects extends fc.Arbitrary<infer T> ? T : never;

function objectOf({ shaped, spec, bounds, fallback, behavior, modifiers, annotation, wasActive }: Drawn): ScaledObject {
  const formula = modifiers !== undefined && shaped.every(({ trigger }) => trigger.type === "metrics-api") && modifiers;
  const needed = formula !== false && formula.formula.includes("b") ? 2 : 1;
  const isFormula = formula !== false && shaped.length >= needed;
  const advanced = {
    ...(behavior !== undefined && { horizontalPodAutoscalerConfig: { behavior } }),
    ...(isFormula && { scalingModifiers: formula }),
  };
  return {
    metadata: {
      ...{ name: "orders", namespace: "shop", uid: "0", generation: 1 },
      creationTimestamp: new Date(start - 3_600_000).toISOString(),
      ...(annotation !== undefined && { annotations: { [`autoscaling.keda.sh/${annotation}`]: "true" } }),
    },
    spec: {
      scaleTargetRef: { name: "orders" },
      ...spec,
      ...bounds,
      ...(fallback !== undefined && { fallback }),
      ...(Object.keys(advanced).length > 0 && { advanced }),
      triggers: shaped.map(({ trigger }, index) => withAddress(trigger, index)),
    },
    ...(wasActive && { status: { lastActiveTime: new Date(start - 1000).toISOString() } }),
  };
}

function withAddress(trigger: Trigger, index: number): Trigger {
  if (trigger.type !== "metrics-api") return trigger;
  const url = `http://trigger-${index}.example/`;
  const metadata = { url, valueLocation: "value", ...(trigger["metadata"] as object) };
  return { ...trigger, name: ["a", "b", "c"][index] ?? "", metadata };
}

type State = "idle" | "little" | "work" | "failing";
/** How long a trigger stays in a state, in steps. */
const spell = fc.record({
  state: fc.oneof(
    { weight: 40, arbitrary: fc.constant<State>("idle") },
    { weight: 8, arbitrary: fc.constant<State>("little") },
    { weight: 40, arbitrary: fc.constant<State>("work") },
    { weight: 12, arbitrary: fc.constant<State>("failing") },
  ),
  length: fc.integer({ min: 1, max: 12 }),
  parts: fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 12, maxLength: 12 }),
});
const spells = fc.array(fc.array(spell, { minLength: steps, maxLength: steps }), { minLength: 3, maxLength: 3 });

function readings({ most, activation, trigger }: ShapedTrigger, drawn: readonly Spell[]): readonly (number | null)[] {
  return drawn
    .flatMap(({ state, length, parts }) =>
      parts.slice(0, length).map((part) => {
        if (state === "failing") return null;
        if (trigger.type !== "metrics-api") return state === "work" ? Math.round((most * part) / 40) : 10;
        if (state === "idle") return 0;
        const value = state === "little" ? activation : (most * part) / 32;
        return Math.round(value * 1000) / 1000;
      }),
    )
    .slice(0, steps);
}

type Spell = typeof spell extends fc.Arbitrary<infer T> ? T : never;

const gap = fc.oneof(
  { weight: 80, arbitrary: fc.constant(15) },
  { weight: 14, arbitrary: fc.constantFrom(30, 45, 60) },
  { weight: 6, arbitrary: fc.constantFrom(120, 300, 600) },
);

const stories: fc.Arbitrary<Story> = fc
  .record({
    drawn: objects,
    spells,
    size: fc.integer({ min: 0, max: 12 }),
    gaps: fc.array(gap, { minLength: steps, maxLength: steps }),
    sets: fc.array(optional(fc.integer({ min: 0, max: 12 }), 1), { minLength: steps, maxLength: steps }),
  })
  .map(({ drawn, spells, size, gaps, sets }) => {
    const read = drawn.shaped.map((one, index) => readings(one, spells[index] ?? []));
    let now = start + offsetMs;
    const moments = gaps.map((seconds, index): StoryStep => {
      const setTo = sets[index];
      const step = { now: new Date(now).toISOString(), read: read.map((one) => one[index] ?? null) };
      now += seconds * 1000 + driftMs;
      return { ...step, ...(setTo !== undefined && index > 0 && { setTo }) };
    });
    const most = Number(drawn.bounds.maxReplicaCount ?? size);
    return { object: objectOf(drawn), size: Math.min(size, most), steps: moments };
  });

/** The same seed gives the same stories, as they arrive by JSON. */
export function generateStories(seed: number, count: number): readonly Story[] {
  const drawn = fc.sample(fc.noBias(stories), { seed, numRuns: count });
  return JSON.parse(JSON.stringify(drawn)) as readonly Story[];
}
