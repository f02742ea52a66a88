import type { Scale } from "../../../lib/k8s/objects";
import { defaultOptions } from "../../../lib/model/entry/options";
import { Fault } from "../../../lib/model/fault";
import { hpaKey } from "../../../lib/model/hpa-key";
import type { LatestValues } from "../../../lib/model/stored/latest";
import type { Cluster } from "../../../lib/model/ports/cluster";
import type { DecisionRecord, Intent, State } from "../../../lib/model/stored/state";
import { freshState } from "../../../lib/sync/hpa/next-state";
import type { HpaTask } from "../../../lib/sync/hpa/hpa-result";
import type { SyncRun } from "../../../lib/sync/hpa/sync-run";
import type { Observation } from "../../../lib/readings/observe";
import { readHpaEntry } from "../../../lib/sync/hpa/read-entry";
import { invalidEntry, syncHpa } from "../../../lib/sync/hpa/sync-hpa";
import { fakeCluster } from "../../fakes/fake-cluster";
import { document, metricValue, periodMs, queueSpec, slotAt } from "../sync-fixture";

/** One HPA in one run: whether it looks, what it decides, and what it writes. */
const key = hpaKey("shop", "orders");
const readings = { k: { response: { items: [] }, readAt: 1 } };
const intent: Intent = {
  ...{ from: 1, to: 3, at: slotAt(0), resourceVersion: "101", countsAsEvent: true, message: "New size: 3" },
  ...{ scaledToZero: false, steps: [] },
};

interface World {
  readonly state?: State | undefined;
  readonly slot?: number;
  readonly document?: unknown;
  readonly mayHaveConcurrentRun?: boolean;
  readonly scale?: Scale | Error;
  readonly isInTime?: boolean;
  readonly depth?: number;
  readonly shown?: LatestValues;
  readonly reads?: AbortSignal;
  readonly rules?: Observation["rules"];
}

const annotated = (annotations: object) => {
  const { metadata, ...rest } = document(queueSpec) as { metadata: object };
  return { ...rest, metadata: { ...metadata, annotations } };
};
const paused = annotated({ "ebb.dev/paused": "true" });

async function run({
  state,
  slot = 1,
  mayHaveConcurrentRun = false,
  isInTime = true,
  depth = 5,
  ...world
}: World = {}) {
  const cluster = fakeCluster();
  cluster.add("shop/orders", 1);
  const states: State[] = [];
  const decisions: DecisionRecord[] = [];
  let looks = 0;
  /** Whether each read of a scale may be part of a list. */
  const together: boolean[] = [];
  const order: string[] = [];
  const observation: Observation = {
    ...{ pods: [], otherHpas: [], readings },
    metrics: [{ items: [metricValue("depth", depth)] }],
    ...(world.rules && { rules: world.rules }),
  };
  const far: Cluster = {
    ...cluster,
    getScale(target, within, scales) {
      looks += 1;
      together.push(scales !== undefined);
      order.push("scale");
      if (world.scale instanceof Error) return Promise.reject(world.scale);
      return world.scale === undefined ? cluster.getScale(target, within) : Promise.resolve(world.scale);
    },
  };
  const { signal } = new AbortController();
  const run: SyncRun = {
    message: { cluster: "prod", from: "", slot: slotAt(slot), until: slotAt(slot) + periodMs },
    now: slotAt(slot),
    slot: { start: slotAt(Math.floor(slot)), periodMs },
    time: {
      ...{ reads: world.reads ?? signal, readsEnd: Infinity, writes: signal },
      ...{ now: () => 0, inTime: () => isInTime, isOver: () => false },
    },
    records: {
      writerId: () => ({ slot: slotAt(slot) }),
      putState: (_key, next) => Promise.resolve((states.push(next), { ok: true })),
      putDecision: (_key, record) => Promise.resolve(void decisions.push(record)),
      document: () => Promise.resolve(given),
      shown: () => Promise.resolve(world.shown),
      isOvertaken: () => Promise.resolve(false),
      withPermit: (write) => write(),
    },
    cluster: far,
    scales: { targets: [] },
    options: defaultOptions,
    observer: {
      observe: () => Promise.resolve((order.push("observe"), observation)),
      begin: (begun) => void order.push(`begin ${begun}`),
    },
    reporter: { scaled: () => undefined } as unknown as SyncRun["reporter"],
  };
  const given = world.document ?? document(queueSpec);
  const task: HpaTask = {
    ...{
      key,
      document: given,
      entry: readHpaEntry({ key, document: given }),
      state,
      periodClass: undefined,
      lastObserved: slotAt(slot - 1),
      closedSpanObserved: undefined,
      mayHaveConcurrentRun,
      hasConcurrentReader: true,
    },
  };
  const result = await syncHpa(run, task);
  return { result, states, decisions, looks, together, order, cluster };
}

