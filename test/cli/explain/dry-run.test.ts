import type { DecisionRecord } from "../../../lib/model/stored/state";
import { decisionTable } from "../../../cli/understand/explain/decision-table";
import { explanationJson } from "../../../cli/understand/explain/json";
import { explainPage } from "../../../cli/understand/explain/page";
import { localTimes } from "../../../cli/shell/print/times";
import { digestOf } from "../../../lib/read/decisions";
import { explanationOf, explanationOfRecord } from "../../../lib/read/explanation";
import type { HpaFacts } from "../../../lib/read/hpa-facts";
import { plainCaller } from "../advice/plain-caller";
import { at, external, hpaWith, noon, nothingSoFar, scaledToZero, scaleOf } from "../../core/build";
import { factsWith, linesOf } from "./explained";

const inDryRun = (spec: Parameters<typeof hpaWith>[0] = {}, status?: Parameters<typeof hpaWith>[1]) => {
  const hpa = hpaWith(spec, status);
  return { ...hpa, metadata: { ...hpa.metadata, annotations: { "ebb.dev/dry-run": "true" } } };
};
const note =
  "  note    dry run: decided and recorded, never scaled; to end it: `ebb dry-run hpa web off -n shop --cluster prod`";

function recordOf(facts: HpaFacts, seconds = 0, dryRun = true): DecisionRecord {
  const { decision } = facts.state ?? {};
  if (decision === undefined) throw new Error("a sync leaves a decision");
  const scaleTo = dryRun || decision.from === decision.desiredReplicas ? null : decision.desiredReplicas;
  return { ...decision, at: at(seconds), scaleTo, events: [], ...(dryRun ? { dryRun } : {}) };
}

const waking = factsWith({
  hpa: inDryRun({ minReplicas: 0 }, scaledToZero),
  scale: scaleOf(0),
  metrics: [external("60")],
  history: { ...nothingSoFar, recommendations: [{ replicas: 0, since: at(-20), at: at(-20) }] },
});
const steady = factsWith({ hpa: inDryRun(), scale: scaleOf(2), metrics: [external("20")] });

test.each<[string, HpaFacts, readonly string[]]>([
  [
    "would scale",
    waking,
    [
      "shop/web would scale from 0 to 4 replicas (dry run): queue asks for 6, and the rate of scale-up allows 4.",
      note,
      "  read    queue  60 in all (target 10 a pod): asks for 6",
      "  held    at 4 by the rate of scale-up, at most double, or 4",
      "  next    nothing while the dry run lasts; without it, the next sync scales to 4 replicas",
    ],
  ],
  [
    "would scale to zero",
    factsWith({
      hpa: inDryRun({ minReplicas: 0 }),
      scale: scaleOf(3),
      metrics: [external("0")],
      history: { ...nothingSoFar, recommendations: [{ replicas: 0, since: at(-20), at: at(-20) }] },
    }),
    [
      "shop/web would scale from 3 to zero (dry run): queue asks for 0.",
      note,
      "  read    queue  0 in all, 0 a pod (target 10): asks for 0",
      "  next    nothing while the dry run lasts; without it, the next sync scales to zero",
    ],
  ],
  [
    "would stay",
    steady,
    [
      "shop/web would stay at 2 replicas (dry run): the metrics are within tolerance of their targets.",
      note,
      "  read    queue  20 in all, 10 a pod (target 10): asks for 2, within tolerance",
      "  next    nothing, while the metrics stay as they are",
    ],
  ],
  [
    "is held, and says when it would scale",
    factsWith({
      hpa: inDryRun(),
      scale: scaleOf(7),
      metrics: [external("30")],
      history: { ...nothingSoFar, recommendations: [{ replicas: 7, since: at(-90), at: at(-90) }] },
    }),
    [
      "shop/web would stay at 7 replicas (dry run), though the metrics ask for 3.",
      note,
      "  read    queue  30 in all, 4.286 a pod (target 10): asks for 3",
      "  held    scale-down until 12:03:30 UTC (in 3m20s) by a recommendation of 7 at 11:58:30 UTC (the stabilization window of 5m)",
      "  next    it would scale to 3 replicas at 12:03:30 UTC (in 3m20s) (dry run), while the metrics and the size stay as they are",
    ],
  ],
  [
    "is below minReplicas",
    factsWith({ hpa: inDryRun({ minReplicas: 3 }), scale: scaleOf(2) }),
    [
      "shop/web would scale from 2 to 3 replicas (dry run): it was below minReplicas.",
      note,
      "  next    nothing while the dry run lasts; without it, the next sync scales to 3 replicas",
    ],
  ],
  [
    "is at a zero that somebody else made",
    factsWith({ hpa: inDryRun(), scale: scaleOf(0) }),
    [
      "shop/web will not wake: not our zero, but somebody else's.",
      note,
      "  next    nothing, until you make its zero ebb's: `ebb adopt hpa web -n shop --cluster prod`",
    ],
  ],
])("a dry run that %s", (_name, facts, page) => {
  expect(linesOf(facts, 10)).toEqual(page);
});

test("as data, a dry run says that it is one", () => {
  const json = explanationJson(waking, explanationOf(waking, at(10)), { now: at(10), caller: plainCaller });
  expect(json).toMatchObject({ dryRun: true, decision: { from: 0, desiredReplicas: 4, proposed: 6 }, next: [] });
  const wet = factsWith();
  expect(explanationJson(wet, explanationOf(wet, at(10)), { now: at(10), caller: plainCaller })).not.toHaveProperty(
    "dryRun",
  );
});

test("--at says what it would have done", () => {
  const paper = {
    times: localTimes(at(60), "UTC"),
    caller: plainCaller,
    columns: undefined,
    emphasize: (text: string) => text,
  };
  const followed = [recordOf(steady, 30), recordOf(waking, 45)];
  const page = explainPage(
    { facts: waking, explanation: explanationOfRecord(waking, recordOf(waking)), followed },
    paper,
  );
  expect(page.split("\n")).toEqual([
    "shop/web would have scaled from 0 to 4 replicas at 12:00:00 UTC (60s ago) (dry run): queue asked for 6, and the rate of scale-up allowed 4.",
    "",
    "  read    queue  60 in all (target 10 a pod): asks for 6",
    "  held    at 4 by the rate of scale-up, at most double, or 4",
    "  then    12:00:30 UTC  would have stayed at 2 (dry run)",
    "          12:00:45 UTC  would have scaled 0 → 4 (dry run)",
    "  about   Deployment/web, cluster prod, 0 to 10 replicas",
    "",
  ]);
});

test("--since lists what it would have done in a column of its own, once, and what the target did beside it", () => {
  const blind = factsWith({ hpa: inDryRun(), scale: scaleOf(3), metrics: [{ error: "gone" }] });
  const records = [recordOf(factsWith(), 30, false), recordOf(waking), recordOf(steady, -30), recordOf(blind, -60)];
  const read = records.map((record) => ({ record, digest: digestOf(waking, record) }));
  expect(decisionTable(read, localTimes(noon, "UTC")).split("\n")).toEqual([
    "TIME           FROM   TO   DRY RUN   WHY",
    "12:00:30 UTC   2      2              queue asks for 2 (20 in all, 10 a pod (target 10))",
    "12:00:00 UTC   0      0    4         queue asks for 6 (60 in all (target 10 a pod)); held at 4 by the rate of scale-up, at most double, or 4",
    "11:59:30 UTC   2      2    2         queue asks for 2 (20 in all, 10 a pod (target 10))",
    "11:59:00 UTC   3      3    3         queue cannot be read",
    "",
  ]);
});
