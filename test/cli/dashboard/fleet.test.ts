import { fleetCluster, fleetRow } from "../../../cli/look/dashboard/fleet";
import type { FleetRow } from "../../../lib/read/page/fleet-row";
import type { HpaFacts } from "../../../lib/read/hpa-facts";
import { factsWith, shard } from "../explain/explained";
import { at, external, hpaWith, noon, scaleOf, unhindered } from "../../core/build";
import { kinds, type RecordedKind } from "../../web/recorded-fleet";

const now = at(10);

function rowOf(kind: RecordedKind, rest: Partial<HpaFacts> = {}): FleetRow {
  const { situation, ...more } = kinds[kind];
  const facts = factsWith(situation, rest);
  if (!("hpa" in facts.entry) || !("annotations" in more)) return fleetRow(facts, now);
  const { hpa } = facts.entry;
  const annotated = { ...hpa, metadata: { ...hpa.metadata, annotations: more.annotations } };
  return fleetRow({ ...facts, entry: { hpa: annotated } }, now);
}

test.each<[RecordedKind, Partial<FleetRow>]>([
  ["atZero", { state: "atZero", size: 0, asks: 0, min: 0, max: 10 }],
  ["steady", { state: "steady", size: 2, asks: 2, min: 1, max: 10 }],
  ["held", { state: "held", size: 8, asks: 2, hold: { by: "stabilization", until: at(-60 + 300) } }],
  ["atMax", { state: "atMax", size: 10, asks: 50, hold: { by: "maxReplicas" } }],
  ["notOurZero", { state: "notOurZero", size: 0 }],
  ["paused", { state: "paused" }],
  ["dryRun", { state: "dryRun", dryRun: true, size: 2, reason: "would scale 2 → 4" }],
])("%s has one word, and its reason", (kind, expected) => {
  expect(rowOf(kind)).toMatchObject(expected);
});

test("a metric that cannot be read fails, and says what holds the size", () => {
  const facts = factsWith(kinds.failing.situation);
  const warnings = [{ type: "Warning", reason: "FailedGetExternalMetric", message: "no answer" }] as const;
  const state = facts.state && { ...facts.state, warnings, failingSince: noon };
  expect(fleetRow({ ...facts, ...(state && { state }) }, now)).toMatchObject({
    ...{ state: "failing", reason: "no answer", hold: { by: "unknownMetric" }, asks: null, since: noon },
    metrics: [{ name: "queue", target: "10", isAverage: true }],
  });
});

test("a limited scale-up is held by its policy until that allows more", () => {
  const situation = { scale: scaleOf(2), metrics: [external("90")] };
  const behavior = { ...unhindered, scaleUp: { ...unhindered.scaleUp, policies: [onePod] } };
  expect(fleetRow(factsWith({ ...situation, hpa: hpaWith({ behavior }) }), now)).toMatchObject({
    state: "held",
    hold: { by: "rate" },
    asks: 9,
  });
});
const onePod = { type: "Pods", value: 1, periodSeconds: 60 } as const;

test("an entry that nobody can use fails with its first problem", () => {
  const row = rowOf("steady", { entry: { errors: ["spec.maxReplicas: required", "another"] } });
  expect(row).toMatchObject({ state: "failing", reason: "spec.maxReplicas: required", metrics: [] });
});

test("values are as a status has them, in plain numbers", () => {
  const { metrics, sources } = fleetRow(factsWith({ scale: scaleOf(4), metrics: [external("22")] }), now);
  expect(metrics).toEqual([{ name: "queue", current: "5.5", target: "10", isAverage: true }]);
  expect(sources).toEqual(["queue"]);
});

test("without a sync, an HPA waits", () => {
  const { state: _, ...facts } = factsWith();
  expect(fleetRow(facts, now)).toMatchObject({ state: "waiting", metrics: [{ name: "queue", target: "10" }] });
});

test("a cluster is as late as its latest shard", () => {
  const entry = { key: "prod", value: { name: "prod", spec: { auth: { type: "token", secret: "t" } } } } as const;
  const late = { ...shard, from: "m", slot: at(-600), behind: { "shop/web": noon } };
  expect(fleetCluster(entry, [shard, late, { ...shard, cluster: "other", slot: 5 }], now)).toEqual({
    ...{ cluster: "prod", health: "late", slot: at(-600), periodMs: 15_000, shards: 2, behind: 1 },
  });
  expect(fleetCluster(entry, [], now)).toMatchObject({ health: "missing", shards: 0 });
  expect(fleetCluster({ key: "prod", invalid: "spec.auth: required" }, [shard], now)).toMatchObject({
    failure: "spec.auth: required",
  });
});
