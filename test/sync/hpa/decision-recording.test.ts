import { Fault } from "../../../lib/model/fault";
import { hpaKey } from "../../../lib/model/hpa-key";
import type { Recorded, State } from "../../../lib/model/stored/state";
import type { Step } from "../../../lib/model/step";
import type { SyncRun } from "../../../lib/sync/hpa/sync-run";
import { recordingOf, appliedRecord, recordDecision, recordedOf } from "../../../lib/sync/hpa/decision-recording";

const at = 3_600_000;
const limited = (by: string): Step => ({ stage: "bounds", replicas: 3, because: "b", limitedBy: by });
const free: Step = { stage: "decide", replicas: 3, because: "b" };
const keep = (recorded: Recorded | undefined, steps: readonly Step[], desiredReplicas = 3, dryRun = false) =>
  recordingOf(
    { ...(recorded && { recorded }) } as State,
    { desiredReplicas, events: [], steps },
    { at, from: 2, dryRun, generation: undefined },
  );
const record = (by: readonly string[], more: Partial<Recorded> = {}): Recorded => ({
  ...{ at: 1, desiredReplicas: 3, limitedBy: by },
  ...more,
});

describe("a decision that scaled nothing", () => {
  test("is explained, with the generation of its entry if it has one", () => {
    const decided = { desiredReplicas: 3, events: [], steps: [free] };
    const explained = { at, from: 2, desiredReplicas: 3, steps: [free] };
    expect(keep(undefined, [free])).toEqual({ explained });
    const { explained: again } = recordingOf({} as State, decided, { at, from: null, dryRun: false, generation: 7 });
    expect(again).toEqual({ ...explained, from: null, generation: 7 });
  });

  test.each<[string, Recorded | undefined, readonly Step[], boolean]>([
    ["nothing holds it back, as before", undefined, [free], false],
    ["the same limit holds it back", record(["TooManyReplicas"]), [limited("TooManyReplicas")], false],
    ["a limit holds it back", undefined, [limited("TooManyReplicas")], true],
    ["another limit holds it back", record(["TooManyReplicas"]), [limited("ScaleUpLimit")], true],
    ["one more limit holds it back", record(["A"]), [limited("A"), limited("B")], true],
    ["nothing holds it back any more", record(["TooManyReplicas"]), [free], true],
  ])("%s: recorded %#", (_name, before, steps, isRecorded) => {
    const { recorded, due } = keep(before, steps);
    expect(due !== undefined).toBe(isRecorded);
    const by = steps.flatMap(({ limitedBy }) => limitedBy ?? []);
    expect(recorded).toEqual(isRecorded ? { at, desiredReplicas: 3, limitedBy: by, paidUntil: at + 60_000 } : before);
    if (isRecorded) expect(due).toEqual({ at, from: 2, desiredReplicas: 3, steps, scaleTo: null, events: [] });
  });

  test("another size is news only if a dry run wants it", () => {
    expect(keep(record(["TooManyReplicas"]), [limited("TooManyReplicas")], 4).due).toBeUndefined();
    const wish = record(["DryRun"], { found: 2 });
    expect(keep(wish, [limited("DryRun")], 4, true).due).toMatchObject({ desiredReplicas: 4, dryRun: true });
    expect(keep({ ...wish, limitedBy: [] }, [free], 4, true).due).toBeUndefined();
    expect(keep(record(["DryRun"], { found: 2 }), [limited("DryRun")], 3, true).due).toBeUndefined();
    expect(keep(undefined, [limited("A")]).due).not.toHaveProperty("dryRun");
  });

  describe("of a dry run", () => {
    const found = (size: number, by: readonly string[] = []) => record(by, { found: size });
    test.each<[string, Recorded | undefined, readonly Step[], boolean]>([
      ["it begins", undefined, [free], true],
      ["it begins after decisions that were none", record([]), [free], true],
      ["the size is the same as before", found(2), [free], false],
      ["the target has another size", found(4), [free], true],
      ["the target has another size, and it wants the same", found(1, ["DryRun"]), [limited("DryRun")], true],
    ])("%s: recorded %#", (_name, before, steps, isRecorded) => {
      const { recorded, due } = keep(before, steps, 3, true);
      expect(due !== undefined).toBe(isRecorded);
      expect(recorded?.found).toBe(2);
      if (isRecorded) expect(due).toMatchObject({ from: 2, dryRun: true });
    });

    test("its end is recorded, once", () => {
      const { recorded, due } = keep(found(2), [free]);
      expect([recorded?.found, due?.dryRun, due?.from]).toEqual([undefined, undefined, 2]);
      expect(keep(recorded, [free]).due).toBeUndefined();
    });

    test("a scale that cannot be read is no other size", () => {
      const decided = { desiredReplicas: 3, events: [], steps: [free] };
      const circumstances = { at, from: null, dryRun: true, generation: undefined };
      const after = (recorded: Recorded | undefined) =>
        recordingOf({ ...(recorded && { recorded }) } as State, decided, circumstances);
      expect(after(found(4)).due).toBeUndefined();
      expect(after(found(4)).recorded?.found).toBe(4);
      expect(after(undefined).due).toBeUndefined();
    });

    test("sizes that change on and on are recorded once a minute, as anything else", () => {
      expect(keep({ ...found(4), paidUntil: at + 600_000 }, [free], 3, true).due).toBeUndefined();
    });
  });

  test("ten changes are recorded at once, and then one a minute", () => {
    const owed = (minutes: number) => record(["A"], { paidUntil: at + minutes * 60_000 });
    expect(keep(owed(9), [free]).recorded).toMatchObject({ paidUntil: at + 600_000 });
    expect(keep(owed(10), [free]).due).toBeUndefined();
    expect(keep(owed(10), [free]).recorded).toEqual(owed(10));
    // A debt of long ago is paid.
    expect(keep(owed(-5), [free]).recorded).toMatchObject({ paidUntil: at + 60_000 });
  });
});

