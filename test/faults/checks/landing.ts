import type { HpaSpec, ScalingRules } from "../../../lib/k8s/hpa";
import { type IntentRecord, isActive, type Ledger, type OurLanding, versionsBetween } from "./ledger";
import { boundsOf, windowsOf } from "./oracle";

export interface LandingContext {
  readonly downscaleStabilizationSeconds: number;
  /** How far two processes' clocks may differ. */
  readonly skewMs: number;
  /** Whether a metric of the HPA was certainly unknown to the deciding run. */
  readonly isBlind: boolean;
  /** What the metrics of pods allow at least, as the deciding run saw them. */
  readonly least: number;
  /** So many pods may be spared, also above maxReplicas. */
  readonly mostBusy: number;
  readonly issuedAt: number;
}

/** What is wrong with an accepted scale write. The first entry that was alive when it was decided judges it. */
export function judgeLanding(ledger: Ledger, landing: OurLanding, context: LandingContext): readonly string[] {
  const { by } = landing;
  const found: string[] = [];
  if (by.runAt <= ledger.lastRunAt)
    found.push(`run: a second effect in the run of ${by.runAt}, after ${ledger.lastRunAt}`);
  if (landing.from === 0 && by.isZeroOurs === false) found.push("zero: woke a zero that is not ours");
  const alive = versionsBetween(ledger, by.at, context.issuedAt).flatMap(({ entry }) =>
    entry !== undefined && isActive(entry) ? [entry.spec] : [],
  );
  if (alive.length === 0) return [...found, "entry: wrote the scale of an HPA that is deleted, invalid, paused or dry"];
  // `idleProblems` judges a zero that neither windows nor policies hold, and busy pods may.
  const isIdle = landing.to <= context.mostBusy && ledger.versions.some(({ entry }) => entry?.zero !== undefined);
  if (isIdle && landing.from > 0) return found;
  const verdicts = alive.map((spec) => judgeBySpec(spec, ledger, landing, context));
  return [...found, ...(verdicts.find((verdict) => verdict.length === 0) ?? verdicts[0] ?? [])];
}

/** Of announcements of one size on one resourceVersion, nobody can tell which one was applied. */
export function isSame(one: IntentRecord, others: readonly Pick<IntentRecord, "to" | "resourceVersion">[]): boolean {
  return others.some(({ to, resourceVersion }) => to === one.to && resourceVersion === one.resourceVersion);
}

function judgeBySpec(spec: HpaSpec, ledger: Ledger, landing: OurLanding, context: LandingContext): readonly string[] {
  const { from, to } = landing;
  const { min, max } = boundsOf(spec);
  const isSpared = from > to && to <= context.mostBusy;
  if ((to > max && !isSpared) || to < min) return [`bounds: ${from} → ${to}, allowed are ${min} to ${max}`];
  if (from > max || (from < min && to === min)) return []; // goes to the bound, whatever the metrics say
  if (to > from) return [...rateUp(spec, ledger, landing, context), ...windowUp(spec, ledger, landing)];
  return [
    ...(context.isBlind ? [`blind: ${from} → ${to} although a metric was unknown`] : []),
    ...(to < context.least ? [`blind: ${from} → ${to}, but what is known of the pods needs ${context.least}`] : []),
    ...rateDown(spec, ledger, landing, context),
    ...windowDown(spec, ledger, landing, context),
  ];
}

/** ebb's own earlier changes, if it can know that they happened. */
function changes(ledger: Ledger, landing: OurLanding) {
  const own = ledger.landings.filter((each): each is OurLanding & typeof each => each.by !== "hand");
  return own.filter((each) => each !== landing && !wasUndone(ledger, each));
}

/**
 * Of a state from before, or of an object from before, ebb may know or not: such changes need not count, but may still
 * give something back. So may one that a state from before had announced, and that landed later.
 */
function isCertain({ at, by, reportedAt, isReplaced }: OurLanding, { bornAt }: Ledger): boolean {
  return at >= bornAt && (reportedAt !== undefined || (by.at >= bornAt && isReplaced !== true));
}

/** When it counts from, in its own direction: nobody knows better when it was applied. */
function countsFrom({ reportedAt, at }: OurLanding, skewMs: number): number {
  return reportedAt ?? at - skewMs;
}

