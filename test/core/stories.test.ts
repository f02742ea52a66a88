import { type Decided, tell } from "../../parity/ask-ebb";
import { readVectors } from "./vectors";

interface Story {
  readonly id: string;
  readonly steps: readonly { readonly expect: Decided }[];
}

const newest = readVectors<Story>("stories");
const before = readVectors<Story>("stories-1.36");
const vectors = [...newest, ...before];

test("the recorded stories are all there", () => {
  expect([newest.length, before.length]).toEqual([423, 283]);
});

test.each(vectors)("$id", (story) => {
  expect(tell(story)).toEqual(story.steps.map((step) => step.expect));
});

test("an average of memory that a later step keeps, or finds again, is as the API server has stored it", () => {
  const target = { averageValue: "1M" };
  const metric = { type: "ContainerResource", containerResource: { name: "memory", container: "app", target } };
  const usage = { name: "app", usage: { memory: "1M" } };
  const pod = { metadata: { name: "p", labels: { app: "x" } } };
  const read = { metadata: { name: "p" }, timestamp: "2026-03-01T12:00:00Z", window: "30s", containers: [usage] };
  const running = { status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] } };
  const steps = [
    {
      now: "2026-03-01T12:00:00Z",
      scale: { spec: { replicas: 1 }, status: { replicas: 1, selector: "app=x" } },
      pods: [{ ...pod, ...running }],
      metrics: [{ items: [read] }],
    },
    { now: "2026-03-01T12:00:15Z", scale: { error: "no scale" } },
  ];
  const again = [steps[0], { ...steps[0], now: "2026-03-01T12:00:15Z" }];
  const spec = { scaleTargetRef: { kind: "Deployment", name: "x" }, maxReplicas: 2, metrics: [metric] };
  for (const told of [steps, again].map((each) => tell({ hpa: { metadata: { name: "hpa" }, spec }, steps: each })))
    expect(told.map(({ currentMetrics }) => currentMetrics)).toMatchObject([
      [{ containerResource: { current: { averageValue: "1000000" } } }],
      [{ containerResource: { current: { averageValue: "1M" } } }],
    ]);
});
