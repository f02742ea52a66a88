import { servedStatus } from "../../lib/k8s/codec/encode-v1";
import { serve } from "../../lib/read/find-hpas";

// What kube-apiserver 1.36.3 serves after a PUT of the left text to …/status.
const served: [string, string][] = [
  ["268000000", "268M"],
  ["1000", "1k"],
  ["268435456", "268435456"],
  ["524288000", "524288k"],
  ["0.5", "500m"],
  ["-5.5", "-5500m"],
  ["1Gi", "1Gi"],
  ["1000m", "1"],
  ["1e3", "1e3"],
  ["9007199254740993", "9007199254740993"],
];

const metric = { name: "m" };
const describedObject = { kind: "Ingress", name: "i", apiVersion: "networking.k8s.io/v1" };

test.each(served)("%s is served as %s, whatever the metric's source", (written, text) => {
  const metrics = (value: string) => [
    { type: "Object", object: { metric, current: { value, averageValue: value }, describedObject } },
    { type: "Pods", pods: { metric, current: { averageValue: value } } },
    { type: "Resource", resource: { name: "memory", current: { averageValue: value, averageUtilization: 5 } } },
    { type: "ContainerResource", containerResource: { name: "memory", container: "a", current: { value } } },
    { type: "External", external: { metric, current: { value, averageValue: value } } },
    { type: "" },
  ];
  const status = (value: string) => ({ currentReplicas: 1, desiredReplicas: 2, currentMetrics: metrics(value) });
  expect(servedStatus(status(written))).toEqual(status(text));
});

test("a status without metrics, and a text that is no quantity, stay as they are", () => {
  const broken = [{ type: "External", external: { metric, current: { value: "many" } } }];
  for (const status of [{}, { currentMetrics: null }, { desiredReplicas: 1, currentMetrics: broken }]) {
    expect(servedStatus(status)).toEqual(status);
  }
});

test("what ebb shows of its own status is what the API server would serve", () => {
  const hpa = {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: { name: "web" },
    spec: { scaleTargetRef: { kind: "Deployment", name: "web" }, maxReplicas: 2 },
  };
  const currentMetrics = [{ type: "Resource", resource: { name: "memory", current: { averageValue: "268000000" } } }];
  const { status } = serve(hpa, { currentReplicas: 1, desiredReplicas: 1, currentMetrics });
  expect(status?.currentMetrics?.[0]?.resource?.current.averageValue).toBe("268M");
});