const stored = (more: Partial<State> = {}): State => ({ ...freshState({}, slotAt(0)), version: 7, ...more });

/** The state after the first sync, which the second finds. */
async function afterFirst(more: Partial<World> = {}): Promise<State> {
  const { states } = await run(more);
  return states.at(-1) as State;
}

describe("an HPA that another run has handled", () => {
  const warnings = [{ type: "Warning", reason: "FailedGetScale", message: "gone" }] as const;

  test.each<[string, Partial<State>, object]>([
    ["this slot", { slot: slotAt(1) }, { recorded: true, warnings: [] }],
    ["a later slot", { slot: slotAt(2), warnings }, { recorded: true, warnings }],
    ["this slot, with an open intent", { slot: slotAt(1), intent }, { recorded: false, warnings: [] }],
    [
      "a later wake",
      { slot: slotAt(0), wake: { at: slotAt(1) + 1, done: true }, warnings },
      { recorded: false, warnings: [] },
    ],
  ])("in %s is left alone", async (_name, more, expected) => {
    const { result, states, looks } = await run({ state: stored(more) });
    expect(result).toMatchObject({ key, scaled: false, events: [], ...expected });
    expect([states, looks]).toEqual([[], 0]);
  });

  test.each<[string, Partial<State>]>([
    ["an earlier slot", { slot: slotAt(1) - 1 }],
    ["a wake at the slot's moment", { slot: slotAt(0), wake: { at: slotAt(1), done: true } }],
  ])("in %s is synced", async (_name, more) => {
    const { result, states, looks } = await run({ state: stored(more) });
    expect(result).toMatchObject({ recorded: true });
    expect([states.length, looks]).toEqual([1, 1]);
  });
});

describe("sources do not wait for the scale", () => {
  test("if the last sync came as far as the metrics", async () => {
    const { order } = await run({ state: await afterFirst(), slot: 2 });
    expect(order).toEqual([`begin ${key}`, "scale", "observe"]);
  });

  test("in the first sync, they do", async () => {
    expect((await run()).order).toEqual(["scale", "observe"]);
  });

  test("nor is anything read for an HPA whose scale the last sync did not see", async () => {
    const scale = new Fault("timeout", "no answer");
    const state = await afterFirst({ scale });
    expect((await run({ state, slot: 2, scale })).order).toEqual(["scale"]);
  });

  test("nor for one that is paused, or somebody else's zero", async () => {
    const state = await afterFirst();
    expect((await run({ state, slot: 4, document: paused })).order).toEqual(["scale"]);
    const cluster = fakeCluster();
    cluster.add("shop/orders", 0);
    const target = { apiVersion: "apps/v1", kind: "Deployment", name: "orders", namespace: "shop" };
    const scale = await cluster.getScale(target, new AbortController().signal);
    const atZero = await afterFirst({ scale });
    expect((await run({ state: atZero, slot: 2, scale })).order).toEqual(["scale"]);
  });
});