test("what a scaling records keeps the debt that is left", () => {
  const explained = { at, from: 2, desiredReplicas: 5, steps: [limited("A"), free] };
  const paid = { at, desiredReplicas: 5, limitedBy: ["A"] };
  expect(recordedOf(explained, undefined)).toEqual(paid);
  expect(recordedOf(explained, record([], { paidUntil: at }))).toEqual(paid);
  expect(recordedOf(explained, record([], { paidUntil: at + 1 }))).toEqual({ ...paid, paidUntil: at + 1 });
});

test("a scaling that is found is recorded as its own run would have done", () => {
  const intent = {
    from: 2,
    to: 5,
    at: 7,
    resourceVersion: "1",
    countsAsEvent: true,
    message: "up",
    scaledToZero: false,
  };
  const said = { at: 7, from: 2, scaleTo: 5, desiredReplicas: 5 };
  const events = [{ type: "Normal", reason: "SuccessfulRescale", message: "up" }];
  expect(appliedRecord(intent)).toEqual({ ...said, events, steps: [] });
  expect(appliedRecord({ ...intent, steps: [free] })).toEqual({ ...said, events, steps: [free] });
});

describe("a record that cannot be written", () => {
  const recordWith = (error: Error) => {
    const said: unknown[] = [];
    const run = {
      message: { cluster: "prod" },
      records: { putDecision: () => Promise.reject(error) },
      reporter: { failed: (line: unknown) => said.push(line) },
    } as unknown as SyncRun;
    const decision = { at, from: 2, desiredReplicas: 5, scaleTo: 5, events: [], steps: [] };
    return { done: recordDecision(run, hpaKey("shop", "web"), decision), said };
  };

  test("is reported, and the decision holds", async () => {
    const { done, said } = recordWith(new Fault("throttled", "too fast"));
    await done;
    expect(said).toEqual([
      { cluster: "prod", key: "shop/web", reason: "FailedRecordDecision", message: "too fast", at },
    ]);
  });

  test("for a reason that is no fault, fails the run", async () => {
    await expect(recordWith(new TypeError("a bug")).done).rejects.toThrow("a bug");
  });
});
