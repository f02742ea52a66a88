import { isDeepStrictEqual } from "node:util";
import { isTrue, setConditions, type Verdict, zeroOwner } from "../../core/conditions";
import { currentReplicas } from "../../core/gate";
import { zeroName } from "../../model/entry/adopt-zero";
import { isLeftAtZero } from "../../model/hpa-signs";
import { willNotWake } from "../../model/hpa-states";
import type { HpaStatus, MetricStatus, MetricValueStatus } from "../../k8s/hpa";
import type { Scale } from "../../k8s/objects";
import type { Decision, History, HpaEvent } from "../../model/situation";
import type { EpochMs } from "../../k8s/time";
import type { CachedReading, State } from "../../model/stored/state";
import { isUnwritten, unwrittenVersion } from "../../model/stored/version";
import type { DecisionRecording } from "./decision-recording";
import type { WriterId } from "./sync-run";

/**
 * Without what affects no decision: numbers in conditions and warnings, and metric values except known and zero.
 * docs/decisions/0056
 */
export function outline(state: State): State {
  const { warnings, status } = state;
  return { ...state, status: outlineStatus(status), ...(warnings && { warnings: warnings.map(outlineWarning) }) };
}

function outlineStatus(status: HpaStatus): HpaStatus {
  const { conditions, currentMetrics } = status;
  return {
    ...status,
    ...(conditions && { conditions: conditions.map(({ message: _, ...condition }) => condition) }),
    ...(currentMetrics && { currentMetrics: currentMetrics.map(outlineMetric) }),
  };
}

function outlineMetric(metric: MetricStatus): MetricStatus {
  const { object, pods, resource, containerResource, external, type } = metric;
  return {
    type,
    ...(object && { object: { ...object, current: outlineValue(object.current) } }),
    ...(pods && { pods: { ...pods, current: outlineValue(pods.current) } }),
    ...(resource && { resource: { ...resource, current: outlineValue(resource.current) } }),
    ...(containerResource && {
      containerResource: { ...containerResource, current: outlineValue(containerResource.current) },
    }),
    ...(external && { external: { ...external, current: outlineValue(external.current) } }),
  };
}

function outlineValue({ value, averageValue, averageUtilization }: MetricValueStatus): MetricValueStatus {
  return {
    ...(value !== undefined && { value: outlineQuantity(value) }),
    ...(averageValue !== undefined && { averageValue: outlineQuantity(averageValue) }),
    ...(averageUtilization !== undefined && { averageUtilization: averageUtilization === 0 ? 0 : 1 }),
  };
}

/** Quantities in a status are canonical: zero has no unit. */
function outlineQuantity(quantity: string): string {
  return quantity === "0" ? "0" : "1";
}

export function outlineWarning({ message, ...event }: HpaEvent): HpaEvent {
  return { ...event, message: message.replace(/\d+(?:[.:]\d+)*/g, "#") };
}

/** `status`: the document's, so that an HPA that moves here keeps its conditions. */
export function freshState(status: State["status"], now: EpochMs): State {
  return { version: unwrittenVersion(now), slot: 0, status, history: null, open: false };
}

/** A new target keeps status and history, as upstream's HPA object does. Open intents go with their resourceVersion. */
export function bindToTarget(state: State, scale: Scale): State {
  const uid = scale.metadata.uid;
  if (uid === undefined || uid === state.targetUid) return state;
  if (state.targetUid === undefined) return { ...state, targetUid: uid };
  const { intent: _, earlier: __, earlierSizes: ___, lastZero: ____, ...rest } = state;
  return { ...rest, targetUid: uid };
}

/** A cluster put back to ebb's last zero, a request to adopt this one, or ScaledToZero of a new entry that runs. */
export function ownZero(
  state: State,
  { scale, adopts, now }: { readonly scale: Scale; readonly adopts: string | undefined; readonly now: EpochMs },
): State {
  const { lastZero, status, version } = state;
  const isOurs = isTrue(status.conditions, "ScaledToZero");
  const own = (verdict: Verdict): State => ({
    ...state,
    status: { ...status, conditions: setConditions(status.conditions ?? [], [verdict], now) },
  });
  if (currentReplicas(scale) > 0) return isOurs && isUnwritten(version) ? own(zeroOwner(false)) : state;
  if (isOurs) return state;
  if (lastZero !== undefined && scale.metadata.resourceVersion === lastZero) return own(zeroOwner(true));
  return adopts !== undefined && zeroName(scale) === adopts ? own(adopted) : state;
}

