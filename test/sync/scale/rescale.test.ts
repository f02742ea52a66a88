import { Fault } from "../../../lib/model/fault";
import { hpaKey } from "../../../lib/model/hpa-key";
import type { Scale } from "../../../lib/k8s/objects";
import type { Decision, HpaEvent } from "../../../lib/model/situation";
import type { DecisionRecord, Intent, Recorded, State } from "../../../lib/model/stored/state";
import type { Step } from "../../../lib/model/step";
import type { HpaTask } from "../../../lib/sync/hpa/hpa-result";
import type { SyncRun } from "../../../lib/sync/hpa/sync-run";
import { type Rescale, rescale } from "../../../lib/sync/scale/rescale";

/** What the table, the reports and the events say after each outcome of a scale write. */
const key = hpaKey("shop", "web");
const now = 1_000_000;
const until = now + 15_000;
const success: HpaEvent = { type: "Normal", reason: "SuccessfulRescale", message: "New size: 9; reason: above target" };
const other: HpaEvent = { type: "Normal", reason: "Other", message: "first" };
const warning: HpaEvent = { type: "Warning", reason: "FailedGetExternalMetric", message: "no answer" };
const step: Step = { stage: "bounds", replicas: 9, because: "max", limitedBy: "TooManyReplicas" };
const state: State = { version: 4, slot: 1, status: {}, history: null, open: false, targetUid: "u" };
const scale: Scale = {
  metadata: { name: "web", namespace: "shop", uid: "u", resourceVersion: "7" },
  spec: { replicas: 2 },
  status: { replicas: 2, selector: "app=web" },
};
const appliedIntent: Intent = {
  ...{ from: 1, to: 2, at: 5, resourceVersion: "6", countsAsEvent: true, message: "New size: 2" },
  ...{ scaledToZero: false, steps: [] },
};
const recorded: Recorded = { at: 1, desiredReplicas: 2, limitedBy: [] };
const upEvent = { change: 7, at: now };

interface World {
  readonly answer?: Fault;
  /** Whether each write of the state is done. */
  readonly puts?: readonly boolean[];
  readonly isOver?: boolean;
  readonly isInTime?: boolean;
  readonly appliedIntent?: Intent;
  readonly hasBehavior?: boolean;
  readonly recording?: Partial<Rescale["recording"]>;
  readonly events?: readonly HpaEvent[];
  readonly state?: State;
  readonly generation?: number;
  readonly memory?: State["memory"];
  readonly scale?: Scale;
  /** The scale after a write without an answer. Default: it cannot be read. */
  readonly seen?: Scale;
}

async function run(world: World) {
  const states: State[] = [];
  const decisions: DecisionRecord[] = [];
  const scaled: unknown[] = [];
  const run = {
    ...{ now, message: { cluster: "prod", from: "", slot: now, until } },
    time: {
      writes: new AbortController().signal,
      inTime: () => world.isInTime ?? true,
      isOver: () => world.isOver ?? false,
    },
    records: {
      writerId: () => ({ slot: now }),
      putState: (_key: string, next: State) => {
        states.push(next);
        return Promise.resolve({ ok: world.puts?.[states.length - 1] ?? true });
      },
      putDecision: (_key: string, record: DecisionRecord) => void decisions.push(record),
      isOvertaken: () => Promise.resolve(false),
      document: () => Promise.resolve(1),
    },
    cluster: {
      putScale: () => (world.answer === undefined ? Promise.resolve() : Promise.reject(world.answer)),
      getScale: () =>
        world.seen === undefined ? Promise.reject(new Fault("unreachable", "no look")) : Promise.resolve(world.seen),
    },
    reporter: { scaled: (line: unknown) => scaled.push(line) },
  } as unknown as SyncRun;
  const behavior = world.hasBehavior === false ? {} : { behavior: {} };
  const hpa = {
    metadata: { name: "web", namespace: "shop", generation: world.generation },
    spec: { scaleTargetRef: { kind: "Deployment", name: "web" }, maxReplicas: 9, ...behavior },
  };
  const decision = {
    ...{ desiredReplicas: 9, scaleTo: 9, recommendation: null, steps: [step] },
    status: { desiredReplicas: 9, conditions: [] },
    history: { recommendations: [], scaleUpEvents: [upEvent], scaleDownEvents: [] },
    events: world.events ?? [other, success],
  } as unknown as Decision;
  const wanted = {
    ...{ decision, situation: { hpa }, target: {}, to: 9, readings: {}, selector: "app=web" },
    ...{
      ...{ scale: world.scale ?? scale, memory: world.memory },
      state: world.state ?? state,
      warnings: [warning],
      events: [other, success, warning],
      appliedIntent: world.appliedIntent,
    },
    recording: { explained: { at: now, from: 2, desiredReplicas: 9, steps: [step] }, ...world.recording },
  } as unknown as Rescale;
  const task = { key, document: 1, state: undefined } as unknown as HpaTask;
  return { result: await rescale(run, task, wanted), states, decisions, scaled };
}

