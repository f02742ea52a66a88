import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { evaluateCommand, evaluateLines } from "../../cli/understand/evaluate/evaluate";
import type { Decided } from "../../parity/ask-ebb";
import { readVectors } from "../core/vectors";

const hpa = {
  apiVersion: "autoscaling/v2",
  kind: "HorizontalPodAutoscaler",
  metadata: { name: "web", namespace: "shop" },
  spec: {
    scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
    minReplicas: 0,
    maxReplicas: 10,
    metrics: [
      { type: "External", external: { metric: { name: "q" }, target: { type: "AverageValue", averageValue: 5 } } },
    ],
  },
};
const moment = {
  now: "2026-03-01T12:00:00Z",
  scale: { spec: { replicas: 2 }, status: { replicas: 2, selector: "app=web" } },
  pods: [],
  metrics: [{ items: [{ metricName: "q", timestamp: "2026-03-01T12:00:00Z", value: "20" }] }],
};
const situation = { hpa, ...moment, history: null };

async function run(...input: readonly (string | Buffer)[]) {
  const output = new PassThrough();
  const written = text(output);
  const { malformed } = await evaluateLines({ input: Readable.from(input), output });
  output.end();
  const answers = (await written)
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  return { answers, malformed };
}

const line = (document: unknown) => `${JSON.stringify(document)}\n`;

test.each([
  [undefined, 4, "SuccessfulRescale"],
  [{ "ebb.dev/dry-run": "true" }, null, "DryRunRescale"],
  [{ "ebb.dev/paused": "true" }, null, "Paused"],
  [{ "ebb.dev/paused-until": "2026-03-01T12:00:01Z" }, null, "Paused"],
  [{ "ebb.dev/paused-until": "2026-03-01T12:00:00Z" }, 4, "SuccessfulRescale"],
])("annotated with %j, the decision is the sync's", async (annotations, scaleTo, reason) => {
  const annotated = { ...hpa, metadata: { ...hpa.metadata, annotations } };
  const { answers } = await run(line({ ...situation, hpa: annotated }));
  expect(answers[0]).toMatchObject({ scaleTo, events: [{ reason }] });
});

const idle = { items: [{ metricName: "q", timestamp: "2026-03-01T12:00:00Z", value: "0" }] };
const noWindow = { scaleDown: { stabilizationWindowSeconds: 0 } };
const unstable = { ...hpa, spec: { ...hpa.spec, behavior: noWindow } };

const wantsOne = { ...moment.metrics[0], items: [{ metricName: "q", timestamp: moment.now, value: "5" }] };
const busyOf = (busy: number, unknown = 0) => ({
  busy,
  unknown,
  idle: 4 - busy - unknown,
  notReady: 0,
  replicaSets: 1,
});

test.each<[string, object, number, string | undefined]>([
  ["not read", {}, 1, undefined],
  ["fewer busy than wanted", { busy: busyOf(0) }, 1, undefined],
  ["three busy", { busy: busyOf(3) }, 3, "3 of 4 pods are busy"],
  ["one busy, one unknown", { busy: busyOf(1, 1) }, 2, "1 of 4 pods are busy, and 1 may be"],
  ["unreadable", { busy: { error: "pods is forbidden" } }, 4, "nobody knows which pods are busy: pods is forbidden"],
  ["spared long enough", { busy: busyOf(3), sparedSince: "2026-03-01T11:58:00Z" }, 1, undefined],
  [
    "costs not seen yet",
    { busy: busyOf(1), costsSeenAt: "2026-03-01T12:00:01Z" },
    4,
    "may not have seen their deletion",
  ],
  ["costs seen by now", { busy: busyOf(1), costsSeenAt: "2026-03-01T12:00:00Z" }, 1, undefined],
])("busy pods are inputs: %s", async (_, given, desiredReplicas, spared) => {
  const annotations = { "ebb.dev/busy": "metric: jobs", "ebb.dev/spare-busy": "true", "ebb.dev/spare-busy-for": "60s" };
  const annotated = { ...unstable, metadata: { ...hpa.metadata, annotations } };
  const scale = { spec: { replicas: 4 }, status: { replicas: 4, selector: "app=web" } };
  const { answers } = await run(line({ ...situation, hpa: annotated, scale, metrics: [wantsOne], ...given }));
  expect(answers[0]).toMatchObject({ desiredReplicas });
  const { conditions } = answers[0] as { conditions: { type: string; reason: string; message: string }[] };
  const limited = conditions.find(({ reason }) => reason === "SparedBusy");
  if (spared === undefined) expect(limited).toBeUndefined();
  else expect(limited?.message).toContain(spared);
});

