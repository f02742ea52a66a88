import type { DecisionRecord } from "../../../lib/model/stored/state";
import { decisionTable } from "../../../cli/understand/explain/decision-table";
import { localTimes } from "../../../cli/shell/print/times";
import { digestOf } from "../../../lib/read/decisions";
import type { HpaFacts } from "../../../lib/read/hpa-facts";
import type { Situation } from "../../../lib/model/situation";
import { at, external, hpaWith, noon, nothingSoFar, scaledToZero, scaleOf, unhindered } from "../../core/build";
import { factsWith, linesOf } from "./explained";

const seen = (replicas: number, seconds: number) => ({ replicas, since: at(seconds), at: at(seconds) });
const remembering = (...recommendations: readonly ReturnType<typeof seen>[]) => ({ ...nothingSoFar, recommendations });

/** The decision of these facts as its record: what --since lists of it. */
function whyIn(facts: HpaFacts): string {
  const { decision } = facts.state ?? {};
  if (decision === undefined) throw new Error("a sync leaves a decision");
  const scaleTo = decision.desiredReplicas === decision.from ? null : decision.desiredReplicas;
  const record: DecisionRecord = { ...decision, scaleTo, events: [] };
  const table = decisionTable([{ record, digest: digestOf(facts, record) }], localTimes(noon, "UTC"));
  return table.trimEnd().split("\n")[1]?.split(/ {3,}/)[3] ?? "";
}

const sparing = (busy: number, more: Partial<Situation> = {}) => {
  const hpa = hpaWith({ behavior: unhindered, maxReplicas: 10, ...more.hpa?.spec });
  const annotations = {
    "ebb.dev/busy": "metric: jobs",
    "ebb.dev/spare-busy": "true",
    ...more.hpa?.metadata.annotations,
  };
  return factsWith({
    hpa: { ...hpa, metadata: { ...hpa.metadata, annotations } },
    scale: scaleOf(10),
    busy: { busy, unknown: 0, idle: 10 - busy, notReady: 0, replicaSets: 1 },
    ...(more.costsSeenAt !== undefined && { costsSeenAt: more.costsSeenAt }),
  });
};

test.each<[string, HpaFacts, string, string]>([
  [
    "down as far as busy pods allow",
    sparing(6),
    "shop/web was scaled down from 10 to 6 replicas at 12:00:00 UTC (10s ago): queue asks for 2, and 6 of 10 pods are busy.",
    "queue asks for 2 (20 in all, 2 a pod (target 10)); held at 6 for busy pods: 6 of 10 pods are busy",
  ],
  [
    "not down, because all pods are busy, and for two hours at the longest",
    sparing(10, { hpa: { ...hpaWith(), metadata: { name: "web", annotations: { "ebb.dev/spare-busy-for": "2h" } } } }),
    "shop/web stays at 10 replicas, though the metrics ask for 2.",
    "queue asks for 2 (20 in all, 2 a pod (target 10)); held at 10 for busy pods: 10 of 10 pods are busy, until 14:00:00 UTC (in 120m) at the longest",
  ],
  [
    "not down before controllers see the deletion costs",
    sparing(1, { costsSeenAt: at(10) }),
    "shop/web stays at 10 replicas, though the metrics ask for 2.",
    "queue asks for 2 (20 in all, 2 a pod (target 10)); held at 10 for busy pods: 1 of 10 pods are busy; controllers may not have seen their deletion costs yet",
  ],
  [
    "above maxReplicas, because pods are busy",
    sparing(10, { hpa: hpaWith({ maxReplicas: 5 }) }),
    "shop/web stays at 10 replicas: 10 of 10 pods are busy.",
    "its busy pods are spared: 10 of 10 pods are busy",
  ],
  [
    "raised by the window, while the metrics ask for less",
    factsWith({ scale: scaleOf(5), history: remembering(seen(8, -60)) }),
    "shop/web was scaled up from 5 to 8 replicas at 12:00:00 UTC (10s ago): 8 is the highest recommendation of the last 5m.",
    "8 is the highest recommendation of the last 5m; held at 8 or more until 12:04:00 UTC (in 4m) by a recommendation of 8 at 11:59:00 UTC (the stabilization window of 5m)",
  ],
  [
    "raised by the window, while the metrics ask for the size that it has",
    factsWith({ scale: scaleOf(2), history: remembering(seen(3, -60)) }),
    "shop/web was scaled up from 2 to 3 replicas at 12:00:00 UTC (10s ago): 3 is the highest recommendation of the last 5m.",
    "3 is the highest recommendation of the last 5m; held at 3 or more until 12:04:00 UTC (in 4m) by a recommendation of 3 at 11:59:00 UTC (the stabilization window of 5m)",
  ],
  [
    "raised by the window, as far as the rate allows",
    factsWith({ scale: scaleOf(2), history: remembering(seen(9, -60)) }),
    "shop/web was scaled up from 2 to 4 replicas at 12:00:00 UTC (10s ago): 9 is the highest recommendation of the last 5m, and the rate of scale-up allows 4.",
    "9 is the highest recommendation of the last 5m; held at 9 or more until 12:04:00 UTC (in 4m) by a recommendation of 9 at 11:59:00 UTC (the stabilization window of 5m); held at 4 by the rate of scale-up, at most double, or 4",
  ],
  [
    "lowered as far as the window allows",
    factsWith({ scale: scaleOf(7), history: remembering(seen(5, -60)) }),
    "shop/web was scaled down from 7 to 5 replicas at 12:00:00 UTC (10s ago): queue asks for 2, and 5 is the highest recommendation of the last 5m.",
    "queue asks for 2 (20 in all, 2.858 a pod (target 10)); held scale-down until 12:04:00 UTC (in 4m) by a recommendation of 5 at 11:59:00 UTC (the stabilization window of 5m)",
  ],
  [
    "woken from a zero of ours, because minReplicas was raised",
    factsWith({
      hpa: hpaWith({ minReplicas: 3, behavior: unhindered }, scaledToZero),
      scale: scaleOf(0),
      metrics: [external("0")],
    }),
    "shop/web was woken from zero to 3 replicas at 12:00:00 UTC (10s ago): minReplicas is 3.",
    "minReplicas is 3; held at 3, its minReplicas",
  ],
  [
    "down to minReplicas",
    factsWith({
      hpa: hpaWith({ minReplicas: 2, behavior: unhindered }),
      scale: scaleOf(3),
      metrics: [external("0")],
      history: remembering(seen(0, -20)),
    }),
    "shop/web was scaled down from 3 to 2 replicas at 12:00:00 UTC (10s ago): queue asks for 0, and minReplicas is 2.",
    "queue asks for 0 (0 in all, 0 a pod (target 10)); held at 2, its minReplicas",
  ],
  [
    "up to maxReplicas",
    factsWith({ scale: scaleOf(8), metrics: [external("300")] }),
    "shop/web was scaled up from 8 to 10 replicas at 12:00:00 UTC (10s ago): queue asks for 30, and maxReplicas is 10.",
    "queue asks for 30 (300 in all, 37.5 a pod (target 10)); held at 10, its maxReplicas",
  ],
  [
    "below minReplicas",
    factsWith({ hpa: hpaWith({ minReplicas: 3 }), scale: scaleOf(2) }),
    "shop/web was scaled up from 2 to 3 replicas at 12:00:00 UTC (10s ago): it was below minReplicas.",
    "it was below minReplicas",
  ],
])("%s", (_name, facts, summary, why) => {
  expect(linesOf(facts, 10)[0]).toBe(summary);
  expect(whyIn(facts)).toBe(why);
});