const line = (more: object) => ({
  ...{ cluster: "prod", namespace: "shop", name: "web", target: "Deployment/web", reason: "SuccessfulRescale" },
  ...more,
});

describe("announced", () => {
  test("with its reason, before the scale is written; its event does not count yet", async () => {
    const { states } = await run({});
    expect(states[0]).toEqual({
      ...{ version: 5, slot: now, targetUid: "u", status: {}, open: false, selector: "app=web", warnings: [warning] },
      failingSince: now,
      history: { recommendations: [], scaleUpEvents: [], scaleDownEvents: [] },
      decision: { at: now, from: 2, desiredReplicas: 9, steps: [step] },
      intent: {
        ...{ from: 2, to: 9, at: now, resourceVersion: "7", countsAsEvent: true, scaledToZero: false, steps: [step] },
        message: success.message,
      },
    });
  });

  test("with the events that count already, and what was recorded last", async () => {
    const before = { change: 1, at: 3 };
    const history = { recommendations: [], scaleUpEvents: [before], scaleDownEvents: [before] };
    const { states } = await run({
      state: { ...state, history, recorded },
      recording: { recorded: { ...recorded, at: 2 } },
    });
    expect(states[0]).toMatchObject({ history: { scaleUpEvents: [before], scaleDownEvents: [before] }, recorded });
  });

  test("without behavior, as what does not count in the rate", async () => {
    const { states } = await run({ hasBehavior: false });
    expect(states[0]?.intent).toMatchObject({ countsAsEvent: false });
  });

  test("with what its rules remember: a run that dies here does not make a peak or an activation forgotten", async () => {
    const memory = { depth: { active: true } } as unknown as NonNullable<State["memory"]>;
    expect((await run({ memory })).states[0]?.memory).toEqual(memory);
    expect((await run({})).states[0]).not.toHaveProperty("memory");
  });

  test.each<[string, Scale["spec"], object, string | undefined]>([
    ["from zero, with the zero's version, by which a restored cluster is known", { replicas: 0 }, {}, "7"],
    [
      "from zero without a version: any object without one would look restored",
      { replicas: 0 },
      { resourceVersion: undefined },
      undefined,
    ],
    ["from a size above zero, without", { replicas: 2 }, {}, undefined],
  ])("%s", async (_name, spec, more, lastZero) => {
    const from = { ...scale, spec, metadata: { ...scale.metadata, ...more } } as Scale;
    const { states } = await run({ scale: from });
    expect(states[0]?.lastZero).toBe(lastZero);
    expect(states[0]?.intent?.resourceVersion).toBe(from.metadata.resourceVersion ?? "");
  });

  test("without an event, with an empty reason", async () => {
    const { states, scaled } = await run({ events: [other] });
    expect(states[0]?.intent?.message).toBe("");
    expect(scaled).toEqual([line({ from: 2, to: 9, at: now, message: "" })]);
  });
});

describe("applied", () => {
  test("the state settles, the scaling is recorded and reported", async () => {
    const { result, states, decisions, scaled } = await run({});
    expect(states).toHaveLength(2);
    expect(states[1]).not.toHaveProperty("intent");
    expect(states[1]).toMatchObject({
      ...{ version: 6, history: { scaleUpEvents: [upEvent] } },
      recorded: { at: now, desiredReplicas: 9, limitedBy: ["TooManyReplicas"] },
    });
    expect(decisions).toEqual([
      { at: now, from: 2, desiredReplicas: 9, steps: [step], scaleTo: 9, events: [other, success] },
    ]);
    expect(scaled).toEqual([line({ from: 2, to: 9, at: now, message: success.message })]);
    expect(result).toMatchObject({
      ...{ recorded: true, scaled: true, warnings: [warning], news: warning, events: [other, success, warning] },
    });
  });

  test("a write that got no answer and is seen counts beside the events before it, at both its times", async () => {
    const before = { change: 1, at: 3 };
    const history = { recommendations: [], scaleUpEvents: [before], scaleDownEvents: [before] };
    const seen = { ...scale, metadata: { ...scale.metadata, resourceVersion: "8" }, spec: { replicas: 9 } };
    const answer = new Fault("lost", "no answer");
    const { states } = await run({ answer, seen, state: { ...state, history } });
    expect(states.at(-1)?.history).toEqual({
      recommendations: [],
      scaleUpEvents: [before, { ...upEvent, foundAt: until }],
      scaleDownEvents: [before],
    });
  });

  test("another run has settled it: that run reports it", async () => {
    const { result, scaled } = await run({ puts: [true, false] });
    expect(scaled).toEqual([]);
    expect(result).toMatchObject({ recorded: false, scaled: false, events: [] });
  });

  test("after its slot, it is left to the next sync", async () => {
    const { result, states, decisions, scaled } = await run({ isOver: true });
    expect([states.length, decisions, scaled]).toEqual([1, [], []]);
    expect(result).toEqual({
      ...{ key, recorded: false, scaled: false, warnings: [], recovered: false, events: [] },
    });
  });
});

