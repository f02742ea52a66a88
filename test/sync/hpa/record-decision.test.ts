import { hpaKey } from "../../../lib/model/hpa-key";
import type { DecisionRecord, State } from "../../../lib/model/stored/state";
import type { LatestValues } from "../../../lib/model/stored/latest";
import type { HpaEvent } from "../../../lib/model/situation";
import type { HpaTask } from "../../../lib/sync/hpa/hpa-result";
import { freshState } from "../../../lib/sync/hpa/next-state";
import { recordWithoutScaling } from "../../../lib/sync/hpa/record-decision";
import type { SyncRun } from "../../../lib/sync/hpa/sync-run";
import type { Considered } from "../../../lib/sync/scale/rescale";

/** A decision that scales nothing: what of it is written, and what is shown beside the state. */
const at = 1_200_000;
const warning: HpaEvent = { type: "Warning", reason: "FailedGetScale", message: "no answer since 12:03:15" };
const metrics = (averageValue: string) => [
  { type: "External" as const, external: { metric: { name: "m" }, current: { averageValue } } },
];
const due: DecisionRecord = { at, from: 1, desiredReplicas: 1, steps: [], scaleTo: null, events: [] };

interface World {
  readonly before?: State | undefined;
  readonly mayHaveConcurrentRun?: boolean;
  readonly isInTime?: boolean;
  readonly status?: State["status"];
  readonly warnings?: readonly HpaEvent[];
  readonly due?: DecisionRecord;
  readonly keepsMetrics?: boolean;
  readonly shown?: LatestValues;
}

const base: State = {
  ...{ ...freshState({}, 0), version: 7, slot: at - 15_000, status: { currentMetrics: metrics("5") } },
  history: { recommendations: [], scaleUpEvents: [], scaleDownEvents: [] },
};

async function record(world: World) {
  const order: string[] = [];
  const states: State[] = [];
  const run = {
    message: { cluster: "prod" },
    time: { inTime: () => world.isInTime ?? true },
    records: {
      writerId: () => ({ slot: at }),
      withPermit: (write: () => unknown) => write(),
      putDecision: () => Promise.resolve(void order.push("decision")),
      putState: (_key: unknown, state: State) => {
        order.push("state");
        states.push(state);
        return Promise.resolve({ ok: true });
      },
      shown: () => (order.push("shown"), Promise.resolve(world.shown)),
    },
  } as unknown as SyncRun;
  const before = "before" in world ? world.before : base;
  const task = { key: hpaKey("shop", "web"), state: before, mayHaveConcurrentRun: world.mayHaveConcurrentRun ?? false };
  const considered: Considered = {
    state: before ?? base,
    decision: { status: world.status ?? base.status, history: base.history!, recommendation: null },
    recording: {
      explained: { at, from: 1, desiredReplicas: 1, steps: [] },
      ...(world.due && { due: world.due }),
    },
    ...{ warnings: world.warnings ?? [], events: [], readings: {}, hasConcurrentReader: true, period: {} },
    ...(world.keepsMetrics !== undefined && { keepsMetrics: world.keepsMetrics }),
  };
  return { result: await recordWithoutScaling(run, task as HpaTask, considered), order, states };
}

test.each<[string, World, readonly string[]]>([
  ["nothing new", {}, []],
  ["a value that moves", { status: { currentMetrics: metrics("6") } }, []],
  ["a value that becomes zero", { status: { currentMetrics: metrics("0") } }, ["state"]],
  ["a first state", { before: undefined }, ["state"]],
  ["a run that may be beside another one", { mayHaveConcurrentRun: true }, ["state"]],
  ["a decision that is due, before its state", { due }, ["decision", "state"]],
  ["nothing after the end of the slot", { due, isInTime: false }, []],
])("%s is written: %#", async (_what, world, expected) => {
  const { order, result } = await record(world);
  expect(order).toEqual(expected);
  expect(result.recorded).toBe(world.isInTime !== false);
});

describe("beside the state is shown", () => {
  const failing = { ...base, warnings: [warning], failingSince: 5 };
  const later = { ...warning, message: "no answer since 12:03:30" };

  test("a value that moves, with the version that it is beside and its decision", async () => {
    const status = { currentMetrics: metrics("6") };
    const decision = { at, from: 1, desiredReplicas: 1, steps: [] };
    const { latest } = (await record({ status })).result;
    expect(latest).toStrictEqual({ version: 7, status, decision });
  });

  test("a warning whose numbers move", async () => {
    const { result } = await record({ before: failing, warnings: [later] });
    expect(result.latest?.warnings).toEqual([later]);
  });

  test("nothing, if nothing moves", async () => {
    expect((await record({})).result).not.toHaveProperty("latest");
    expect((await record({ before: failing, warnings: [warning] })).result).not.toHaveProperty("latest");
  });
});

describe("a state whose scale was not read", () => {
  const shown = (version: number, currentMetrics?: ReturnType<typeof metrics>): LatestValues => ({
    ...{ version, status: { ...(currentMetrics && { currentMetrics }) } },
  });
  const written = async (world: World) => {
    const { states, order } = await record({ mayHaveConcurrentRun: true, ...world });
    return [states[0]?.status.currentMetrics?.[0]?.external?.current.averageValue, order.includes("shown")];
  };

  test.each<[string, World, readonly [string, boolean]]>([
    ["has the metrics that were shown last", { keepsMetrics: true, shown: shown(7, metrics("6")) }, ["6", true]],
    ["has its own, if those are of another state", { keepsMetrics: true, shown: shown(6, metrics("6")) }, ["5", true]],
    ["has its own, if none were shown", { keepsMetrics: true, shown: shown(7) }, ["5", true]],
    ["has its own, if nothing is shown", { keepsMetrics: true }, ["5", true]],
    [
      "and one whose scale was read asks for nothing",
      { keepsMetrics: false, shown: shown(7, metrics("6")) },
      ["5", false],
    ],
    [
      "and a first one has none of another life",
      { before: undefined, keepsMetrics: true, shown: shown(7, metrics("6")) },
      ["5", true],
    ],
  ])("%s", async (_what, world, expected) => {
    expect(await written(world)).toEqual(expected);
  });
});
