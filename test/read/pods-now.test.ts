import fc from "fast-check";
import { evaluate } from "../../lib/core/evaluate";
import { digest } from "../../lib/core/explain/digest";
import type { HorizontalPodAutoscaler } from "../../lib/k8s/hpa";
import { type FoundPod, isOfPods, podsNow } from "../../cli/understand/explain/pods-now";
import { expectToEqual } from "../expect-often";
import { cpu50, cpuUse, hpaWith, noon, options, perPod, podOf, scaleOf } from "../core/build";
import { situation } from "../core/situations";

const found = (name: string, owner?: FoundPod["owner"], labels: Record<string, string> = {}): FoundPod => {
  const pod = podOf(name);
  const metadata = { ...pod.metadata, labels: { ...pod.metadata.labels, ...labels } };
  return { pod: { ...pod, metadata }, ...(owner && { owner }) };
};
const targeting = (kind: string) => hpaWith({ scaleTargetRef: { apiVersion: "x/v1", kind, name: "web" } });
const grouped = (hpa: HorizontalPodAutoscaler, pods: readonly FoundPod[]) =>
  podsNow(hpa, { scale: scaleOf(2), pods, readings: [] }, { options, now: noon });

const hash = { "pod-template-hash": "7d4b" };
const rollout = { "rollouts-pod-template-hash": "7d4b" };

test.each<[string, string, FoundPod, boolean | undefined]>([
  ["a Deployment: of its ReplicaSet", "Deployment", found("a", { kind: "ReplicaSet", name: "web-7d4b" }, hash), true],
  [
    "of a ReplicaSet that is not a Deployment's",
    "Deployment",
    found("a", { kind: "ReplicaSet", name: "web-7d4b" }),
    false,
  ],
  ["of another Deployment's", "Deployment", found("a", { kind: "ReplicaSet", name: "web-x-7d4b" }, hash), false],
  ["of a Job", "Deployment", found("a", { kind: "Job", name: "web" }), false],
  ["of nobody", "Deployment", found("a"), false],
  ["a StatefulSet: its own", "StatefulSet", found("a", { kind: "StatefulSet", name: "web" }), true],
  ["of a Deployment of that name", "StatefulSet", found("a", { kind: "ReplicaSet", name: "web-7d4b" }, hash), false],
  ["another StatefulSet's", "StatefulSet", found("a", { kind: "StatefulSet", name: "web2" }), false],
  ["a custom kind: its own", "Worker", found("a", { kind: "Worker", name: "web" }), true],
  ["an Argo Rollout", "Rollout", found("a", { kind: "ReplicaSet", name: "web-7d4b" }, rollout), true],
  ["a custom kind that makes pods by another kind", "Kafka", found("a", { kind: "PodSet", name: "web-x" }), undefined],
  ["a custom kind, and of nobody", "Kafka", found("a"), false],
])("whose pods they are: %s", (_name, kind, pod, isOwn) => {
  expect(grouped(targeting(kind), [pod]).pods[0]?.isOwn).toBe(isOwn);
});

test("a status is the phase, unless the pod is going or not ready", () => {
  const pods = [
    ...[podOf("a"), podOf("b", { ready: "False" }), podOf("c", { ready: "none" }), podOf("d", { deleted: true })],
    ...[podOf("e", { phase: "Succeeded" }), { metadata: { name: "f" } }],
  ].map((pod) => ({ pod }));
  expect(grouped(hpaWith(), pods).pods.map(({ status }) => status)).toEqual([
    ...["Running", "Running, not ready", "Running, not ready", "Terminating", "Succeeded", "Unknown"],
  ]);
});

test("a metric that cannot be read says why, and groups no pod", () => {
  const hpa = hpaWith({ metrics: [cpu50, perPod] });
  const readings = [
    { metric: cpu50, response: { error: "forbidden" } },
    { metric: cpu50, response: cpuUse({ a: "1" }) },
  ];
  const { metrics, pods } = podsNow(hpa, { scale: scaleOf(2), pods: [found("a")], readings }, { options, now: noon });
  expect(metrics).toEqual([{ name: "cpu", failure: "forbidden" }, { name: "cpu" }]);
  expect(pods[0]?.groups).toEqual([undefined, "ready"]);
});

test("the groups are those that the decision counts", () => {
  fc.assert(
    fc.property(situation, (given) => {
      const { hpa, pods, scale, metrics: responses } = given;
      if ("error" in scale) return;
      const readings = (hpa.spec.metrics ?? []).flatMap((metric, index) =>
        isOfPods(metric) ? [{ metric, response: responses[index] ?? { items: [] } }] : [],
      );
      const now = podsNow(hpa, { scale, pods: pods.map((pod) => ({ pod })), readings }, { options, now: noon });
      const { steps } = evaluate(given, noon);
      const said = digest({ from: null, steps }, { hpa, options }).metrics;
      const counted = said.filter((_, index) => isOfPods(hpa.spec.metrics?.[index] ?? perPod));
      counted.forEach(({ pods: kept }, index) => {
        if (kept === undefined) return;
        const count = (group: string) => now.pods.filter(({ groups }) => groups[index] === group).length;
        const { ready, unready, missing, ignored } = kept;
        expectToEqual(
          [count("ready"), count("unready"), count("missing"), count("ignored")],
          [ready, unready, missing, ignored],
        );
      });
    }),
    { numRuns: 500 },
  );
});