/** The latest moment that it may count from, in the other direction: it gives that one something back. */
function countsUntil({ by, at }: OurLanding, skewMs: number): number {
  return Math.max(by.decidedAt, at + skewMs);
}

/** People set the size back, in one step or several, before ebb could see the change: it cannot be known. */
function wasUndone(ledger: Ledger, landing: OurLanding): boolean {
  const later = ledger.landings.slice(ledger.landings.findIndex((each) => each === landing) + 1);
  const ours = later.findIndex(({ by }) => by !== "hand");
  const byHand = ours === -1 ? later : later.slice(0, ours);
  return landing.reportedAt === undefined && byHand.some(({ to }) => to === landing.from);
}

function sum(landings: readonly OurLanding[]): number {
  return landings.reduce((total, { from, to }) => total + Math.abs(to - from), 0);
}

function rateUp(spec: HpaSpec, ledger: Ledger, landing: OurLanding, { skewMs }: LandingContext): readonly string[] {
  const { from, to, by } = landing;
  if (spec.behavior === undefined) {
    const most = Math.max(2 * from, 4);
    return to > most ? [`rate: ${from} → ${to}, at most ${most}`] : [];
  }
  const { scaleUp = {} } = spec.behavior;
  const known = changes(ledger, landing);
  const certain = known.filter((each) => isCertain(each, ledger));
  const most = Math.max(
    from,
    ...policiesOf(scaleUp).map(({ type, value, periodSeconds }) => {
      const since = by.decidedAt - periodSeconds * 1_000;
      const ups = certain.filter((each) => each.to > each.from && countsFrom(each, skewMs) > since);
      const downs = known.filter((each) => each.to < each.from && countsUntil(each, skewMs) > since);
      const start = from - sum(ups) + sum(downs);
      return type === "Percent" ? Math.ceil(start * (1 + value / 100)) : start + value;
    }),
  );
  return to > most ? [`rate: ${from} → ${to}, at most ${most} by scaleUp`] : [];
}

function rateDown(spec: HpaSpec, ledger: Ledger, landing: OurLanding, { skewMs }: LandingContext): readonly string[] {
  const policies = policiesOf(spec.behavior?.scaleDown ?? {});
  if (policies.length === 0) return [];
  const { from, to, by } = landing;
  const known = changes(ledger, landing);
  const certain = known.filter((each) => isCertain(each, ledger));
  const least = Math.min(
    from,
    ...policies.map(({ type, value, periodSeconds }) => {
      const since = by.decidedAt - periodSeconds * 1_000;
      const downs = certain.filter((each) => each.to < each.from && countsFrom(each, skewMs) > since);
      const ups = known.filter((each) => each.to > each.from && countsUntil(each, skewMs) > since);
      const start = from - sum(ups) + sum(downs);
      return type === "Percent" ? Math.trunc(start * (1 - value / 100)) : start - value;
    }),
  );
  return to < least ? [`rate: ${from} → ${to}, at least ${least} by scaleDown`] : [];
}

function policiesOf({ policies = [] }: ScalingRules) {
  return policies;
}

/** What earlier runs had recorded when the deciding one began. */
function seenWithin(ledger: Ledger, { by }: OurLanding, windowSeconds: number): readonly number[] {
  const since = by.decidedAt - windowSeconds * 1_000;
  return ledger.observations
    .filter(
      ({ at, knownAt }) => at > since && at < by.decidedAt && knownAt < by.by.startedAt && knownAt > ledger.bornAt,
    )
    .map(({ replicas }) => replicas);
}

function windowUp(spec: HpaSpec, ledger: Ledger, landing: OurLanding): readonly string[] {
  const { from, to } = landing;
  const { up } = windowsOf(spec, 0);
  if (up === 0) return [];
  const most = Math.max(from, Math.min(...seenWithin(ledger, landing, up)));
  return to > most ? [`window: ${from} → ${to}, but ${most} was recommended within ${up} s`] : [];
}

function windowDown(
  spec: HpaSpec,
  ledger: Ledger,
  landing: OurLanding,
  { downscaleStabilizationSeconds }: LandingContext,
): readonly string[] {
  const { from, to } = landing;
  const { down } = windowsOf(spec, downscaleStabilizationSeconds);
  const least = Math.min(from, spec.maxReplicas, Math.max(0, ...seenWithin(ledger, landing, down)));
  return to < least ? [`window: ${from} → ${to}, but ${least} was recommended within ${down} s`] : [];
}
