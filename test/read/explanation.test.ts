import { busyAnnotation } from "../../lib/model/entry/busy-rule";
import type { State } from "../../lib/model/stored/state";
import { explanationOf } from "../../lib/read/explanation";
import { hpaKey } from "../../lib/model/hpa-key";
import { periodClass } from "../../lib/model/stored/last-observed";
import type { HorizontalPodAutoscaler } from "../../lib/k8s/hpa";
import { type HpaFacts, hpaPeriodOf, lastSyncOf } from "../../lib/read/hpa-facts";
import { at, external, hpaWith, noon, nothingSoFar, scaleOf, situationWith } from "../core/build";
import { shard, factsWith, stateAfter } from "../cli/explain/explained";

const { state: _, shard: __, ...unsynced } = factsWith();
const annotated = (annotations: Record<string, string>) => ({
  hpa: { ...hpaWith(), metadata: { name: "web", namespace: "shop", annotations } },
});
const createdAt = (creationTimestamp: string) => {
  const hpa = hpaWith();
  return { hpa: { ...hpa, metadata: { ...hpa.metadata, creationTimestamp } } };
};
const registeredAt = (registeredAt: number) =>
  ({ key: "prod", value: { name: "prod", spec: { auth: { type: "token", secret: "t" } }, registeredAt } }) as const;
const explained = (facts: HpaFacts, seconds = 10) => explanationOf(facts, at(seconds));

describe("why nothing is decided, the first reason that holds", () => {
  test.each<[string, HpaFacts, number, object]>([
    [
      "an invalid entry",
      factsWith({}, { entry: { errors: ["a", "b"] } }),
      10,
      { reason: "InvalidEntry", errors: ["a", "b"] },
    ],
    [
      "an annotation that cannot be read",
      factsWith({}, { entry: annotated({ "ebb.dev/paused": "yes" }) }),
      10,
      { reason: "InvalidEntry", errors: [expect.stringContaining("ebb.dev/paused")] },
    ],
    [
      "an invalid cluster before a broken state",
      factsWith({}, { cluster: { key: "prod", invalid: "spec.auth: expected one" }, brokenState: "version" }),
      10,
      { reason: "InvalidCluster", problem: "spec.auth: expected one" },
    ],
    ["a broken state", factsWith({}, { brokenState: "version" }), 10, { reason: "BrokenState", problem: "version" }],
    [
      "paused until a moment to come",
      factsWith({}, { entry: annotated({ "ebb.dev/paused-until": "2026-03-01T14:00:00Z" }) }),
      10,
      { reason: "Paused", until: Date.parse("2026-03-01T14:00:00Z"), replicas: 2 },
    ],
    ["no shard", unsynced, 10, { reason: "NeverSynced", cause: { kind: "noShard" } }],
    ["a new HPA", { ...unsynced, shard }, 75, { reason: "NeverSynced", cause: { kind: "new", periodMs: 15_000 } }],
    [
      "a shard that is late by more than a period and a minute",
      { ...unsynced, shard },
      76,
      { reason: "NeverSynced", cause: { kind: "shardLate", lastSlot: noon } },
    ],
    [
      "a new shard that no slot has finished",
      { ...unsynced, shard: { ...shard, slot: 0 } },
      104,
      { reason: "NeverSynced", cause: { kind: "new", periodMs: 15_000, due: at(105) } },
    ],
    [
      "a shard that no slot has finished when it was due",
      { ...unsynced, shard: { ...shard, slot: 0 } },
      105,
      { reason: "NeverSynced", cause: { kind: "shardLate" } },
    ],
    [
      "a new cluster without a shard",
      { ...unsynced, cluster: registeredAt(noon) },
      10,
      { reason: "NeverSynced", cause: { kind: "noShard", due: at(105) } },
    ],
    [
      "a cluster without a shard when one was due",
      { ...unsynced, cluster: registeredAt(noon) },
      105,
      { reason: "NeverSynced", cause: { kind: "noShard" } },
    ],
    [
      "an HPA of which is known since when it is",
      { ...unsynced, shard, entry: createdAt("2026-03-01T12:00:00Z") },
      29,
      { reason: "NeverSynced", cause: { kind: "new", periodMs: 15_000, due: at(30) } },
    ],
    [
      "an HPA that the slots of its shard left out when it was due",
      { ...unsynced, shard: { ...shard, slot: at(30) }, entry: createdAt("2026-03-01T12:00:00Z") },
      30,
      { reason: "NeverSynced", cause: { kind: "missed", due: at(30) } },
    ],
    [
      "a shard that fails",
      { ...unsynced, shard: { ...shard, failure: "the clock went back" } },
      500,
      { reason: "NeverSynced", cause: { kind: "shardFails", failure: "the clock went back" } },
    ],
  ])("%s", (_name, facts, seconds, halt) => {
    const explanation = explained(facts, seconds);
    expect(explanation.halt).toEqual(halt);
    expect([explanation.decision, explanation.moves]).toEqual([undefined, []]);
  });

  test("a pause that is over halts nothing", () => {
    const facts = factsWith({}, { entry: annotated({ "ebb.dev/paused-until": "2026-03-01T12:00:10Z" }) });
    expect(explained(facts, 10).halt).toBeUndefined();
  });
});