describe("an invalid entry", () => {
  const now = slotAt(1);

  test("keeps status, history and selector, names every error, and decides nothing", () => {
    const history = { recommendations: [], scaleUpEvents: [], scaleDownEvents: [{ change: 1, at: 1 }] };
    const condition = { type: "ScalingLimited", status: "True" } as const;
    const status = { desiredReplicas: 4, currentReplicas: 3, conditions: [condition] };
    const state = stored({ history, status, selector: "app=orders" });
    const message = "spec.a: wrong; spec.b: wrong";
    const warning = { type: "Warning", reason: "InvalidEntry", message };
    const { decision, ...rest } = invalidEntry(state, ["spec.a: wrong", "spec.b: wrong"], now);
    expect(rest).toEqual({ state, warnings: [warning], events: [warning], selector: "app=orders" });
    const { conditions, ...others } = decision.status;
    expect(others).toEqual({ desiredReplicas: 4, currentReplicas: 3 });
    expect(conditions).toMatchObject([
      condition,
      { type: "AbleToScale", status: "False", reason: "InvalidEntry", message },
    ]);
    expect({ ...decision, status: null }).toEqual({
      ...{ desiredReplicas: 4, scaleTo: null, status: null, recommendation: null, history, events: [warning] },
      steps: [{ stage: "gate", replicas: null, limitedBy: "InvalidEntry", because: message }],
    });
  });

  test("without any status or history begins with nothing", () => {
    const { decision } = invalidEntry(stored(), ["x"], now);
    expect(decision).toMatchObject({
      desiredReplicas: 0,
      history: { recommendations: [], scaleUpEvents: [], scaleDownEvents: [] },
    });
    expect(decision.status.conditions).toHaveLength(1);
  });

  test.each([
    ["x".repeat(2_000), "x".repeat(2_000)],
    ["x".repeat(2_001), `${"x".repeat(2_000)}…`],
  ])("has a message of at most 2,000 characters", (error, message) => {
    expect(invalidEntry(stored(), [error], now).warnings[0]?.message).toBe(message);
  });

  test("is written, with a decision of no size, and its target is not read", async () => {
    const { result, states, decisions, looks } = await run({ document: document({ ...queueSpec, maxReplicas: 0 }) });
    expect(result).toMatchObject({
      recorded: true,
      warnings: [{ reason: "InvalidEntry" }],
      news: { reason: "InvalidEntry" },
    });
    expect(result).not.toHaveProperty("target");
    expect(states).toMatchObject([{ open: false, slot: slotAt(1) }]);
    expect(states[0]).not.toHaveProperty("readings");
    expect(decisions).toMatchObject([{ at: slotAt(1), from: null }]);
    expect(decisions[0]).not.toHaveProperty("dryRun");
    expect(looks).toBe(0);
  });
});

describe("the target that was seen", () => {
  const scale = (metadata: object): Scale => ({
    metadata: { name: "orders", namespace: "shop", ...metadata },
    spec: { replicas: 1 },
    status: { replicas: 1, selector: "app=orders" },
  });
  const target = { ...queueSpec.scaleTargetRef, namespace: "shop" };

  test.each<[string, Scale, object | undefined]>([
    ["with its version", scale({ uid: "u", resourceVersion: "7" }), { ...target, uid: "u", resourceVersion: "7" }],
    ["without a version", scale({ uid: "u" }), { ...target, uid: "u" }],
    ["without a uid there is nothing to show events on", scale({ resourceVersion: "7" }), undefined],
  ])("%s", async (_name, seen, expected) => {
    const { result } = await run({ scale: seen });
    expect(result.target).toEqual(expected);
    expect("target" in result).toBe(expected !== undefined);
    if (expected !== undefined) expect("resourceVersion" in (result.target ?? {})).toBe("resourceVersion" in expected);
  });

  test("a defect stays visible", async () => {
    const defect = new TypeError("x is not a function");
    await expect(run({ scale: defect })).rejects.toBe(defect);
  });
});

