import {
  at,
  cpu50,
  cpuUse,
  external,
  hpaWith,
  nothingSoFar,
  perPod,
  podOf,
  scaledToZero,
  scaleOf,
  situationWith,
  unhindered,
} from "../../core/build";
import { linesOf, factsWith, stateAfter } from "./explained";

/** Each page as a person on call reads it ten seconds after noon; its last line, what the HPA is about, is left out. */
const seen = (replicas: number, seconds: number) => ({ replicas, since: at(seconds), at: at(seconds) });
const four = ["a", "b", "c", "d"].map((name) => podOf(name));
const pod4 = {
  scaleUp: {
    stabilizationWindowSeconds: 0,
    selectPolicy: "Max",
    policies: [{ type: "Pods", value: 4, periodSeconds: 15 }],
  },
};
const perPodOf = (name: string) => ({ ...perPod, external: { ...perPod.external!, metric: { name } } });
const statefulSet = hpaWith({ scaleTargetRef: { apiVersion: "apps/v1", kind: "StatefulSet", name: "web" } });
const busyAnnotations = { "ebb.dev/busy": "metric: jobs" };
const busyStatefulSet = { ...statefulSet, metadata: { ...statefulSet.metadata, annotations: busyAnnotations } };
const refused = 'deployments.apps "web" is forbidden: User "ebb" cannot get resource "deployments/scale"';