describe("what comes next", () => {
  const situations = {
    up: { scale: scaleOf(3), metrics: [external("60")] },
    lost: { scale: scaleOf(3), metrics: [{ error: "no such queue", from: "sqs" }] },
  } as const;

  test("as asked: nothing, and no metric is missing", () => {
    expect(explained(factsWith(situations.up)).next).toEqual({ kind: "steady", blind: [] });
  });

  test("no metric can be read: it waits for all of them", () => {
    const { decision, next } = explained(factsWith(situations.lost));
    expect(decision?.proposed).toBeNull();
    expect(next).toMatchObject({ kind: "blind", metrics: [expect.any(String)] });
  });

  const inDryRun = { ...hpaWith(), ...annotated({ "ebb.dev/dry-run": "true" }).hpa };

  test("a dry run that wants another size would scale at once, and never does", () => {
    const facts = factsWith({ ...situations.up, hpa: inDryRun });
    expect(explained(facts)).toMatchObject({
      decision: { isDryRun: true, from: 3, desiredReplicas: 6, proposed: 6 },
      next: { kind: "dryRun", to: 6 },
      moves: [],
      remarks: [{ kind: "dryRun" }],
    });
    expect(explained(facts).decision).not.toHaveProperty("obstacle");
  });

  test("a dry run that is held says when it would scale, once: the size stays as it is", () => {
    const seen = (replicas: number, seconds: number) => ({ replicas, since: at(seconds), at: at(seconds) });
    const history = { ...nothingSoFar, recommendations: [seen(7, -90), seen(5, -5)] };
    const given = { hpa: inDryRun, scale: scaleOf(7), metrics: [external("30")], history };
    const move = { at: at(210) + 1, from: 7, to: 5 };
    expect(explained(factsWith(given))).toMatchObject({
      decision: { isDryRun: true },
      next: { kind: "moves", first: move, last: move, isDryRun: true },
      moves: [move],
    });
  });

  test("what scaled the target before the dry run began was no dry run", () => {
    const facts = factsWith(situations.up, { entry: annotated({ "ebb.dev/dry-run": "true" }) });
    expect(explained(facts).decision).toMatchObject({ isDryRun: false, from: 3, desiredReplicas: 6 });
  });

  test("a scaling under way comes before the decision", () => {
    const intent = { from: 3, to: 6, at: noon, resourceVersion: "7", countsAsEvent: true, message: "" };
    const state: State = { ...stateAfter(situationWith(situations.up)), intent: { ...intent, scaledToZero: false } };
    const explanation = explained(factsWith(situations.up, { state }));
    expect([explanation.unsettled?.to, explanation.decision, explanation.next]).toEqual([6, undefined, undefined]);
  });
});

describe("what else to know", () => {
  test.each<[string, Partial<HpaFacts>, number, readonly object[]]>([
    ["nothing", {}, 10, []],
    ["late slots", {}, 76, [{ kind: "overdue", lastSynced: noon }]],
    [
      "late slots, and why",
      { shard: { ...shard, failure: "the clock went back" } },
      76,
      [{ kind: "overdue", lastSynced: noon, failure: "the clock went back" }],
    ],
    [
      "a shard that fails, not late yet",
      { shard: { ...shard, failure: "the clock went back" } },
      10,
      [{ kind: "shardFails", lastSynced: noon, failure: "the clock went back" }],
    ],
    [
      "slots that did not reach it",
      { shard: { ...shard, heartbeat: at(30), behind: { "shop/web": noon } } },
      40,
      [{ kind: "behind", lastSynced: noon }],
    ],
  ])("%s", (_name, rest, seconds, remarks) => {
    expect(explained(factsWith({}, rest), seconds).remarks).toEqual(remarks);
  });

  test("a key that every object inherits is not lagging", () => {
    const named = { name: "constructor", namespace: "", shard: { ...shard, behind: {} } };
    expect(explained(factsWith({}, named)).remarks).toEqual([]);
  });
});

