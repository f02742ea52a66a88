import type { MetricSpec, MetricStatus } from "../../../lib/k8s/hpa";
import { present } from "../../../lib/k8s/map";
import type { EpochMs } from "../../../lib/k8s/time";
import { parseInstant } from "../../../lib/k8s/time";
import { minReplicas } from "../../../lib/core/gate";
import type { HeldSize } from "../../../lib/core/explain/digest";
import { plainNumber } from "../../../lib/core/explain/metric-reading";
import { readOperations } from "../../../lib/model/entry/annotations";
import type { ClusterEntry } from "../../../lib/model/entry/entries";
import { validateStoredHpa } from "../../../lib/model/entry/validate-hpa-entry";
import { metricLabel, metricTarget } from "../../../lib/model/metric/metric-label";
import type { Entry, ShardContents } from "../../../lib/model/ports/store";
import type { Shard } from "../../../lib/model/stored/shard";
import type { State } from "../../../lib/model/stored/state";
import { digested } from "../../../lib/read/decisions";
import { haltOf, type Halt } from "../../../lib/read/halt";
import { factsOf, type HpaFacts, periodOf } from "../../../lib/read/hpa-facts";
import type { FleetCluster, FleetMetric, FleetRow } from "../../../lib/read/page/fleet-row";
import { shardHealth } from "../../../lib/read/shard-health";
import { statesNow } from "../../../lib/read/states-now";

export function fleetRows(contents: ShardContents, shards: readonly Shard[], now: EpochMs): readonly FleetRow[] {
  return contents.hpas.map((stored) => {
    const { hpa, errors } = validateStoredHpa(stored);
    return fleetRow(factsOf(stored.key, hpa === undefined ? { errors } : { hpa }, { contents, shards }), now);
  });
}

export function fleetRow(facts: HpaFacts, now: EpochMs): FleetRow {
  const { cluster, namespace, name, entry, state } = facts;
  const own = { cluster: cluster.key, namespace, name };
  if ("errors" in entry) return { ...own, state: "failing", reason: entry.errors[0] ?? "", metrics: [], sources: [] };
  const { metadata, spec } = entry.hpa;
  const operations = readOperations(metadata);
  const dryRun = !("errors" in operations) && operations.dryRun ? ({ dryRun: true } as const) : {};
  const size = state?.status.currentReplicas ?? (state === undefined ? undefined : 0);
  return {
    ...own,
    target: `${spec.scaleTargetRef.kind}/${spec.scaleTargetRef.name}`,
    ...dryRun,
    ...judged(facts, now),
    ...present({ size }),
    min: minReplicas(entry.hpa),
    max: spec.maxReplicas,
    metrics: (spec.metrics ?? []).map((metric, index) => metricOf(metric, state?.status.currentMetrics?.[index])),
    sources: [...new Set((spec.metrics ?? []).flatMap(({ external }) => external?.metric.name ?? []))],
  };
}

type Judged = Pick<FleetRow, "state" | "reason" | "hold" | "since" | "asks">;

function judged(facts: HpaFacts, now: EpochMs): Judged {
  const [state] = statesNow(facts, now);
  const halt = haltOf(facts, now);
  if (halt !== undefined) return { state, ...present({ reason: reasonOf(halt) }) };
  const stored = facts.state;
  if (stored?.decision === undefined) return { state };
  const decision = digested(facts, stored.decision);
  const asks = { asks: decision.proposed };
  const since = present({ since: stored.recorded?.at ?? scaledAt(stored) });
  const { currentReplicas = 0 } = stored.status;
  const last = decision.holds.at(-1);
  switch (state) {
    case "failing": {
      const isBlind = decision.metrics.some(({ asksFor }) => asksFor === null);
      const hold = isBlind ? { hold: { by: "unknownMetric" } as const } : {};
      const [warning] = stored.warnings ?? [];
      return { state, ...present({ reason: warning?.message, since: stored.failingSince }), ...hold, ...asks };
    }
    case "notOurZero":
      return { state, ...asks, ...since };
    case "dryRun": {
      const would = stored.decision.desiredReplicas;
      const reason = would === currentReplicas ? `would stay at ${would}` : `would scale ${currentReplicas} → ${would}`;
      return { state, reason, ...asks, ...since };
    }
    default:
      return { state, ...(last && { hold: holdOf(last) }), ...asks, ...since };
  }
}

function reasonOf(halt: Halt): string | undefined {
  switch (halt.reason) {
    case "InvalidEntry":
      return halt.errors[0] ?? "";
    case "InvalidCluster":
    case "BrokenState":
      return halt.problem;
    case "Paused":
      return halt.until === undefined ? undefined : `until ${new Date(halt.until).toISOString()}`;
    case "NeverSynced":
      return halt.cause.kind === "shardFails" ? halt.cause.failure : undefined;
  }
}

function holdOf(hold: HeldSize): NonNullable<FleetRow["hold"]> {
  return { by: hold.by, ...("until" in hold && hold.until !== null && { until: hold.until }) };
}

function scaledAt({ status: { lastScaleTime } }: State): EpochMs | undefined {
  return lastScaleTime === undefined || lastScaleTime === null ? undefined : parseInstant(lastScaleTime);
}

function metricOf(metric: MetricSpec, status: MetricStatus | undefined): FleetMetric {
  const found =
    status && (status.resource ?? status.containerResource ?? status.pods ?? status.object ?? status.external);
  const name = metricLabel(metric);
  const { averageUtilization, averageValue, value } = metricTarget(metric) ?? {};
  if (averageUtilization !== undefined) {
    const current = found?.current?.averageUtilization;
    return { name, target: `${averageUtilization}%`, ...(current !== undefined && { current: `${current}%` }) };
  }
  const isAverage = averageValue !== undefined;
  const current = isAverage ? found?.current?.averageValue : found?.current?.value;
  return {
    name,
    target: plainNumber(averageValue ?? value ?? "?"),
    ...(current !== undefined && { current: plainNumber(current) }),
    ...(isAverage && { isAverage }),
  };
}

export function fleetCluster(entry: Entry<ClusterEntry>, all: readonly Shard[], now: EpochMs): FleetCluster {
  const shards = all.filter(({ cluster }) => cluster === entry.key);
  const healths =
    shards.length === 0 ? [shardHealth(undefined, entry, now)] : shards.map((shard) => shardHealth(shard, entry, now));
  const worst = healths.reduce((one, other) => (urgency[other.kind] > urgency[one.kind] ? other : one));
  const failure = "failure" in worst ? worst.failure : undefined;
  const slots = shards.map(({ slot }) => slot).filter((slot) => slot > 0);
  return {
    cluster: entry.key,
    health: worst.kind,
    ...present({ failure: "invalid" in entry ? entry.invalid : failure }),
    ...(slots.length > 0 && { slot: Math.min(...slots) }),
    periodMs: periodOf(entry),
    shards: shards.length,
    behind: shards.reduce((sum, { behind }) => sum + Object.keys(behind).length, 0),
  };
}

const urgency: Readonly<Record<FleetCluster["health"], number>> = {
  inTime: 0,
  notYet: 1,
  missing: 2,
  late: 3,
  fails: 4,
};