test("a step of a story has its own busy pods, and the wait goes on from step to step", async () => {
  const annotations = { "ebb.dev/busy": "metric: jobs", "ebb.dev/spare-busy": "true", "ebb.dev/spare-busy-for": "60s" };
  const scale = { spec: { replicas: 4 }, status: { replicas: 4, selector: "app=web" } };
  const at = (now: string, more: object) => ({ now, scale, metrics: [wantsOne], busy: busyOf(4), ...more });
  const steps = [
    at("2026-03-01T12:00:00Z", {}),
    at("2026-03-01T12:00:59Z", {}),
    at("2026-03-01T12:01:00Z", { costsSeenAt: "2026-03-01T12:01:10Z" }),
    at("2026-03-01T12:01:15Z", {}),
  ];
  const { answers } = await run(line({ hpa: { ...unstable, metadata: { ...hpa.metadata, annotations } }, steps }));
  const decided = (answers[0] as { steps: { desiredReplicas: number }[] }).steps;
  expect(decided.map(({ desiredReplicas }) => desiredReplicas)).toEqual([4, 4, 4, 1]);
});

test("a situation has rules of its metrics, and what they remember goes out in the form that comes in", async () => {
  const first = { ...situation, hpa: unstable, metrics: [idle], rules: [{ confirm: 2 }] };
  const { answers } = await run(line(first));
  const memory = [{ readings: { empty: true, slots: 1, slot: "2026-03-01T12:00:00.000Z" } }];
  expect(answers[0]).toMatchObject({ scaleTo: 1, memory });
  const later = await run(line({ ...first, now: "2026-03-01T12:00:15Z", memory }));
  expect(later.answers[0]).toMatchObject({ scaleTo: 0 });
  const start = "2026-03-01T12:00:00Z";
  const woken = { ...first, now: "2026-03-01T12:00:05Z", memory, slot: { start, periodSeconds: 15 } };
  expect((await run(line(woken))).answers[0]).toMatchObject({ scaleTo: 1, memory });
  const failing = [{ failing: { since: "2026-03-01T11:00:00.000Z", fallback: true } }];
  const lost = { ...first, metrics: [{ error: "x" }], rules: [{ fallback: { replicas: 5 } }], memory: failing };
  expect((await run(line(lost))).answers[0]).toMatchObject({ scaleTo: 5, memory: failing });
});

test("a story carries the memory over, and the annotation replaces the rules field by field", async () => {
  const step = (seconds: string) => ({ ...moment, now: `2026-03-01T12:00:${seconds}Z`, metrics: [idle] });
  const annotations = { "ebb.dev/metric-rules": '{"q": {"confirm": 3}}' };
  const annotated = { ...unstable, metadata: { ...hpa.metadata, annotations } };
  const story = { hpa: annotated, rules: [{ confirm: 1 }], steps: [step("00"), step("15"), step("30")] };
  const { answers } = await run(line(story));
  expect((answers[0]?.["steps"] as { desiredReplicas: number }[]).map((one) => one.desiredReplicas)).toEqual([1, 1, 0]);
});

test.each([
  [{ rules: [] }, "rules: expected one entry for each of the 1 metrics, got []"],
  [{ rules: [{ confirms: 2 }] }, "rules[0].confirms: unknown field (did you mean confirm?)"],
  [{ memory: [{ failing: { since: "noon" } }] }, "memory[0].failing.since: expected"],
  [
    { hpa: { ...hpa, metadata: { name: "web", annotations: { "ebb.dev/metric-rules": '{"other": {}}' } } } },
    "other: names no metric of the HPA, expected one of q",
  ],
])("rules that cannot be used are named: %j", async (given, message) => {
  const { answers } = await run(line({ ...situation, ...given }));
  expect(answers[0]?.["error"]).toContain(message);
});

