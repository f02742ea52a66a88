import { Fault, type FaultKind } from "../../../lib/model/fault";
import { hpaKey } from "../../../lib/model/hpa-key";
import type { Scale } from "../../../lib/k8s/objects";
import type { Intent, State } from "../../../lib/model/stored/state";
import { act } from "../../../lib/sync/scale/act";
import type { SyncRun } from "../../../lib/sync/hpa/sync-run";

/** A scale write, answer by answer: what the run tries, reads and leaves in the table. */
const key = hpaKey("shop", "web");
const document = { spec: {} };
const scaleAt = (replicas: number, resourceVersion = "7", uid = "u"): Scale => ({
  metadata: { name: "web", namespace: "shop", uid, resourceVersion },
  spec: { replicas },
  status: { replicas, selector: "app=web" },
});
const intent = (to: number, more: Partial<Intent> = {}): Intent => ({
  ...{ from: 2, to, at: 1_000, resourceVersion: "7", countsAsEvent: true, message: "", scaledToZero: false, steps: [] },
  ...more,
});
const intended = {
  ...{ version: 5, slot: 1_000, status: {}, history: null, open: true },
  intent: intent(9),
} as State & { readonly intent: Intent };

const lost = new Fault("lost", "no answer");
const fault = (kind: FaultKind) => new Fault(kind, kind);

interface World {
  /** Of each putScale, in turn; undefined: done. The last one stays. */
  readonly answers: readonly (Fault | undefined)[];
  /** Of each getScale, in turn. The last one stays. */
  readonly looks?: readonly (Scale | Fault)[];
  /** Whether each putState is done. By default, all are. */
  readonly puts?: readonly (boolean | Fault)[];
  /** From which question on the time is up. */
  readonly inTimeFor?: number;
  readonly overtakenFrom?: number;
  readonly documents?: readonly unknown[];
  readonly intended?: typeof intended;
}

async function run(world: World) {
  const said: string[] = [];
  const states: State[] = [];
  const nth = <T>(all: readonly T[], index: number): T => all[Math.min(index, all.length - 1)] as T;
  let [asked, puts, looks, checks, reported, timeAsked] = [0, 0, 0, 0, 0, 0];
  const run = {
    time: {
      writes: new AbortController().signal,
      inTime: () => timeAsked++ < (world.inTimeFor ?? Infinity),
    },
    records: {
      putState: (_key: string, state: State) => {
        const ok = nth(world.puts ?? [true], puts++);
        said.push(`state ${state.intent?.to ?? "-"} v${state.version}`);
        states.push(state);
        return ok instanceof Fault ? Promise.reject(ok) : Promise.resolve({ ok });
      },
      isOvertaken: () => Promise.resolve(checks >= (world.overtakenFrom ?? Infinity)),
      document: () => Promise.resolve(nth(world.documents ?? [document], checks++)),
    },
    cluster: {
      putScale: (_target: unknown, scale: Scale) => {
        said.push(`put ${scale.spec.replicas} on ${scale.metadata.resourceVersion}`);
        const answer = nth(world.answers, asked++);
        return answer === undefined ? Promise.resolve() : Promise.reject(answer);
      },
      getScale: () => {
        said.push("look");
        const seen = nth(world.looks ?? [scaleAt(2)], looks++);
        return seen instanceof Error ? Promise.reject(seen) : Promise.resolve(seen);
      },
    },
  } as unknown as SyncRun;
  const action = {
    ...{ key, document, target: { name: "web" } as never, scale: scaleAt(2) },
    ...{ intended: world.intended ?? intended, onIntentStored: () => void (reported += 1) },
  };
  const result = await act(run, action);
  return { result, said, states, reported };
}

const first = ["state 9 v5", "put 9 on 7"];

describe("a write that is answered", () => {
  test("is applied", async () => {
    const { result, said, reported } = await run({ answers: [undefined] });
    expect(result).toEqual({ kind: "applied", state: intended, isFound: false });
    expect([said, reported]).toEqual([first, 1]);
  });

  test.each<[FaultKind]>([["forbidden"], ["notFound"], ["badEntry"], ["throttled"]])(
    "%s: failed, at once",
    async (kind) => {
      const { result, said } = await run({ answers: [fault(kind)] });
      expect(result).toEqual({ kind: "failed", state: intended, error: kind });
      expect(said).toEqual(first);
    },
  );
});