test("superseded: nothing is said", async () => {
  const { result, states, scaled } = await run({ puts: [false] });
  expect(states).toHaveLength(1);
  expect(scaled).toEqual([]);
  expect(result).toEqual({ key, recorded: false, scaled: false, warnings: [], recovered: false, events: [] });
});

describe("an earlier scaling that this run finds", () => {
  test("is recorded before, and reported once it is announced", async () => {
    const { decisions, scaled } = await run({ appliedIntent });
    expect(decisions[0]).toMatchObject({ at: 5, from: 1, scaleTo: 2, desiredReplicas: 2 });
    expect(scaled[0]).toEqual(expect.objectContaining(line({ from: 1, to: 2, at: 5, message: "New size: 2" })));
    expect(scaled).toHaveLength(2);
  });

  test("is not recorded when the time is up", async () => {
    const { decisions, scaled } = await run({ appliedIntent, isInTime: false });
    expect([decisions, scaled]).toEqual([[], []]);
  });

  test("is an event of a run that fails, too", async () => {
    const { result } = await run({ appliedIntent, answer: new Fault("forbidden", "no right") });
    expect(result.events[0]).toEqual({ type: "Normal", reason: "SuccessfulRescale", message: "New size: 2" });
  });
});

describe("failed", () => {
  const answer = new Fault("forbidden", "no right");

  test("the announcement is withdrawn, and why is a condition and a warning", async () => {
    const earlier = [{ ...appliedIntent, to: 4, resourceVersion: "7" }];
    const { result, states, scaled } = await run({ answer, state: { ...state, intent: earlier[0] as Intent } });
    expect(states[1]).toMatchObject({ version: 6, intent: earlier[0], history: { scaleUpEvents: [] } });
    expect(states[1]?.status.conditions).toContainEqual(
      expect.objectContaining({ type: "AbleToScale", status: "False", reason: "FailedUpdateScale" }),
    );
    expect(scaled).toEqual([]);
    const failed = { type: "Warning", reason: "FailedRescale", message: expect.stringContaining("no right") as string };
    expect(result).toMatchObject({
      recorded: true,
      scaled: false,
      news: failed,
      events: expect.arrayContaining([failed]) as unknown,
    });
    expect(result.events).not.toContainEqual(success);
  });

  test("what held the size back is recorded if it is new, with the entry's generation", async () => {
    const { decisions } = await run({ answer, generation: 3 });
    expect(decisions).toMatchObject([{ at: now, from: 2, scaleTo: null, generation: 3 }]);
    expect(decisions[0]).not.toHaveProperty("dryRun");
    const again = { ...recorded, limitedBy: ["TooManyReplicas", "FailedUpdateScale"] };
    expect((await run({ answer, state: { ...state, recorded: again } })).decisions).toHaveLength(0);
  });
});

test("unknown: the announcement stays, and a warning says so instead of the event", async () => {
  const { result, states, decisions, scaled } = await run({ answer: new Fault("lost", "no answer") });
  const unknown = {
    ...{ type: "Warning", reason: "UnknownRescale" },
    message: "New size: 9 (from 2); whether it was applied is not known yet: no answer",
  };
  expect(states[1]).toEqual({ ...states[0], version: 6, warnings: [unknown] });
  expect([decisions, scaled]).toEqual([[], []]);
  expect(result).toEqual({
    ...{ key, recorded: true, scaled: false, recovered: false, warnings: [unknown], news: unknown },
    events: [other, warning, unknown],
  });
});