test("a malformed annotation is named", async () => {
  const annotated = { ...hpa, metadata: { ...hpa.metadata, annotations: { "ebb.dev/paused": "yes" } } };
  const { answers } = await run(line({ id: 1, ...situation, hpa: annotated }));
  expect(answers).toEqual([
    { id: 1, error: 'hpa.metadata.annotations[ebb.dev/paused]: Invalid value: "yes": must be "true" or "false"' },
  ]);
});

test("a situation gives its decision, whole, with its id", async () => {
  const { answers, malformed } = await run(line({ id: "a", ...situation }));
  expect(malformed).toBe(0);
  expect(Object.keys(answers[0] ?? {})).toEqual([
    "id",
    "desiredReplicas",
    "scaleTo",
    "conditions",
    "currentMetrics",
    "events",
    "history",
    "steps",
  ]);
  expect(answers[0]).toMatchObject({ id: "a", desiredReplicas: 4, scaleTo: 4 });
});

test("without an id, the answer has none", async () => {
  const { answers } = await run(line(situation));
  expect(answers[0]).not.toHaveProperty("id");
});

test("lines are answered in order, however the text is cut and whether or not it ends in a newline", async () => {
  const bytes = Buffer.from(`${line({ id: "ä", ...situation })}${line({ id: 2, ...situation }).trim()}\r`);
  const { answers } = await run(...[...bytes].map((byte) => Buffer.from([byte])));
  expect(answers.map(({ id }) => id)).toEqual(["ä", 2]);
});

test("a story is answered with its steps, and history carries over", async () => {
  const later = { ...moment, now: "2026-03-01T12:00:15Z", metrics: [{ items: [{ ...item("0") }] }] };
  const { answers } = await run(line({ id: "s", hpa, steps: [moment, later] }));
  expect(answers).toEqual([{ id: "s", steps: [expect.anything(), expect.anything()] }]);
  const [first, second] = (answers[0] as { steps: Record<string, unknown>[] }).steps;
  expect(first).toMatchObject({ scaleTo: 4 });
  // Nothing is asked for any more, but the 4 of 15 seconds ago holds for five minutes.
  expect(second).toMatchObject({ scaleTo: 4, history: { recommendations: [{ replicas: 4 }, { replicas: 0 }] } });
});

function item(value: string) {
  return { metricName: "q", timestamp: "2026-03-01T12:00:00Z", value };
}

test("the times when a scale was announced and found come back", async () => {
  const event = { change: 1, at: "2026-03-01T11:58:00.000Z", foundAt: "2026-03-01T11:59:59.500Z" };
  const history = { recommendations: [], scaleUpEvents: [event], scaleDownEvents: [] };
  const { answers } = await run(line({ ...situation, history }));
  expect(answers[0]).toMatchObject({ history: { scaleUpEvents: [event] } });
});

test("a decision's history, fed back, continues like the story", async () => {
  const [story] = readVectors<{ hpa: { status?: object }; options?: object; steps: { expect: Decided }[] }>("stories");
  if (story === undefined) throw new Error("expected a story");
  let history: unknown = null;
  let status = story.hpa.status;
  for (const step of story.steps) {
    const given = { ...step, hpa: { ...story.hpa, status }, options: story.options, history };
    const { answers } = await run(line(given));
    expect(answers[0]).toMatchObject(step.expect);
    history = answers[0]?.["history"];
    status = { conditions: answers[0]?.["conditions"], desiredReplicas: answers[0]?.["desiredReplicas"] };
  }
});

const resource = [{ type: "Resource", resource: { name: "constructor", target: { averageValue: 1 } } }];

function podMetrics(window: string) {
  return { metadata: { name: "p" }, timestamp: moment.now, window, containers: [{ name: "c", usage: {} }] };
}

