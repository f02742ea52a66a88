import type { State } from "../../../lib/model/stored/state";
import { versionBefore } from "../../../lib/model/stored/version";
import { itemBytes } from "../../../lib/table/items/attributes";
import type { Item, ItemWrite } from "../world/memory-table";
import type { Invocation } from "../world/wire";
import { type Books, dataOf } from "./books";
import type { WorkerChecks } from "./busy";
import { isInRange } from "./intents";
import { isSame } from "./landing";
import { type IntentRecord, type Ledger, presentSince, pushCapped, usableNow, versionsBetween } from "./ledger";
import { idleProblems } from "./idle";
import { viewRules } from "./rules";
import { judgeStale } from "./stale";
import type { ScaleWrites } from "./scale-writes";
import type { Observations } from "./last-observed";

/** A state has a history, conditions, and no more. */
const maxStateBytes = 24_000;

/** Every write of a state: its version, its size, its announcements, and what it settles. */
export function watchStates(
  { clock, setting, sizeOf, workSince, trace, ledgerOf, shardOf, violated }: Books,
  { answeredLate, isUnderWay }: ScaleWrites,
  { saw }: Observations,
  workers: WorkerChecks,
) {
  function stateWritten(key: string, { before, after }: ItemWrite, by: Invocation): void {
    const ledger = ledgerOf(key);
    if (before?.["deletionCosts"] !== undefined && after?.["deletionCosts"] === undefined) workers.forgotten(key, by);
    if (after === undefined) {
      const sinceBegin = versionsBetween(ledger, by.startedAt, clock.now);
      if (sinceBegin.length > 0 && sinceBegin.every(({ entry }) => entry !== undefined))
        violated(`forget: the state of ${key} is deleted, and its entry was there all the time`);
      const writtenAt = ledger.writers.at(-1)?.at ?? -Infinity;
      if (writtenAt >= (presentSince(ledger) ?? Infinity) && !ledger.isSpoiled)
        violated(`forget: the state of ${key} is deleted, and it was written for the entry that is there`);
      ledger.bornAt = clock.now;
      ledger.isZeroOurs = false;
      return;
    }
    const version = before === undefined ? "nothing" : Number(before["version"]?.N);
    const next = Number(after["version"]?.N);
    if (versionBefore(next) !== version && !ledger.isSpoiled)
      violated(`version: the state of ${key} goes from version ${version} to ${next}`);
    // Members that nobody knows stay, also those of a corrupt item.
    if (itemBytes(after) > maxStateBytes && !ledger.isCorrupt)
      violated(`size: the state of ${key} has ${itemBytes(after)} bytes`);
    const state = dataOf(after) as unknown as State;
    const zero = state.status.conditions?.find(({ type }) => type === "ScaledToZero")?.status ?? "";
    trace(
      `${clock.now} state ${key} v${state.version} slot ${state.slot} zero ${zero} intent ${state.intent?.to ?? ""}`,
    );
    pushCapped(ledger.writers, { at: clock.now, by });
    workers.stateWritten(key, state.deletionCosts);
    if (state.wake !== undefined) ledger.wokenAt.set(by, state.wake.at);
    const wokenAt = Number(before?.["wake"]?.M?.["at"]?.N ?? 0);
    if (state.slot > Number(before?.["slot"]?.N ?? 0) && state.slot < wokenAt)
      violated(`run: slot ${state.slot} writes over the wake of ${wokenAt} (${key})`);
    judgeIntents(ledger, before, state);
    const { intent } = state;
    const old = before?.["intent"]?.M;
    const isNew =
      intent !== undefined &&
      (old?.["at"]?.N !== String(intent.at) ||
        old["resourceVersion"]?.S !== intent.resourceVersion ||
        old["to"]?.N !== String(intent.to));
    if (isNew) announced(ledger, state, by);
    const { scaleUpEvents = [], scaleDownEvents = [] } = state.history ?? {};
    for (const landing of ledger.landings.slice(-8)) {
      if (landing.by === "hand" || landing.reportedAt !== undefined) continue;
      const written = landing.by;
      const own = ledger.intentRecords.findLast((each) => each.by === by && isSame(written, [each]));
      if (own === undefined || intent?.at === own.decidedAt) continue;
      const events = landing.to > landing.from ? scaleUpEvents : scaleDownEvents;
      const hasBehavior = usableNow(ledger)?.spec.behavior !== undefined;
      if (hasBehavior && !events.some(({ at, foundAt }) => at === own.decidedAt && foundAt === undefined)) continue;
      landing.reportedAt = own.decidedAt;
      if (answeredLate.has(own))
        violated(`outdated: ${key} → ${own.to} is reported by its own run, whose run was over when it was answered`);
    }
  }

  /** Nothing but a new resourceVersion, another object, or the refusal of its own write removes an announcement. */
  function judgeIntents(ledger: Ledger, before: Item | undefined, after: State): void {
    if (before === undefined || ledger.isSpoiled) return;
    const old = dataOf(before) as unknown as State;
    const gone = [old.intent, ...(old.earlier ?? [])].flatMap((each) => each ?? []);
    const left = [after.intent, ...(after.earlier ?? [])].flatMap((each) => each ?? []);
    if (left.length > 12) violated(`size: ${ledger.key} has ${left.length} open intents`);
    const target = sizeOf(ledger.key);
    for (const intent of gone) {
      if (left.some((each) => each.to === intent.to && each.resourceVersion === intent.resourceVersion)) continue;
      if (isInRange(after, intent)) continue;
      const own = ledger.intentRecords.findLast(
        ({ decidedAt, to, resourceVersion }) =>
          decidedAt === intent.at && to === intent.to && resourceVersion === intent.resourceVersion,
      );
      if (own === undefined) continue;
      const mayLand = isUnderWay(own) && String(target?.resourceVersion) === intent.resourceVersion;
      if (mayLand) violated(`intent: ${ledger.key} → ${intent.to} is dropped, and its write can still land`);
    }
  }

  function announced(ledger: Ledger, state: State, by: Invocation): void {
    const { intent, wake } = state;
    if (intent === undefined) return;
    const isWake = wake?.done === true;
    const runAt = isWake ? wake.at : state.slot;
    const shard = shardOf(ledger.key);
    const periodMs = setting.periodSeconds * 1_000;
    const own = by.bodies.map((body) => JSON.parse(body) as { slot?: number; until?: number });
    const until = isWake
      ? (shard === undefined ? runAt : Math.floor(runAt / periodMs) * periodMs) + periodMs
      : (own.find(({ slot }) => slot === runAt)?.until ?? runAt + periodMs);
    const intentRecord: IntentRecord = {
      by,
      at: clock.now,
      runAt,
      until,
      decidedAt: intent.at,
      from: intent.from,
      to: intent.to,
      resourceVersion: intent.resourceVersion,
      shardSlot: shard?.slot ?? (isWake ? -Infinity : Infinity),
      isZeroOurs: ledger.isZeroOurs,
    };
    // A withdrawal brings back the announcement before it.
    const isAgain = ledger.intentRecords.some(
      ({ decidedAt, to }) => decidedAt === intentRecord.decidedAt && to === intentRecord.to,
    );
    pushCapped(ledger.intentRecords, intentRecord);
    const judged = () => [
      ...viewRules(ledger, intentRecord, periodMs).problems(),
      ...idleProblems(ledger, intentRecord),
      ...judgeStale(ledger, intentRecord, workSince),
    ];
    if (!isAgain) for (const what of judged()) violated(what);
    saw(ledger, by, intent.at);
  }

  return { stateWritten };
}