describe("before the write", () => {
  test("a conflict on the announcement supersedes the run, and nothing is reported", async () => {
    const { result, said, reported } = await run({ answers: [], puts: [false] });
    expect(result).toEqual({ kind: "superseded" });
    expect([said, reported]).toEqual([["state 9 v5"], 0]);
  });

  test("an announcement whose answer is lost is reported, and fails the run", async () => {
    let reported = 0;
    const run = {
      time: { inTime: () => true },
      records: { putState: () => Promise.reject(lost) },
    } as unknown as SyncRun;
    const action = {
      key,
      document,
      target: {} as never,
      scale: scaleAt(2),
      intended,
      onIntentStored: () => (reported += 1),
    };
    await expect(act(run, { ...action, onIntentStored: () => void action.onIntentStored() })).rejects.toBe(lost);
    expect(reported).toBe(1);
  });

  test("another fault of the announcement is not", async () => {
    let reported = 0;
    const throttled = fault("throttled");
    const run = { time: { inTime: () => true }, records: { putState: () => Promise.reject(throttled) } };
    const action = { key, document, target: {} as never, scale: scaleAt(2), intended };
    const onIntentStored = () => void (reported += 1);
    await expect(act(run as unknown as SyncRun, { ...action, onIntentStored })).rejects.toBe(throttled);
    expect(reported).toBe(0);
  });

  test("nothing is announced when the time is up", async () => {
    expect(await run({ answers: [], inTimeFor: 0 })).toMatchObject({
      result: { kind: "superseded" },
      said: [],
      reported: 0,
    });
  });

  test.each<[string, Partial<World>]>([
    ["the time is up", { inTimeFor: 1 }],
    ["the shard has finished the slot", { overtakenFrom: 0 }],
    ["the entry has changed", { documents: [{ spec: { maxReplicas: 3 } }] }],
    ["the entry is gone", { documents: [undefined] }],
  ])("%s: the announcement is withdrawn", async (_name, world) => {
    const { result, said, states } = await run({ answers: [], ...world });
    expect(result).toEqual({ kind: "superseded" });
    expect(said).toEqual(["state 9 v5", "state - v6"]);
    expect(states.at(-1)).toEqual({ ...intended, version: 6, intent: undefined });
  });

  test("the announcement before it comes back", async () => {
    const two = { ...intended, earlier: [intent(4), intent(3)] };
    const { states } = await run({ answers: [], overtakenFrom: 0, intended: two });
    expect(states.at(-1)).toMatchObject({ version: 6, intent: { to: 4 }, earlier: [{ to: 3 }] });
  });
});

describe("after a write without an answer", () => {
  test("the same resourceVersion and size: the write is sent again", async () => {
    const { result, said } = await run({ answers: [lost, undefined] });
    expect(result).toMatchObject({ kind: "applied", isFound: false });
    expect(said).toEqual([...first, "look", "put 9 on 7"]);
  });

  test("five times at most, and then nobody knows", async () => {
    const { result, said } = await run({ answers: [lost] });
    expect(result).toEqual({ kind: "unknown", state: intended, error: "no answer" });
    expect(said.filter((each) => each.startsWith("put"))).toHaveLength(5);
  });

  test.each<[FaultKind]>([["throttled"], ["forbidden"]])(
    "%s of the next attempt does not say that it failed",
    async (kind) => {
      const { result } = await run({ answers: [lost, fault(kind)] });
      expect(result).toEqual({ kind: "unknown", state: intended, error: kind });
    },
  );

  test("no look: nobody knows", async () => {
    const { result, said } = await run({ answers: [lost], looks: [fault("unreachable")] });
    expect(result).toEqual({ kind: "unknown", state: intended, error: "no answer" });
    expect(said).toEqual([...first, "look"]);
  });

  test("a timeout is not tried again in this slot", async () => {
    const { result, said } = await run({ answers: [fault("timeout")] });
    expect(result).toEqual({ kind: "unknown", state: intended, error: "timeout" });
    expect(said).toEqual([...first, "look"]);
  });

  test("nothing is tried again when the time is up", async () => {
    const { result, said } = await run({ answers: [lost], inTimeFor: 2 });
    expect(result).toMatchObject({ kind: "unknown" });
    expect(said).toEqual([...first, "look"]);
  });

  test("the announced size: it is found, after the announcement is renewed", async () => {
    const { result, said } = await run({ answers: [lost], looks: [scaleAt(9, "8")] });
    expect(result).toEqual({ kind: "applied", state: { ...intended, version: 6 }, isFound: true });
    expect(said).toEqual([...first, "look", "state 9 v6"]);
  });

  test("the announced size, and another run has announced since: that run records it", async () => {
    const { result } = await run({ answers: [lost], looks: [scaleAt(9, "8")], puts: [true, false] });
    expect(result).toEqual({ kind: "superseded" });
  });

  test("the announced size of another object: nobody knows", async () => {
    const { result } = await run({ answers: [lost], looks: [scaleAt(9, "8", "another")] });
    expect(result).toEqual({ kind: "unknown", state: intended, error: "no answer" });
  });

  test.each([2, 5])("%i replicas under another resourceVersion: it may have been undone", async (replicas) => {
    const { result, said } = await run({ answers: [lost], looks: [scaleAt(replicas, "8")] });
    expect(result).toEqual({ kind: "unknown", state: intended, error: "no answer" });
    expect(said).toEqual([...first, "look"]);
  });
});