test.each([
  ["not JSON", "{", null, /JSON/],
  ["an empty line", "", null, /JSON/],
  ["no object", "[1]", null, /^expected a map, got \[1\]$/],
  ["an empty object", `{"id":7}`, 7, /^hpa: expected a map, got nothing$/],
  ["no time", line({ ...situation, now: "yesterday" }), null, /^now: expected .*"yesterday"/],
  [
    "no number",
    line({ ...situation, hpa: deep({ maxReplicas: "10" }) }),
    null,
    /hpa\.spec\.maxReplicas: expected a 32-bit integer, got "10"/,
  ],
  ["a fraction", line({ ...situation, hpa: deep({ minReplicas: 1.5 }) }), null, /hpa\.spec\.minReplicas: .* got 1\.5/],
  [
    "a bad quantity",
    line({ ...situation, metrics: [{ items: [item("ten")] }] }),
    null,
    /metrics\[0\]\.items\[0\]\.value: .*quantities must match.*"ten"/,
  ],
  [
    "a certain part that is no quantity",
    line({ ...situation, metrics: [{ items: [item("10")], certain: "some" }] }),
    null,
    /metrics\[0\]\.certain: .*quantities must match.*"some"/,
  ],
  [
    "neither items nor error",
    line({ ...situation, metrics: [{}] }),
    null,
    /^metrics\[0\]: expected items or an error, got \{\}$/,
  ],
  [
    "too few responses",
    line({ ...situation, metrics: [{ error: "a" }, { error: "b" }] }),
    null,
    /metrics: expected one response for each of the 1 metrics/,
  ],
  [
    "a metric without its source",
    line({ ...situation, hpa: deep({ metrics: [{ type: "Pods" }] }) }),
    null,
    /^hpa\.spec\.metrics\[0\]\.pods: expected a map, got nothing$/,
  ],
  [
    "a bad history",
    line({ ...situation, history: { recommendations: [{ replicas: 1 }] } }),
    null,
    /^history\.recommendations\[0\]\.at: expected an RFC 3339 time, got nothing$/,
  ],
  [
    "a scale event that was found at no moment",
    line({ ...situation, history: { scaleUpEvents: [{ change: 1, at: "2026-03-01T12:00:00Z", foundAt: 5 }] } }),
    null,
    /^history\.scaleUpEvents\[0\]\.foundAt: expected an RFC 3339 time, got 5$/,
  ],
  [
    "a negative option",
    line({ ...situation, options: { tolerance: -1 } }),
    null,
    /^options\.tolerance: expected a number, 0 or more, got -1$/,
  ],
  [
    "a pod without a name",
    line({ ...situation, pods: [{ metadata: {} }] }),
    null,
    /pods\[0\]\.metadata\.name: expected a name, got nothing/,
  ],
  [
    "a given situation without a scale",
    line({ given: { ...situation, scale: null } }),
    null,
    /^given\.scale: expected a scale .*, got nothing$/,
  ],
  [
    "a story with a bad step",
    line({ hpa, steps: [moment, { ...moment, now: 5 }] }),
    null,
    /^steps\[1\]\.now: expected an RFC 3339 time, got 5$/,
  ],
  [
    "a story with a bad response",
    line({ hpa, steps: [moment, { ...moment, metrics: [{ items: [item("ten")] }] }] }),
    null,
    /^steps\[1\]\.metrics\[0\]\.items\[0\]\.value: .*quantities must match/,
  ],
  [
    "neither a status nor an error of the scale",
    line({ ...situation, scale: {} }),
    null,
    /^scale: expected .*or an error/,
  ],
  [
    "an integer past 32 bits",
    line({ ...situation, hpa: deep({ maxReplicas: 2 ** 31 }) }),
    null,
    /^hpa\.spec\.maxReplicas: /,
  ],
  [
    "a window without its unit",
    line({ ...situation, hpa: deep({ metrics: resource }), metrics: [{ items: [podMetrics("30")] }] }),
    null,
    /^metrics\[0\]\.items\[0\]\.window: .*missing unit.*"30"/,
  ],
  ["a day that does not exist", line({ ...situation, now: "2026-02-30T12:00:00Z" }), null, /^now: .*2026-02-30/],
])("%s is an error of that line alone", async (_, bad, id, message) => {
  const { answers, malformed } = await run(
    line({ id: 1, ...situation }),
    `${bad.trimEnd()}\n`,
    line({ id: 2, ...situation }),
  );
  expect(malformed).toBe(1);
  expect(answers.map((answer) => "error" in answer)).toEqual([false, true, false]);
  expect(answers[1]).toEqual({ id, error: expect.stringMatching(message) as string });
});

