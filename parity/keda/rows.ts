import { zeroAnnotation } from "../../lib/model/entry/zero-rule";
import {
  failsUnneeded,
  fallbackOf,
  isBelowLeast,
  isDisabled,
  isFallingBack,
  isInactiveFallback,
  isWithinTolerance,
  withoutFormula,
} from "./causes";
import { isAnnotated, specOf } from "./keda-loop";
import type { Instant, Row } from "./row";
import { type Past, pastOf, type Stepped } from "./step-ebb";

const names = ["a", "b", "c"];

export const rows: readonly Row[] = [
  {
    title: "A wake",
    keda: "first `minReplicaCount`, or 1; its HPA's next sync sizes it from there",
    ebb: "one step, which `behavior.scaleUp` limits from 0, and not below `from`",
    syncedAt: ({ from, told }, ours) =>
      told.polled > from && ours.size >= told.polled && !isDisabled(ours) ? told.polled : undefined,
  },
  {
    title: "The first zero",
    keda: "without a `lastActiveTime`, as soon as `initialCooldownPeriod` has passed since the object was created",
    ebb: "the cooldown after the import, or `initialCooldownPeriod` if that is longer",
    begin: ({ story: { object, steps }, told }, { imported, past: before }) => {
      const { hpa } = imported;
      const { creationTimestamp } = object.metadata;
      const text = hpa.metadata.annotations?.[zeroAnnotation];
      if (text === undefined) return { imported, past: before };
      // KEDA's HPA begins at this zero.
      const at = Date.parse(steps[0]?.now ?? "");
      const recommendations = told.steps[0]?.polled === 0 ? [{ replicas: 0, since: at, at }] : [];
      const past = { ...before, history: { recommendations, scaleUpEvents: [], scaleDownEvents: [] } };
      const last = object.status?.lastActiveTime;
      if (last !== undefined) return { imported, past: { ...past, activity: { lastWork: Date.parse(last) } } };
      const zero = {
        ...(JSON.parse(text) as object),
        initialAfter: `${specOf({ object }).initialCooldownPeriod ?? 0}s`,
      };
      const annotations = { ...hpa.metadata.annotations, [zeroAnnotation]: JSON.stringify(zero) };
      const metadata = { ...hpa.metadata, creationTimestamp, annotations };
      return { imported: { ...imported, hpa: { ...hpa, metadata } }, past };
    },
  },
  {
    title: "When a fallback begins",
    keda: "each trigger, after `failureThreshold` failures of its polls and of its HPA's requests together; at zero, of its polls alone; with a `minReplicaCount` above 0, of the requests alone while its HPA goes by other triggers",
    ebb: "each metric, after the time in which both make so many of them",
    rules: ({ imported, from, told }) => {
      const bits = told.fallback[from === 0 ? 0 : 1];
      return imported.rules.map((rules, index) => {
        if (rules.fallback === undefined) return rules;
        const name = imported.hpa.spec.metrics?.[index]?.external?.metric.name ?? "";
        const trigger = names.indexOf(name.split(".").at(-1) ?? "");
        const isInFallback = trigger < 0 ? bits !== 0 : (bits & (1 << trigger)) !== 0;
        return { ...rules, fallback: { ...rules.fallback, after: isInFallback ? 0 : 86_400 } };
      });
    },
    accepts: ({ told }, ours) => ours.size === told.size && told.fallback[0] !== told.fallback[1],
  },
  {
    title: "A zero that somebody else made",
    keda: "brought back to `minReplicaCount`, or woken by work",
    ebb: "stays, as with any HPA, until somebody scales the target up, or `ebb adopt` takes it over",
    syncedAt: ({ from, told }, ours) => (from === 0 && told.polled > 0 && isDisabled(ours) ? told.polled : undefined),
  },
  {
    title: "A size above `maxReplicaCount`",
    keda: "its triggers are read: without work, zero comes at once",
    ebb: "first the bound, without reading a metric, as any HPA; then zero",
    accepts: ({ imported, from }, ours) =>
      from > imported.hpa.spec.maxReplicas && ours.size === imported.hpa.spec.maxReplicas,
  },
  {
    title: "A size between 0 and `minReplicaCount`",
    keda: "first this bound, then its HPA's metrics",
    ebb: "the metrics, and not below `from`",
    syncedAt: ({ story, from, told }) =>
      isBelowLeast(story, from) && told.polled > from && told.size >= told.polled ? told.polled : undefined,
    accepts: ({ story, from, told }, ours) =>
      isBelowLeast(story, from) && told.size === specOf(story).minReplicaCount && ours.size >= told.size,
  },
  {
    title: "Policies across a zero",
    keda: "the zero and the wake of its scale loop do not count as scale events",
    ebb: "they count, so a wake may grow back to the size before",
    remembers: ({ past, from, told }, after) =>
      from > 0 && told.size === 0 && after.history !== null && past.history !== null
        ? { ...after, history: { ...after.history, scaleDownEvents: past.history.scaleDownEvents } }
        : after,
  },
  {
    title: "`paused-scale-out`",
    keda: "activity still decides about zero",
    ebb: "the metrics, windows and policies decide about it, until the pause ends",
    accepts: ({ story, from, told }, ours) =>
      isAnnotated(story, "paused-scale-out") && from > 0 && (told.polled === 0) !== (ours.size === 0),
  },
  {
    title: "`paused-scale-in`",
    keda: "a wake goes to `minReplicaCount` first",
    ebb: "the metrics size it from 0",
    syncedAt: ({ story, from, told }, ours) =>
      isAnnotated(story, "paused-scale-in") && told.polled > from && !isDisabled(ours) ? told.polled : undefined,
  },
  {
    title: "A failing trigger that a formula does not need",
    keda: "the formula fails with it, or falls back",
    ebb: "does not count",
    reads: (instant) => (failsUnneeded(instant) ? withoutFormula(instant) : undefined),
  },
  {
    title: "A fallback with a Value target, at zero",
    keda: "is not possible without a ready pod: the trigger fails on",
    ebb: "wakes the target",
    accepts: (instant, ours) =>
      instant.from === 0 &&
      instant.told.size === 0 &&
      ours.size > 0 &&
      isFallingBack(instant) &&
      (instant.imported.hpa.spec.metrics ?? []).some(({ external }) => external?.target.type === "Value"),
  },
  {
    title: "A fallback within the tolerance",
    keda: "the fallback is a metric, so the tolerance holds the size",
    ebb: "the fallback is a size",
    accepts: ({ imported, from, told }, ours) =>
      from > 0 && told.fallback[1] !== 0 && told.size === from && isWithinTolerance(imported, from, ours.size),
  },
  {
    title: "A failure with `fallback.replicas: 0`",
    keda: "before the fallback begins, the trigger counts as inactive: zero after the cooldown",
    ebb: "unknown is no zero",
    accepts: ({ story, step, from, told }, ours) =>
      fallbackOf(story)?.replicas === 0 &&
      step.read.includes(null) &&
      from > 0 &&
      told.polled === 0 &&
      told.size === 0 &&
      ours.size > 0,
  },
  {
    title: "A fallback to `currentReplicasIfLower`, at zero",
    keda: "wakes the target",
    ebb: "stays at zero, which is the lower",
    accepts: (instant, ours) =>
      fallbackOf(instant.story)?.behavior === "currentReplicasIfLower" &&
      instant.from === 0 &&
      instant.told.polled > 0 &&
      ours.size === 0 &&
      isFallingBack(instant),
  },
  {
    title: "`idleReplicaCount` above 0",
    keda: "its loop and its HPA take turns between this size and `minReplicaCount`",
    ebb: "`minReplicas`; the metrics choose any size from there",
    begin: ({ story }, begun) => {
      const { minReplicaCount = 0, idleReplicaCount = 0 } = specOf(story);
      if (idleReplicaCount === 0) return begun;
      const { imported } = begun;
      const spec = { ...imported.hpa.spec, minReplicas: minReplicaCount };
      return { ...begun, imported: { ...imported, hpa: { ...imported.hpa, spec } } };
    },
    syncedAt: ({ story, from, told }) =>
      (specOf(story).idleReplicaCount ?? 0) > 0 && told.polled !== from ? told.polled : undefined,
  },
  {
    title: "Work that ends while a CPU or memory metric cannot be read",
    keda: "the cooldown begins at the last sync with work",
    ebb: "it begins at the first sync without work",
    remembers: ({ told, step }, after) =>
      told.worked ? { ...after, activity: { lastWork: Date.parse(step.now) } } : after,
  },
  {
    title: "A formula in fallback",
    keda: "`replicas` × `target` is compared with `activationTarget`, so its target may go to zero",
    ebb: "a fallback of 1 or more is work",
    accepts: (instant, ours) =>
      isFallingBack(instant) && instant.told.polled === 0 && ours.size > 0 && isInactiveFallback(instant),
  },
];

/** What KEDA remembers after the instant, beside what ebb decided. */
export function takeOver({ past, imported, step, told }: Instant, ours: Stepped): Past {
  const { working, lastWork: ended } = past.activity ?? {};
  const before = working === true ? past.history?.recommendations.at(-1)?.at : ended;
  const lastWork = told.worked ? Date.parse(step.now) : before;
  const { activity: _, ...left } = pastOf(ours.decision);
  const history = told.size === 0 || ours.size !== told.size ? past.history : left.history;
  const isOurZero = told.size === 0 && imported.hpa.spec.minReplicas === 0;
  const conditions = (left.status?.conditions ?? []).filter(({ type }) => type !== "ScaledToZero");
  const zero = {
    type: "ScaledToZero",
    status: "True",
    reason: "ScaledToZero",
    message: "",
    lastTransitionTime: step.now,
  };
  const status = { ...left.status, conditions: isOurZero ? [...conditions, zero] : conditions };
  return { ...left, history, status, ...(lastWork !== undefined && { activity: { lastWork } }) } as Past;
}