const cases = [
  {
    name: "capped by the metric's own maxReplicas",
    facts: factsWith({ scale: scaleOf(3), metrics: [external("60")], rules: [{ maxReplicas: 4 }] }),
    seconds: 10,
    page: [
      "shop/web was scaled up from 3 to 4 replicas at 12:00:00 UTC (10s ago): queue asks for 4.",
      "  read    queue  60 in all, 20 a pod (target 10): asks for 4, the metric's own maxReplicas is 4",
      "  next    nothing, while the metrics stay as they are",
    ],
  },
  {
    name: "a fallback, and why",
    facts: factsWith({
      scale: scaleOf(3),
      metrics: [{ error: "connection refused" }],
      rules: [{ fallback: { replicas: 5 } }],
      memory: [{ failing: { since: at(-200) } }],
    }),
    seconds: 10,
    page: [
      "shop/web was scaled up from 3 to 5 replicas at 12:00:00 UTC (10s ago): the fallback of queue asks for 5.",
      "  read    queue  unknown: unable to get external metric shop/queue/nil: unable to fetch metrics from external metrics API: connection refused: asks for 5, the metric could not be read for 200 s: its fallback is 5",
      "  next    nothing, while the metrics stay as they are",
    ],
  },
  {
    name: "busy pods of a StatefulSet",
    facts: factsWith({ hpa: busyStatefulSet, scale: scaleOf(3), metrics: [external("30")] }),
    seconds: 10,
    page: [
      "shop/web stays at 3 replicas: the metrics are within tolerance of their targets.",
      "  note    ebb.dev/busy may not choose which pods go: a StatefulSet removes its highest ordinal first, whichever pod is busy",
      "  read    queue  30 in all, 10 a pod (target 10): asks for 3, within tolerance",
      "  next    nothing, while the metrics stay as they are",
    ],
  },
  {
    name: "one replica left, until zero is confirmed",
    facts: factsWith({
      hpa: hpaWith({ minReplicas: 0, behavior: unhindered }),
      scale: scaleOf(3),
      metrics: [external("0")],
      rules: [{ confirm: 3 }],
    }),
    seconds: 10,
    page: [
      "shop/web was scaled down from 3 to 1 replica at 12:00:00 UTC (10s ago): queue asks for 0, and one replica stays until zero is confirmed.",
      "  read    queue  0 in all, 0 a pod (target 10): asks for 0",
      "  held    at 1 until external metric queue(nil) has no work in 2 more slots in a row",
      "  next    down to zero at 12:00:30 UTC (in 20s), while the metrics stay as they are",
    ],
  },
  {
    name: "left at zero by a count that is not confirmed yet",
    facts: factsWith({
      hpa: hpaWith({ minReplicas: 0 }, scaledToZero),
      scale: scaleOf(0),
      metrics: [external("7")],
      rules: [{ confirmWake: 2 }],
    }),
    seconds: 10,
    page: [
      "shop/web stays at zero, as the metrics ask for.",
      "  read    queue  7 in all (target 10 a pod): asks for 0, the metric has work in 1 of the 2 slots in a row that wake the target",
      "  next    it wakes with work in 1 more slot",
    ],
  },
  {
    name: "scaled up to what the metrics ask for",
    facts: factsWith({ scale: scaleOf(3), metrics: [external("60")] }),
    seconds: 10,
    page: [
      "shop/web was scaled up from 3 to 6 replicas at 12:00:00 UTC (10s ago): queue asks for 6.",
      "  read    queue  60 in all, 20 a pod (target 10): asks for 6",
      "  next    nothing, while the metrics stay as they are",
    ],
  },
  {
    name: "scaled up as far as the policy lets it",
    facts: factsWith({
      hpa: hpaWith({ behavior: pod4, maxReplicas: 20 }),
      scale: scaleOf(3),
      metrics: [external("120")],
      history: { ...nothingSoFar, recommendations: [seen(3, -10)], scaleUpEvents: [{ change: 2, at: at(-10) }] },
    }),
    seconds: 10,
    page: [
      "shop/web was scaled up from 3 to 5 replicas at 12:00:00 UTC (10s ago): queue asks for 12, and the rate of scale-up allows 5.",
      "  read    queue  120 in all, 40 a pod (target 10): asks for 12",
      "  held    at 5 by the rate of scale-up, Pods 4 in 15 s until 12:00:05 UTC",
      "  next    up to 9 replicas at 12:00:15 UTC (in 5s), and on to 12 by 12:00:30 UTC (in 20s), while the metrics stay as they are",
    ],
  },
  {
    name: "scale-down held by recommendations, one after the other",
    facts: factsWith({
      scale: scaleOf(7),
      metrics: [external("30")],
      history: { ...nothingSoFar, recommendations: [seen(7, -90), seen(5, -5)] },
    }),
    seconds: 10,
    page: [
      "shop/web stays at 7 replicas, though the metrics ask for 3.",
      "  read    queue  30 in all, 4.286 a pod (target 10): asks for 3",
      "  held    scale-down until 12:03:30 UTC (in 3m20s) by a recommendation of 7 at 11:58:30 UTC (the stabilization window of 5m)",
      "  next    down to 5 replicas at 12:03:30 UTC (in 3m20s), and on to 3 by 12:04:55 UTC (in 4m45s), while the metrics stay as they are",
    ],
  },
  {
    name: "scale-up held by a lower recommendation",
    facts: factsWith({
      hpa: hpaWith({ behavior: { scaleUp: { stabilizationWindowSeconds: 60 } } }),
      scale: scaleOf(2),
      metrics: [external("60")],
      history: { ...nothingSoFar, recommendations: [seen(2, -20)] },
    }),
    seconds: 10,
    page: [
      "shop/web stays at 2 replicas, though the metrics ask for 6.",
      "  read    queue  60 in all, 30 a pod (target 10): asks for 6",
      "  held    scale-up until 12:00:40 UTC (in 30s) by a recommendation of 2 at 11:59:40 UTC (the stabilization window of 60s)",
      "  next    up to 6 replicas at 12:00:40 UTC (in 30s), while the metrics stay as they are",
    ],
  },
  {
    name: "all metrics within tolerance",
    facts: factsWith({
      scale: scaleOf(4),
      pods: four,
      hpa: hpaWith({ metrics: [cpu50, perPod] }),
      metrics: [cpuUse({ a: "0.5", b: "0.5", c: "0.5", d: "0.5" }), external("39")],
    }),
    seconds: 10,
    page: [
      "shop/web stays at 4 replicas: the metrics are within tolerance of their targets.",
      "  read    cpu    50% of requests (target 50%): asks for 4, within tolerance",
      "          queue  39 in all, 9.75 a pod (target 10): asks for 4, within tolerance",
      "  pods    all 4 counted",
      "  next    nothing, while the metrics stay as they are",
    ],
  },
  {
    name: "at maxReplicas",
    facts: factsWith({ scale: scaleOf(10), metrics: [external("300")] }),
    seconds: 10,
    page: [
      "shop/web stays at 10 replicas, though the metrics ask for 30.",
      "  read    queue  300 in all, 30 a pod (target 10): asks for 30",
      "  held    at 10, its maxReplicas",
      "  next    nothing, until maxReplicas is raised or the metrics ask for less",
    ],
  },
  {
    name: "at minReplicas, and held besides",
    facts: factsWith({ scale: scaleOf(1), metrics: [external("0")] }),
    seconds: 10,
    page: [
      "shop/web stays at 1 replica, though the metrics ask for 0.",
      "  read    queue  0 in all, 0 a pod (target 10): asks for 0",
      "  held    scale-down until 12:05:00 UTC (in 4m50s) by a recommendation of 1 at 12:00:00 UTC (the stabilization window of 5m)",
      "  next    nothing, until minReplicas is lowered or the metrics ask for more",
    ],
  },
  {
    name: "scaled to zero",
    facts: factsWith({
      hpa: hpaWith({ minReplicas: 0, behavior: unhindered }),
      scale: scaleOf(3),
      metrics: [external("0")],
      history: { ...nothingSoFar, recommendations: [seen(0, -20)] },
    }),
    seconds: 10,
    page: [
      "shop/web was scaled from 3 to zero at 12:00:00 UTC (10s ago): queue asks for 0.",
      "  read    queue  0 in all, 0 a pod (target 10): asks for 0",
      "  next    nothing, while the metrics stay as they are",
    ],
  },
  {
    name: "woken from zero",
    facts: factsWith({
      hpa: hpaWith({ minReplicas: 0 }, scaledToZero),
      scale: scaleOf(0),
      metrics: [external("60")],
      history: { ...nothingSoFar, recommendations: [seen(0, -20)] },
    }),
    seconds: 10,
    page: [
      "shop/web was woken from zero to 4 replicas at 12:00:00 UTC (10s ago): queue asks for 6, and the rate of scale-up allows 4.",
      "  read    queue  60 in all (target 10 a pod): asks for 6",
      "  held    at 4 by the rate of scale-up, at most double, or 4",
      "  next    up to 6 replicas at 12:00:15 UTC (in 5s), while the metrics stay as they are",
    ],
  },
  {
    name: "idle at a zero of ours",
    facts: factsWith({
      hpa: hpaWith({ minReplicas: 0 }, scaledToZero),
      scale: scaleOf(0),
      metrics: [external("0")],
      history: { ...nothingSoFar, recommendations: [seen(0, -20)] },
    }),
    seconds: 10,
    page: [
      "shop/web stays at zero, as the metrics ask for.",
      "  read    queue  0 in all (target 10 a pod): asks for 0",
      "  next    nothing, while the metrics stay as they are",
    ],
  },
  {
    name: "blind",
    facts: factsWith({
      scale: scaleOf(4),
      metrics: [{ error: 'queue "q" in eu-west-1 does not exist', from: "sqs" }],
    }),
    seconds: 10,
    page: [
      "shop/web stays at 4 replicas: queue cannot be read since 12:00:00 UTC (10s ago), so nothing is scaled.",
      '  read    queue  unknown: unable to get external metric shop/queue/nil: unable to fetch metrics from sqs: queue "q" in eu-west-1 does not exist',
      "  next    scaling resumes once it can be read; to see why: `ebb doctor prod -n shop`",
    ],
  },
  {
    name: "one metric of two blind, and the other asks for less",
    facts: factsWith({
      hpa: hpaWith({ metrics: [cpu50, perPod] }),
      scale: scaleOf(4),
      pods: four,
      metrics: [{ error: "the server could not find the requested resource" }, external("10")],
    }),
    seconds: 10,
    page: [
      "shop/web stays at 4 replicas: cpu cannot be read since 12:00:00 UTC (10s ago), and without it the size must not shrink.",
      "  read    cpu    unknown: failed to get cpu utilization: unable to get metrics for resource cpu: unable to fetch metrics from resource metrics API: the server could not find the requested resource",
      "          queue  10 in all, 2.5 a pod (target 10): asks for 1",
      "  next    scaling resumes once it can be read; to see why: `ebb doctor prod -n shop`",
    ],
  },
  {
    name: "one metric of two blind, and the other asks for more",
    facts: factsWith({
      hpa: hpaWith({ metrics: [cpu50, perPod] }),
      scale: scaleOf(4),
      pods: four,
      metrics: [{ error: "the server could not find the requested resource" }, external("60")],
    }),
    seconds: 10,
    page: [
      "shop/web was scaled up from 4 to 6 replicas at 12:00:00 UTC (10s ago): queue asks for 6.",
      "  read    cpu    unknown: failed to get cpu utilization: unable to get metrics for resource cpu: unable to fetch metrics from resource metrics API: the server could not find the requested resource",
      "          queue  60 in all, 15 a pod (target 10): asks for 6",
      "  next    nothing, while the metrics stay as they are; no scale-down before cpu can be read",
    ],
  },
  {
    name: "five metrics of six blind, and the other asks for more",
    facts: factsWith({
      hpa: hpaWith({ metrics: ["a", "b", "c", "d", "e", "queue"].map(perPodOf) }),
      scale: scaleOf(4),
      pods: four,
      metrics: [...Array.from({ length: 5 }, () => ({ error: "gone" })), external("60")],
    }),
    seconds: 10,
    page: [
      "shop/web was scaled up from 4 to 6 replicas at 12:00:00 UTC (10s ago): queue asks for 6.",
      ...["a", "b", "c", "d", "e"].map((name, index) => {
        const label = index === 0 ? "  read    " : "          ";
        return `${label}${name.padEnd(5)}  unknown: unable to get external metric shop/${name}/nil: unable to fetch metrics from external metrics API: gone`;
      }),
      "          queue  60 in all, 15 a pod (target 10): asks for 6",
      "  next    nothing, while the metrics stay as they are; no scale-down before a, b, c and 2 more can be read",
    ],
  },
  {
    name: "a zero that somebody else made",
    facts: factsWith({ scale: scaleOf(0) }),
    seconds: 10,
    page: [
      "shop/web will not wake: not our zero, but somebody else's.",
      "  next    nothing, until you make its zero ebb's: `ebb adopt hpa web -n shop --cluster prod`",
    ],
  },
  {
    name: "the scale cannot be read",
    facts: factsWith({ scale: { error: refused } }),
    seconds: 10,
    page: [
      'shop/web cannot be scaled: the scale of deployment/web cannot be read: deployments.apps "web" is forbidden: User "ebb" cannot get resource "deployments/scale".',
      "  next    every sync tries again; to see why: `ebb doctor prod -n shop`",
    ],
  },
  {
    name: "below minReplicas",
    facts: factsWith({ hpa: hpaWith({ minReplicas: 3 }), scale: scaleOf(2) }),
    seconds: 10,
    page: [
      "shop/web was scaled up from 2 to 3 replicas at 12:00:00 UTC (10s ago): it was below minReplicas.",
      "  next    from the next sync on, the metrics decide again",
    ],
  },
  {
    name: "above maxReplicas",
    facts: factsWith({ hpa: hpaWith({ maxReplicas: 3 }), scale: scaleOf(12) }),
    seconds: 10,
    page: [
      "shop/web was scaled down from 12 to 3 replicas at 12:00:00 UTC (10s ago): it was above maxReplicas.",
      "  next    from the next sync on, the metrics decide again",
    ],
  },
  {
    name: "two HPAs for the same pods",
    facts: factsWith({
      pods: four,
      scale: scaleOf(4),
      otherHpas: [{ namespace: "shop", name: "other", selector: "app=web" }],
    }),
    seconds: 10,
    page: [
      "shop/web stays at 4 replicas: pods by selector app=web are controlled by more than one HPA (e.g. [shop/other shop/web]).",
      "  next    nothing, until you let only one HPA match these pods: delete the other, or make the targets' selectors differ",
    ],
  },
  {
    name: "a scale without a selector",
    facts: factsWith({ scale: scaleOf(4, 4, "") }),
    seconds: 10,
    page: [
      "shop/web stays at 4 replicas: selector is required.",
      "  next    nothing, until you make the scale of deployment/web select its pods",
    ],
  },
  {
    name: "the scale could not be written",
    facts: factsWith(
      {},
      {
        state: stateAfter(
          situationWith({ scale: scaleOf(3), metrics: [external("60")] }),
          "the object has been modified",
        ),
      },
    ),
    seconds: 10,
    page: [
      "shop/web could not be scaled at 12:00:00 UTC (10s ago): the object has been modified.",
      "  read    queue  60 in all, 20 a pod (target 10): asks for 6",
      "  next    the next sync tries again",
    ],
  },
];

test.each(cases)("$name", ({ facts, seconds, page }) => {
  expect(linesOf(facts, seconds)).toEqual(page);
});