/** With `ebb.dev/zero`, of an HPA from 0 at 3 replicas. */
function idling(metrics: Situation["metrics"], activity?: Situation["activity"]): HpaFacts {
  const hpa = hpaWith({ minReplicas: 0, behavior: unhindered, maxReplicas: 10 });
  const annotations = { "ebb.dev/zero": '{"after":"60s","from":2}' };
  const known = { hpa: { ...hpa, metadata: { ...hpa.metadata, annotations } }, scale: scaleOf(3), metrics };
  return factsWith({ ...known, ...(activity && { activity }) });
}

test.each<[string, HpaFacts, string, string]>([
  [
    "cools down, and says until when",
    idling([external("0")], { lastWork: at(-30) }),
    "shop/web was scaled down from 3 to 2 replicas at 12:00:00 UTC (10s ago): queue asks for 0, and zero follows only once no metric has work for long enough.",
    "queue asks for 0 (0 in all, 0 a pod (target 10)); held at 2, from of ebb.dev/zero; held at 2 until 12:00:30 UTC (in 30s): no metric has work, and then zero follows",
  ],
  [
    "goes to zero, once it has",
    idling([external("0")], { lastWork: at(-60) }),
    "shop/web was scaled from 3 to zero at 12:00:00 UTC (10s ago): no External or Object metric has had work for 60s.",
    "no External or Object metric has had work for 60s",
  ],
  [
    "has no zero while a metric cannot be read",
    idling([{ error: "throttled", from: "sqs" }], { lastWork: at(-90) }),
    "shop/web stays at 3 replicas: queue cannot be read since 12:00:00 UTC (10s ago), so nothing is scaled.",
    "queue cannot be read; held at 3: no zero while a metric cannot be read, because it may have work",
  ],
  [
    "is at least from, while there is work",
    idling([external("5")]),
    "shop/web was scaled down from 3 to 2 replicas at 12:00:00 UTC (10s ago): queue asks for 1, and from of ebb.dev/zero is 2.",
    "queue asks for 1 (5 in all, 1.667 a pod (target 10)); held at 2, from of ebb.dev/zero",
  ],
])("ebb.dev/zero: %s", (_name, facts, summary, why) => {
  expect([linesOf(facts, 10)[0], whyIn(facts)]).toEqual([summary, why]);
});

test("a scaling whose steps were too large to keep says so, and not that it stayed", () => {
  const decision = { at: noon, from: 1, desiredReplicas: 5, steps: [] };
  const facts = factsWith();
  const { state } = facts;
  if (state === undefined) throw new Error("a sync leaves a state");
  expect(linesOf({ ...facts, state: { ...state, decision } }, 10)[0]).toBe(
    "shop/web was scaled up from 1 to 5 replicas at 12:00:00 UTC (10s ago): the steps of this decision were not kept.",
  );
});

test("while busy pods hold it, nobody says when it goes down", () => {
  const [next = ""] = linesOf(sparing(6), 10).filter((line) => line.includes("  next "));
  expect(next).toContain("down with the first sync that finds fewer busy pods");
});