describe("after a conflict", () => {
  const conflict = fault("conflict");

  test("the same size: announced on the new resourceVersion, and written", async () => {
    const two = { ...intended, earlier: [intent(4)] };
    const { result, said, states } = await run({
      answers: [conflict, undefined],
      looks: [scaleAt(2, "8")],
      intended: two,
    });
    expect(said).toEqual([...first, "look", "state 9 v6", "put 9 on 8"]);
    // The earlier write can never land: its resourceVersion is gone.
    expect(states.at(-1)).toEqual({ ...intended, version: 6, intent: intent(9, { resourceVersion: "8" }) });
    expect(result).toEqual({ kind: "applied", state: states.at(-1), isFound: false });
  });

  test("the same size, but another run has announced since", async () => {
    const { result, said } = await run({ answers: [conflict], looks: [scaleAt(2, "8")], puts: [true, false] });
    expect(result).toEqual({ kind: "superseded" });
    expect(said).toEqual([...first, "look", "state 9 v6"]);
  });

  test("the same size, but the slot is over since: withdrawn", async () => {
    const { result, said } = await run({ answers: [conflict], looks: [scaleAt(2, "8")], overtakenFrom: 1 });
    expect(result).toEqual({ kind: "superseded" });
    expect(said).toEqual([...first, "look", "state 9 v6", "state - v7"]);
  });

  test("the announced size: somebody else set it, and the announcement is withdrawn", async () => {
    const { result, said } = await run({ answers: [conflict], looks: [scaleAt(9, "8")] });
    expect(result).toEqual({ kind: "superseded" });
    expect(said).toEqual([...first, "look", "state - v6"]);
  });

  test.each([
    ["another size", scaleAt(5, "8")],
    ["another object", scaleAt(2, "8", "another")],
  ])("%s: failed", async (_name, seen) => {
    const { result, said } = await run({ answers: [conflict], looks: [seen] });
    expect(result).toEqual({ kind: "failed", state: intended, error: "conflict" });
    expect(said).toEqual([...first, "look"]);
  });

  test("without end: failed, because no write was left without an answer", async () => {
    const looks = [8, 9, 10, 11, 12].map((version) => scaleAt(2, String(version)));
    const { result } = await run({ answers: [conflict], looks });
    expect(result).toMatchObject({ kind: "failed", error: "conflict" });
  });
});

test.each(["putScale", "getScale"])("what is no fault of %s fails the run", async (method) => {
  const bug = new TypeError("a bug");
  const putScale = () => Promise.reject(method === "putScale" ? bug : lost);
  const run = {
    time: { inTime: () => true, writes: new AbortController().signal },
    records: {
      putState: () => Promise.resolve({ ok: true }),
      isOvertaken: () => Promise.resolve(false),
      document: () => Promise.resolve(document),
    },
    cluster: { putScale, getScale: () => Promise.reject(bug) },
  } as unknown as SyncRun;
  const action = { key, document, target: {} as never, scale: scaleAt(2), intended, onIntentStored: () => {} };
  await expect(act(run, action)).rejects.toBe(bug);
});