function deep(spec: object) {
  return { ...hpa, spec: { ...hpa.spec, ...spec } };
}

test("null is absent, as Kubernetes reads it", async () => {
  const { answers } = await run(
    line({ ...situation, options: null, hpa: { ...deep({ behavior: null }), status: null } }),
  );
  expect(answers[0]).toMatchObject({ scaleTo: 4 });
});

test("names like __proto__ and constructor are names", async () => {
  const pod = { metadata: { name: "p", labels: { app: "web" } }, spec: { containers: [{ name: "c" }] } };
  const { answers } = await run(
    line({ ...situation, hpa: deep({ metrics: resource }), pods: [pod], metrics: [{ items: [podMetrics("30s")] }] }),
    `{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},${JSON.stringify(situation).slice(1)}\n`,
  );
  expect(answers[0]).toMatchObject({ scaleTo: null });
  expect(answers[1]).toMatchObject({ scaleTo: 4 });
  expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
});

test("nesting without end is an error, not a crash", async () => {
  const { answers } = await run(`${"[".repeat(50_000)}${"]".repeat(50_000)}\n`, line(situation));
  expect(answers.map((answer) => "error" in answer)).toEqual([true, false]);
});

test.each([101, 20_000])("an id that nests %s levels deep is null in the answer", async (levels) => {
  const id = "[".repeat(levels) + "]".repeat(levels);
  const { answers } = await run(`{"id":${id},${line(situation).slice(1)}`, `{"id":${id}}\n`, line(situation));
  expect(answers.map((answer) => [answer["id"], "error" in answer])).toEqual([
    [null, true],
    [null, true],
    [undefined, false],
  ]);
});

test("a line that is too long is an error of that line alone", async () => {
  const { answers, malformed } = await run(`${"[".repeat(2_000_000)}\n`, line({ id: 1, ...situation }));
  expect(malformed).toBe(1);
  expect(answers[0]).toEqual({
    id: null,
    error: "expected a line of at most 1 MiB, got one of 2000000 bytes: --line-limit 2 allows it, in more memory",
  });
  expect(answers[1]).toMatchObject({ id: 1, scaleTo: 4 });
});

describe("the command", () => {
  const folder = mkdtempSync(join(tmpdir(), "ebb-evaluate-"));
  const before = process.exitCode;
  afterEach(() => {
    process.exitCode = before;
    jest.restoreAllMocks();
  });

  test.each([
    ["good lines", line(situation), before],
    ["a malformed line", "{\n", 1],
  ])("%s in a file", async (_, content, status) => {
    const file = join(folder, "situations.jsonl");
    writeFileSync(file, content);
    const write = jest.spyOn(process.stdout, "write").mockImplementation((_chunk, ...rest: unknown[]) => {
      const done = rest.find((one) => typeof one === "function") as (() => void) | undefined;
      done?.();
      return true;
    });
    await evaluateCommand().parseAsync([file], { from: "user" });
    expect(write).toHaveBeenCalledTimes(1);
    expect(process.exitCode).toBe(status);
  });

  test("a missing file is an error", async () => {
    const command = evaluateCommand()
      .exitOverride()
      .configureOutput({ writeErr: () => undefined });
    const missing = join(folder, "missing.jsonl");
    await expect(command.parseAsync([missing], { from: "user" })).rejects.toThrow(
      `the path "${missing}" does not exist`,
    );
  });
});