describe("while it is paused", () => {
  const pausedState = (more: Partial<State> = {}) =>
    stored({ ...more, status: { conditions: [{ type: "ScalingActive", status: "False", reason: "Paused" }] } });

  test.each<[string, number, Partial<State>, number]>([
    ["the first slot of a minute looks", 4, {}, 1],
    ["the second does not", 5, {}, 0],
    ["nor the last", 7, {}, 0],
    ["each does while an intent is open", 5, { intent }, 1],
  ])("%s", async (_name, slot, more, expected) => {
    const { looks, result } = await run({ document: paused, state: pausedState(more), slot });
    expect(looks).toBe(expected);
    expect("target" in result).toBe(expected === 1);
  });

  test("each of its own slots looks, if these are more than a minute apart", async () => {
    const document = annotated({ "ebb.dev/paused": "true", "ebb.dev/sync-period": "5m" });
    expect((await run({ document, state: pausedState(), slot: 5 })).looks).toBe(1);
  });

  test("the first slot of a pause looks", async () => {
    expect((await run({ document: paused, state: stored(), slot: 5 })).looks).toBe(1);
  });

  test("readings stay, and nothing is read", async () => {
    const kept = { old: { response: { items: [] }, readAt: 5 } };
    const { states } = await run({ document: paused, state: stored({ readings: kept }) });
    expect(states[0]?.readings).toEqual(kept);
    const without = await run({ document: paused, state: stored() });
    expect(without.states[0]).not.toHaveProperty("readings");
  });

  test("a resumed HPA looks in every slot", async () => {
    expect((await run({ state: pausedState(), slot: 5 })).looks).toBe(1);
  });
});

test("a run whose time for reading is over decides nothing: what it read may be half of it", async () => {
  const { result, states, decisions } = await run({ reads: AbortSignal.abort() });
  expect(result).toMatchObject({ recorded: false, scaled: false, warnings: [{ reason: "OutOfTime" }] });
  expect([states, decisions]).toEqual([[], []]);
});

describe("an HPA with a period of its own that waits for a second reading does not rest", () => {
  const own = { "ebb.dev/sync-period": "5m" };
  test.each<[string, object, number, number | undefined, boolean]>([
    ["empty once of three times", own, 0, 3, true],
    ["with work", own, 5, 3, false],
    ["without a rule", own, 0, undefined, false],
    ["without a period of its own: the next slot comes anyway", {}, 0, 3, false],
  ])("%s", async (...[, annotations, depth, confirm, confirming]) => {
    const rules = confirm === undefined ? [] : [{ confirm }];
    const { states } = await run({ document: annotated(annotations), depth, rules });
    expect(states.at(-1)?.confirming === true).toBe(confirming);
    expect(states.at(-1)?.syncPeriodSeconds).toBe(annotations === own ? 300 : undefined);
  });
});

test("a scale may come from a list, unless an intent is open: an outdated one would forget a write", async () => {
  expect((await run()).together).toEqual([true]);
  expect((await run({ state: stored({ targetUid: "u" }) })).together).toEqual([true]);
  expect((await run({ state: stored({ intent }) })).together).toEqual([false]);
});

/** Fractions of a slot are wakes: 4/3 is 5 s into slot 1. */
test.each<[string, string | undefined, number, number]>([
  ["the cluster's, without a period of its own", undefined, 4 / 3, 1],
  ["the cluster's, with a longer one", "5m", 4 / 3, 1],
  ["the cluster's, with an equal one", "15s", 4 / 3, 1],
  ["its own, with a shorter one", "5s", 4 / 3, 4 / 3],
  ["its own, which began 7 s before", "10s", 1.8, 4 / 3],
])("the slot that a reading counts in is %s", async (_what, period, slot, expected) => {
  const entry = annotated(period === undefined ? {} : { "ebb.dev/sync-period": period });
  const { states } = await run({ document: entry, slot, depth: 0, rules: [{ confirm: 3 }] });
  const [memory] = Object.values(states.at(-1)?.memory ?? {});
  expect(memory?.readings?.slot).toBe(slotAt(expected));
});

