import type { ClusterWitness } from "../world/cluster-client";
import type { Invocation } from "../world/wire";
import type { Books } from "./books";
import type { WorkerChecks } from "./busy";
import { isInRange } from "./intents";
import { isSame, judgeLanding } from "./landing";
import { leastByMetrics } from "./least";
import { type IntentRecord, isJudged, type Ledger, type OurLanding, pushCapped, usableNow } from "./ledger";
import type { Observations } from "./last-observed";

type PutWitness = Pick<ClusterWitness, "putIssued" | "putSent" | "putAnswered" | "putThrottled" | "putArrives">;

export type ScaleWrites = ReturnType<typeof watchScaleWrites>;

/** Every scale write: announced before it is sent, in its turn, not again after a 429, and right when it is applied. */
export function watchScaleWrites(
  { clock, setting, skewMs, sizeOf, trace, ledgerOf, stateOf, violated }: Books,
  { isBlind }: Observations,
  workers: WorkerChecks,
) {
  /** Refused with a 429: "<invocation> <key>". */
  const throttled = new Set<string>();
  /** Their answer came when their run was over. */
  const answeredLate = new Set<IntentRecord>();
  /** They will arrive. */
  const underWay = new Map<IntentRecord, number>();

  function witness(by: Invocation | undefined): PutWitness {
    let issuedAt = clock.now;
    let intentRecord: IntentRecord | undefined;
    return {
      putIssued({ namespace, name }, scale) {
        issuedAt = clock.now;
        const key = `${namespace}/${name}`;
        const { intentRecords } = ledgerOf(key);
        const to = scale.spec.replicas ?? 0;
        if (throttled.has(`${by?.id} ${key}`)) violated(`throttled: ${key} → ${to} is sent again at once after a 429`);
        const { resourceVersion } = scale.metadata;
        intentRecord = intentRecords.findLast(
          (each) => each.by === by && each.to === to && each.resourceVersion === resourceVersion,
        );
        if (ledgerOf(key).isCorrupt) return;
        if (intentRecord === undefined) return violated(`announce: ${key} → ${to} is written but not announced`);
        if (clock.seen() >= intentRecord.until) violated(`outdated: ${key} → ${to} is sent after its run is over`);
        if (intentRecord.shardSlot >= intentRecord.runAt)
          violated(
            `outdated: ${key} → ${to} is sent in the run of ${intentRecord.runAt}, after slot ${intentRecord.shardSlot}`,
          );
      },
      putAnswered() {
        if (intentRecord !== undefined && clock.seen() >= intentRecord.until) answeredLate.add(intentRecord);
      },
      putThrottled({ namespace, name }) {
        if (by !== undefined) throttled.add(`${by.id} ${namespace}/${name}`);
      },
      putSent() {
        if (intentRecord !== undefined) underWay.set(intentRecord, (underWay.get(intentRecord) ?? 0) + 1);
      },
      putArrives({ namespace, name }, { metadata }) {
        if (intentRecord !== undefined) underWay.set(intentRecord, (underWay.get(intentRecord) ?? 0) - 1);
        const key = `${namespace}/${name}`;
        const before = sizeOf(key);
        const from = before?.replicas ?? 0;
        return (done) => {
          const after = sizeOf(key);
          if (metadata.uid !== undefined && done && metadata.uid !== before?.uid)
            violated(`uid: ${key} was made again since it was read`);
          if (!done || intentRecord === undefined || after === undefined || after.replicas === from) return;
          appliedIntent(ledgerOf(key), intentRecord, { from, to: after.replicas, issuedAt });
        };
      },
    };
  }

  function appliedIntent(
    ledger: Ledger,
    by: IntentRecord,
    { from, to, issuedAt }: { readonly from: number; readonly to: number; readonly issuedAt: number },
  ): void {
    const { intent, earlier = [], ...state } = stateOf(ledger) ?? {};
    const isNamed = isSame(by, [...(intent === undefined ? [] : [intent]), ...earlier]);
    const isUnnamed = !isNamed && intent !== undefined && isInRange({ ...state, intent }, by);
    const landing: OurLanding = { at: clock.now, from, to, by, reportedAt: undefined, ...(isUnnamed && { isUnnamed }) };
    trace(`${clock.now} landed ${ledger.key} ${from} ${to}`);
    const { found: wrong, mostBusy } = workers.landed(ledger, by, { from, to, issuedAt });
    const found = !isJudged(ledger, by.at)
      ? []
      : judgeLanding(ledger, landing, {
          downscaleStabilizationSeconds: setting.downscaleStabilizationSeconds,
          skewMs,
          isBlind: isBlind(ledger, by),
          least: leastByMetrics(ledger, by),
          mostBusy,
          issuedAt,
        });
    for (const what of [...found, ...wrong]) violated(`${what} (${ledger.key})`);
    pushCapped(ledger.landings, landing);
    if (isJudged(ledger, by.at)) ledger.lastRunAt = Math.max(ledger.lastRunAt, by.runAt);
    ledger.isZeroOurs = to === 0;
    if (usableNow(ledger) !== undefined) return;
    // It was sent for an entry that is gone: nobody is left to record it, or to own the zero.
    ledger.excusedUntil = clock.now + 1;
    if (to === 0) ledger.isZeroOurs = undefined;
  }

  return { witness, answeredLate, isUnderWay: (own: IntentRecord) => (underWay.get(own) ?? 0) > 0 };
}