describe("the age of the values", () => {
  const valuesAt = (heartbeat: number, seconds = heartbeat) =>
    explained(factsWith({}, { shard: { ...shard, slot: at(heartbeat), heartbeat: at(heartbeat) } }), seconds).decision
      ?.valuesAt;

  test("those of the last sync have none", () => {
    expect(valuesAt(0, 10)).toBeUndefined();
  });

  test("later syncs may have read others, and not written them yet", () => {
    expect(valuesAt(45)).toBe(noon);
    expect(valuesAt(75)).toBe(noon);
  });

  test("what was not written again for longer than a minute and a period has not changed", () => {
    expect(valuesAt(90)).toBeUndefined();
  });
});

test("an entry that was decided again has not changed since, though its status was left as it is", () => {
  const facts = factsWith({ scale: { error: 'deployments.apps "web" not found' } });
  const entry = { hpa: { ...hpaWith(), metadata: { ...hpaWith().metadata, generation: 2 } } };
  const { state } = facts;
  if (state?.decision === undefined) throw new Error("a sync leaves a decision");
  const after = (generation: number) => ({
    ...state,
    status: { ...state.status, observedGeneration: 1 },
    decision: {
      ...state.decision,
      at: noon,
      from: null,
      desiredReplicas: 0,
      steps: state.decision?.steps ?? [],
      generation,
    },
  });
  expect(explained({ ...facts, entry, state: after(1) }).remarks).toEqual([{ kind: "entryChanged" }]);
  expect(explained({ ...facts, entry, state: after(2) }).remarks).toEqual([]);
});

test.each<[string, string, string | undefined]>([
  ["apps/v1", "StatefulSet", "a StatefulSet removes its highest ordinal first, whichever pod is busy"],
  ["example.com/v1", "Pool", "ebb does not know whether a Pool removes pods by their deletion cost, as ReplicaSets do"],
  ["apps/v1", "Deployment", undefined],
])("with ebb.dev/busy, %s %s may choose its pods itself", (apiVersion, kind, because) => {
  const hpa = hpaWith({ scaleTargetRef: { apiVersion, kind, name: "web" } });
  const facts = factsWith({
    hpa: { ...hpa, metadata: { ...hpa.metadata, annotations: { [busyAnnotation]: "metric: jobs" } } },
  });
  expect(explained(facts).remarks).toEqual(because === undefined ? [] : [{ kind: "ignoresCosts", because }]);
  expect(explained({ ...facts, entry: { hpa } }).remarks).toEqual([]);
});

describe("an HPA with a period of its own", () => {
  const seconds = 300;
  const own = periodClass(hpaKey("shop", "web"), seconds, 15_000)!;
  const facts = () => {
    const found = factsWith();
    const { hpa } = found.entry as { readonly hpa: HorizontalPodAutoscaler };
    const entry = { hpa: { ...hpa, spec: { ...hpa.spec, syncPeriodSeconds: seconds } } };
    const heartbeat = at(200);
    const kept = { ...shard, slot: at(195), heartbeat, ownPeriods: { heartbeat, seen: { [own]: at(40) } } };
    return { ...found, entry, state: { ...found.state!, syncPeriodSeconds: seconds }, shard: kept };
  };

  test("was last synced when its class was, and not with the shard's last slot", () => {
    expect(lastSyncOf(facts())).toBe(at(40));
    expect(lastSyncOf({ ...facts(), shard: { ...facts().shard, behind: { "shop/web": at(20) } } })).toBe(at(20));
  });

  test("is forecast by its own period, and is not overdue while its shard is on time", () => {
    expect(hpaPeriodOf(facts())).toBe(300_000);
    expect(explained(facts(), 210).remarks).toEqual([]);
  });
});
