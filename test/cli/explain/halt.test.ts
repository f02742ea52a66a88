import { external, hpaWith, noon, at, scaleOf, situationWith } from "../../core/build";
import { linesOf, shard, factsWith, stateAfter } from "./explained";

const annotated = (annotations: Record<string, string>) => ({
  ...hpaWith({}),
  metadata: { name: "web", namespace: "shop", annotations },
});
const { state: _, shard: __, ...unsynced } = factsWith();
const growing = situationWith({ scale: scaleOf(3), metrics: [external("60")] });
const intent = {
  from: 3,
  to: 6,
  at: noon,
  resourceVersion: "7",
  countsAsEvent: true,
  message: "",
  scaledToZero: false,
};

const cases = [
  {
    name: "an entry that is not valid",
    facts: factsWith({}, { entry: { errors: ["spec.maxReplicas: Invalid value: 0: must be greater than 0"] } }),
    seconds: 10,
    page: [
      "shop/web is halted because its entry cannot be used: spec.maxReplicas: Invalid value: 0: must be greater than 0.",
      "  next    ebb resumes it at the first sync after you fix its entry: `ebb edit hpa web -n shop --cluster prod`",
    ],
  },
  {
    name: "a cluster whose entry is not valid",
    facts: factsWith(
      {},
      { cluster: { key: "prod", invalid: 'spec.auth.type: expected one of eks, token, got "foo"' } },
    ),
    seconds: 10,
    page: [
      'shop/web is not synced: spec.auth.type: expected one of eks, token, got "foo".',
      "  next    ebb resumes it at the first sync after you fix the cluster's entry: `ebb edit cluster prod`",
    ],
  },
  {
    name: "new, no shard yet",
    facts: unsynced,
    seconds: 10,
    page: [
      "shop/web was never synced: no shard of cluster prod holds it yet.",
      "  next    the tick creates one within a minute; if it does not, see what `ebb doctor prod` says",
    ],
  },
  {
    name: "new, its shard is synced",
    facts: { ...unsynced, shard },
    seconds: 10,
    page: ["shop/web was never synced.", "  next    its first sync is due within 15s"],
  },
  {
    name: "new, and nothing is synced",
    facts: { ...unsynced, shard },
    seconds: 500,
    page: [
      "shop/web was never synced: the last finished slot is 12:00:00 UTC (8m20s ago).",
      "  next    tick or sync does not run: see what `ebb status --cluster prod` and `ebb doctor prod` say",
    ],
  },
  {
    name: "nothing was synced for minutes",
    facts: factsWith({ scale: scaleOf(4), metrics: [external("40")] }),
    seconds: 500,
    page: [
      "shop/web stays at 4 replicas: the metrics are within tolerance of their targets.",
      "  note    overdue: last synced at 12:00:00 UTC (8m20s ago); see what `ebb status --cluster prod` and `ebb doctor prod` say",
      "  read    queue  40 in all, 10 a pod (target 10): asks for 4, within tolerance",
      "  next    nothing, while the metrics stay as they are",
    ],
  },
  {
    name: "behind",
    facts: factsWith(
      { scale: scaleOf(4), metrics: [external("40")] },
      { shard: { ...shard, slot: at(30), heartbeat: at(30), behind: { "shop/web": at(0) } } },
    ),
    seconds: 40,
    page: [
      "shop/web stays at 4 replicas: the metrics are within tolerance of their targets.",
      "  note    behind: the last slots ended before they reached it; last synced at 12:00:00 UTC (40s ago); the next slot starts with it",
      "  read    queue  40 in all, 10 a pod (target 10): asks for 4, within tolerance",
      "  next    nothing, while the metrics stay as they are",
    ],
  },
  {
    name: "paused",
    facts: factsWith({ hpa: annotated({ "ebb.dev/paused": "true" }), metrics: [external("40")] }),
    seconds: 10,
    page: [
      "shop/web is paused: it stays at 2 whatever the metrics say.",
      "  next    nothing, until you resume it: `ebb resume hpa web -n shop --cluster prod`",
    ],
  },
  {
    name: "paused until a time",
    facts: factsWith({
      hpa: annotated({ "ebb.dev/paused-until": "2026-03-01T14:00:00Z" }),
      metrics: [external("40")],
    }),
    seconds: 10,
    page: [
      "shop/web is paused until 14:00:00 UTC (in 119m): it stays at 2 whatever the metrics say.",
      "  next    ebb resumes it at 14:00:00 UTC; if you cannot wait, resume it: `ebb resume hpa web -n shop --cluster prod`",
    ],
  },
  {
    name: "a scale that is not settled",
    facts: factsWith({}, { state: { ...stateAfter(growing), intent } }),
    seconds: 10,
    page: [
      "shop/web is being scaled from 3 to 6 replicas, started at 12:00:00 UTC (10s ago): the next sync checks whether it happened.",
    ],
  },
];

test.each(cases)("$name", ({ facts, seconds, page }) => {
  expect(linesOf(facts, seconds)).toEqual(page);
});