const adopted: Verdict = { ...zeroOwner(true), message: "ebb adopted the zero of another, as a person asked" };

export function zeroEvents(before: State, decision: Pick<Decision, "desiredReplicas" | "steps">): readonly HpaEvent[] {
  if (!isLeftAtZero(decision) || isLeftAtZero(before.decision)) return [];
  const message = `${willNotWake}; \`ebb adopt hpa NAME\` makes it ebb's`;
  return [{ type: "Normal", reason: "NotOurZero", message }];
}

export interface NextStateInput {
  readonly writerId: WriterId;
  readonly decision: Pick<Decision, "status" | "history" | "recommendation" | "activity" | "sparedSince">;
  readonly deletionCosts?: State["deletionCosts"] | undefined;
  readonly recording: Pick<DecisionRecording, "explained" | "recorded">;
  readonly warnings: readonly HpaEvent[];
  readonly selector?: string | undefined;
  readonly readings: Readonly<Record<string, CachedReading>>;
  readonly hasConcurrentReader: boolean;
  readonly memory?: State["memory"];
  readonly period: Pick<State, "syncPeriodSeconds" | "confirming">;
}

export function nextState(
  state: State,
  {
    writerId,
    decision,
    recording,
    warnings,
    selector,
    readings,
    hasConcurrentReader,
    memory = {},
    period,
    deletionCosts,
  }: NextStateInput,
): State {
  const { at } = recording.explained;
  const isClosed = state.open && (decision.recommendation === null || !sameSpan(state.history, decision.history));
  return {
    version: state.version + 1,
    ...writerId,
    ...(state.targetUid === undefined ? {} : { targetUid: state.targetUid }),
    status: decision.status,
    history: decision.history,
    open: decision.recommendation !== null,
    // A run writes the state more than once. Later writes close nothing.
    ...((hasConcurrentReader && isClosed) || state.closedAt === at ? { closedAt: at } : {}),
    ...(state.lastZero === undefined ? {} : { lastZero: state.lastZero }),
    ...(selector === undefined ? {} : { selector }),
    decision: recording.explained,
    ...(recording.recorded === undefined ? {} : { recorded: recording.recorded }),
    ...(warnings.length === 0 ? {} : { warnings, failingSince: failingSince(state) ?? at }),
    ...(Object.keys(readings).length === 0 ? {} : { readings }),
    ...(Object.keys(memory).length === 0 ? {} : { memory }),
    ...(decision.activity && { activity: decision.activity }),
    ...(decision.sparedSince !== undefined && { sparedSince: decision.sparedSince }),
    ...(deletionCosts && { deletionCosts }),
    ...period,
  };
}

/** Without warnings, an older version of ebb left it. */
function failingSince({ warnings, failingSince }: State): EpochMs | undefined {
  return warnings === undefined ? undefined : failingSince;
}

/** "show": values merely move. docs/decisions/0056-latest-values.md */
export type Novelty = "write" | "show" | "nothing";

export function noveltyOf(before: State, next: State): Novelty {
  if (saysNothingNew(before, next)) return "nothing";
  return saysNothingNew(outline(before), outline(next)) ? "show" : "write";
}

/** The heartbeat observes the same span. Events outside of every window may stay. */
function saysNothingNew(before: State, next: State): boolean {
  return (
    !isUnwritten(before.version) &&
    before.open === next.open &&
    sameSpan(before.history, next.history) &&
    sameRest(before, next) &&
    addsNothing(before.history?.scaleUpEvents, next.history?.scaleUpEvents) &&
    addsNothing(before.history?.scaleDownEvents, next.history?.scaleDownEvents)
  );
}

function sameSpan(before: History | null, next: History | null): boolean {
  const [a, b] = [before?.recommendations.at(-1), next?.recommendations.at(-1)];
  return a?.replicas === b?.replicas && a?.since === b?.since;
}

function addsNothing(before: readonly unknown[] = [], next: readonly unknown[] = []): boolean {
  return next.every((event) => before.some((known) => isDeepStrictEqual(known, event)));
}

const telling = [
  "status",
  "intent",
  "earlier",
  "earlierSizes",
  "selector",
  "warnings",
  "failingSince",
  "readings",
  "memory",
  "activity",
  "sparedSince",
  "deletionCosts",
  "targetUid",
  "syncPeriodSeconds",
  "confirming",
] as const satisfies readonly (keyof State)[];

function sameRest(before: State, next: State): boolean {
  return (
    before.decision?.generation === next.decision?.generation &&
    telling.every((member) => isDeepStrictEqual(before[member], next[member]))
  );
}