describe("metrics that were shown beside the state", () => {
  const currentMetrics = [
    { type: "External" as const, external: { metric: { name: "depth" }, current: { averageValue: "7" } } },
  ];
  const shown: LatestValues = { version: 7, status: { currentMetrics } };
  const metricsAfter = async (more: World) =>
    (await run({ state: stored(), mayHaveConcurrentRun: true, shown, ...more })).states[0]?.status.currentMetrics;

  test("stay if the scale cannot be read", async () => {
    expect(await metricsAfter({ scale: new Fault("timeout", "no answer") })).toEqual(currentMetrics);
  });

  test("do not come back if it was read, or while nobody looks", async () => {
    expect(await metricsAfter({})).not.toEqual(currentMetrics);
    const status = { conditions: [{ type: "ScalingActive", status: "False", reason: "Paused" }] } as State["status"];
    expect(await metricsAfter({ document: paused, state: stored({ status }), slot: 5 })).toEqual([]);
  });
});

describe("the state", () => {
  test("is written first, with what was read", async () => {
    const { result, states, decisions } = await run();
    expect(result).toMatchObject({ recorded: true, scaled: false, warnings: [] });
    expect(states).toMatchObject([{ slot: slotAt(1), open: true, selector: "app=orders", readings }]);
    expect(decisions).toEqual([]);
  });

  test("starts with the status of the document", async () => {
    const conditions = [{ type: "ScalingLimited", status: "True", reason: "Old", message: "from elsewhere" }];
    const moved = { ...(document(queueSpec) as object), status: { conditions } };
    const [before, after] = await Promise.all([afterFirst(), afterFirst({ document: moved })]);
    const transition = ({ status }: State) =>
      status.conditions?.find(({ type }) => type === "ScalingLimited")?.lastTransitionTime;
    expect(before.status.conditions).toHaveLength(3);
    expect(transition(after)).not.toBeUndefined();
  });

  test("that says nothing new is not written, and neither is its decision", async () => {
    const state = await afterFirst();
    const { result, states, decisions } = await run({ state, slot: 2 });
    expect(result.recorded).toBe(true);
    expect([states, decisions]).toEqual([[], []]);
  });

  test("that says nothing new after the end of the slot is no observation", async () => {
    const state = await afterFirst();
    expect((await run({ state, slot: 2, isInTime: false })).result.recorded).toBe(false);
  });

  test("is written anyway if an earlier run may still write, without another decision", async () => {
    const state = await afterFirst();
    const { states, decisions } = await run({ state, slot: 2, mayHaveConcurrentRun: true });
    expect(states).toMatchObject([{ version: state.version + 1 }]);
    expect(decisions).toEqual([]);
  });

  test("is not written after the end of the slot, and neither is the decision", async () => {
    const { result, states, decisions } = await run({ isInTime: false });
    expect(result).toMatchObject({ recorded: false, events: [] });
    expect([states, decisions]).toEqual([[], []]);
  });

  test("settles the intent of an earlier run, whose decision comes before this one", async () => {
    const scale: Scale = {
      metadata: { name: "orders", namespace: "shop", uid: "u", resourceVersion: "102" },
      spec: { replicas: 3 },
      status: { replicas: 3, selector: "app=orders" },
    };
    const first = await afterFirst({ scale });
    const { result, states, decisions } = await run({
      ...{ state: { ...first, targetUid: "u", intent }, slot: 2, scale, depth: 15 },
    });
    expect(states.at(-1)).not.toHaveProperty("intent");
    expect(decisions[0]).toMatchObject({ at: intent.at, scaleTo: 3 });
    expect(result.events).toMatchObject([{ reason: "SuccessfulRescale", message: "New size: 3" }]);
  });
});
