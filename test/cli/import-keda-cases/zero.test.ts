import { parseAllDocuments } from "yaml";
import { evaluateLine } from "../../../cli/understand/evaluate/evaluate";
import { tableForTests } from "../table";

const { run, file } = tableForTests();

/** What the import prints for these lines of a spec, and of other fields. */
async function imported(spec: string, others = "") {
  const head = "apiVersion: keda.sh/v1alpha1\nkind: ScaledObject\nmetadata: {name: render, namespace: media}\nspec:\n";
  const lines = ["scaleTargetRef: {name: render}", ...spec.trim().split("\n")];
  const given = await file(head + lines.map((line) => `  ${line}\n`).join("") + others);
  const { stdout, stderr, exitCode: code } = await run(["import", "keda", given]);
  const [hpa] = parseAllDocuments(stdout).map((document) => document.toJS() as { readonly metadata: object });
  const notes = stderr.split("\n").filter((line) => line.includes("media/render:"));
  return { hpa, notes, code };
}

interface Seen {
  readonly replicas: number;
  readonly queue: string;
  readonly seconds: number;
}

const clock = (seconds: number) => new Date(Date.parse("2026-03-01T12:00:00Z") + seconds * 1_000).toISOString();

/** One decision after another, as `ebb evaluate` gives them for a story. */
function decided(hpa: unknown, seen: readonly Seen[]): readonly unknown[] {
  const { metrics } = (hpa as { readonly spec: { readonly metrics: readonly { readonly type: string }[] } }).spec;
  const steps = seen.map(({ replicas, queue, seconds }) => {
    const now = clock(seconds);
    const names = Array.from({ length: replicas }, (_, pod) => `render-${pod}`);
    const resources = { requests: { cpu: "100m", memory: "100Mi" } };
    const used = {
      items: names.map((name) => ({
        metadata: { name },
        timestamp: now,
        window: "30s",
        containers: [{ name: "c", usage: { cpu: "2m", memory: "20Mi" } }],
      })),
    };
    const total = { items: [{ metricName: "waiting", timestamp: now, value: queue }] };
    return {
      now,
      scale: { spec: { replicas }, status: { replicas, selector: "app=render" } },
      pods: names.map((name) => ({
        metadata: { name, labels: { app: "render" } },
        spec: { containers: [{ name: "c", resources }] },
        status: {
          phase: "Running",
          startTime: clock(-7_200),
          conditions: [{ type: "Ready", status: "True", lastTransitionTime: clock(-7_000) }],
        },
      })),
      metrics: metrics.map(({ type }) => (type === "External" ? total : used)),
    };
  });
  const { answer } = evaluateLine(JSON.stringify({ hpa, steps }));
  return (JSON.parse(answer) as { readonly steps: readonly { readonly desiredReplicas: number }[] }).steps.map(
    ({ desiredReplicas }) => desiredReplicas,
  );
}

const prometheus = '{type: prometheus, metadata: {serverAddress: "https://prom.example", query: jobs, threshold: "5"}}';
const memory = '{type: memory, metricType: Utilization, metadata: {value: "70"}}';
const cpu = '{type: cpu, metricType: Utilization, metadata: {value: "60"}}';
const working = { replicas: 3, queue: "15", seconds: 0 };
const idle = { replicas: 3, queue: "0", seconds: 15 };
const later = { replicas: 3, queue: "0", seconds: 300 };
const behavior = (rules: string) => `advanced: {horizontalPodAutoscalerConfig: {behavior: {scaleDown: ${rules}}}}`;

test.each([
  ["memory beside a trigger", `minReplicaCount: 0\ntriggers: [${prometheus}, ${memory}]`],
  ["cpu and memory", `triggers: [${prometheus}, ${memory}, ${cpu}]`],
  ["idleReplicaCount", `idleReplicaCount: 0\nminReplicaCount: 1\ntriggers: [${prometheus}, ${cpu}]`],
  ["selectPolicy Disabled", `${behavior("{selectPolicy: Disabled}")}\ntriggers: [${prometheus}]`],
  [
    "a slow policy",
    `${behavior("{policies: [{type: Pods, value: 1, periodSeconds: 600}]}")}\ntriggers: [${prometheus}]`,
  ],
  ["a window of an hour", `${behavior("{stabilizationWindowSeconds: 3600}")}\ntriggers: [${prometheus}]`],
  [
    "a formula beside cpu",
    `advanced: {scalingModifiers: {formula: "p + 0", target: "5"}}\ntriggers: [{name: p, ${prometheus.slice(1)}, ${cpu}]`,
  ],
])("%s: no note, and zero 300 s after the last work, as in KEDA", async (_name, spec) => {
  const { hpa, notes, code } = await imported(spec);
  expect([notes, code]).toEqual([[], 0]);
  const [, , zero] = decided(hpa, [working, idle, later]);
  expect(zero).toBe(0);
  expect(decided(hpa, [working, idle, { ...later, seconds: 299 }]).at(-1)).toBeGreaterThan(0);
});

test("the cooldown is not the window: KEDA's 5 s, and every other step down as without it", async () => {
  const { hpa, notes } = await imported(`cooldownPeriod: 5\ntriggers: [${prometheus}, ${cpu}]`);
  expect(notes).toEqual([]);
  expect(hpa).not.toHaveProperty("spec.behavior");
  expect(decided(hpa, [working, idle])).toEqual([3, 0]);
});

test("two sizes: zero, or at least two", async () => {
  const { hpa, notes } = await imported(`idleReplicaCount: 0\nminReplicaCount: 2\ntriggers: [${prometheus}]`);
  expect(notes).toEqual([]);
  const two = { replicas: 2, queue: "1", seconds: 0 };
  expect(decided(hpa, [two, { ...two, queue: "0", seconds: 299 }, { ...two, queue: "0", seconds: 600 }])).toEqual([
    2, 2, 0,
  ]);
});

const conditions = (active: string, ready = "True", paused = "False") =>
  `status: {conditions: [{type: Ready, status: "${ready}"}, {type: Paused, status: "${paused}"}, ${active}]}\n`;
const idleNow = '{type: Active, status: "False", reason: ScalerNotActive}';

describe("KEDA's zero, of a live object", () => {
  test("is carried, so that ebb wakes it", async () => {
    const { hpa, notes, code } = await imported(`triggers: [${prometheus}]`, conditions(idleNow));
    expect([notes, code]).toEqual([[], 0]);
    expect(decided(hpa, [{ replicas: 0, queue: "15", seconds: 0 }])).toEqual([3]);
    const { hpa: another } = await imported(`triggers: [${prometheus}]`);
    expect(decided(another, [{ replicas: 0, queue: "15", seconds: 0 }])).toEqual([0]);
  });

  test.each([
    ["has work", "", '{type: Active, status: "True", reason: ScalerActive}'],
    ["cools down, so the target runs", "", '{type: Active, status: "False", reason: ScalerCooldown}'],
    ["never goes to zero", "minReplicaCount: 1\n", idleNow],
  ])("is none if it %s", async (_what, spec, active) => {
    const { hpa } = await imported(`${spec}triggers: [${prometheus}]`, conditions(active));
    expect(hpa).not.toHaveProperty("status");
  });

  test.each([
    ["a trigger fails, so the target may run", conditions(idleNow, "False")],
    ["it is paused: that zero is a person's", conditions(idleNow, "True", "True")],
  ])("is none if %s", async (_what, status) => {
    const { hpa } = await imported(`triggers: [${prometheus}]`, status);
    expect(hpa).not.toHaveProperty("status");
  });
});
