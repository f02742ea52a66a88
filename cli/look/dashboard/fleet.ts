import type { HorizontalPodAutoscaler, MetricSpec, MetricStatus } from "../../../lib/k8s/hpa";
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
import { isLeftAtZero } from "../../../lib/model/hpa-state";
import type { Entry, ShardContents } from "../../../lib/model/ports/store";
import type { Shard } from "../../../lib/model/stored/shard";
import type { State } from "../../../lib/model/stored/state";
import { digested } from "../../../lib/read/decisions";
import { haltOf, type Halt } from "../../../lib/read/halt";
import { factsOf, type HpaFacts, periodOf } from "../../../lib/read/hpa-facts";
import type { FleetCluster, FleetMetric, FleetRow } from "../../../lib/read/page/fleet-row";
import { shardHealth } from "../../../lib/read/shard-health";

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
    ...judged(facts, entry.hpa, now),
    ...present({ size }),
    min: minReplicas(entry.hpa),
    max: spec.maxReplicas,
    metrics: (spec.metrics ?? []).map((metric, index) => metricOf(metric, state?.status.currentMetrics?.[index])),
    sources: [...new Set((spec.metrics ?? []).flatMap(({ external }) => external?.metric.name ?? []))],
  };
}

type Judged = Pick<FleetRow, "state" | "reason" | "hold" | "since" | "asks">;

function judged(facts: HpaFacts, hpa: HorizontalPodAutoscaler, now: EpochMs): Judged {
  const { state } = facts;
  const halt = haltOf(facts, now);
  if (halt !== undefined) return halted(halt);
  if (state?.decision === undefined) return { state: "waiting" };
  const decision = digested(facts, state.decision);
  const asks = { asks: decision.proposed };
  const since = present({ since: state.recorded?.at ?? scaledAt(state) });
  const [warning] = state.warnings ?? [];
  if (warning !== undefined) {
    const hold = decision.metrics.some(({ asksFor }) => asksFor === null)
      ? { hold: { by: "unknownMetric" } as const }
      : {};
    return { state: "failing", reason: warning.message, ...hold, ...asks, ...present({ since: state.failingSince }) };
  }
  if (isLeftAtZero(state.decision)) return { state: "notOurZero", ...asks, ...since };
  const { currentReplicas = 0, desiredReplicas } = state.status;
  const operations = readOperations(hpa.metadata);
  if ("dryRun" in operations && operations.dryRun) {
    const would = state.decision.desiredReplicas;
    const reason = would === currentReplicas ? `would stay at ${would}` : `would scale ${currentReplicas} → ${would}`;
    return { state: "dryRun", reason, ...asks, ...since };
  }
  const last = decision.holds.at(-1);
  const hold = last && { hold: holdOf(last) };
  if (last?.by === "maxReplicas") return { state: "atMax", ...hold, ...asks, ...since };
  if (last !== undefined && last.by !== "minReplicas" && last.by !== "from")
    return { state: "held", ...hold, ...asks, ...since };
  if (state.intent !== undefined || currentReplicas !== desiredReplicas) return { state: "scaling", ...asks, ...since };
  return { state: currentReplicas === 0 ? "atZero" : "steady", ...hold, ...asks, ...since };
}

function halted(halt: Halt): Judged {
  switch (halt.reason) {
    case "InvalidEntry":
      return { state: "failing", reason: halt.errors[0] ?? "" };
    case "InvalidCluster":
    case "BrokenState":
      return { state: "failing", reason: halt.problem };
    case "Paused":
      return {
        state: "paused",
        ...(halt.until !== undefined && { reason: `until ${new Date(halt.until).toISOString()}` }),
      };
    case "NeverSynced":
      return halt.cause.kind === "shardFails" ? { state: "failing", reason: halt.cause.failure } : { state: "waiting" };
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
