/** @jest-environment node */
import { openEndpointLimiter } from "../../lib/async/endpoint-limiter";
import { withinTime } from "../../lib/async/within-time";
import { Fault } from "../../lib/model/fault";

const start = Date.parse("2026-03-01T12:00:00Z");
const never = new AbortController().signal;

/** Backends that answer, miss or hang as a test says, behind a limiter of two permits. The clock is Jest's. */
function limiter(limit = 2) {
  const opened = openEndpointLimiter({ endpoint: "SQS in eu-west-1", limit, now: () => Date.now() });
  const asked: string[] = [];
  const open = new Map<string, { answer: () => void; miss: (why?: string) => void }>();
  const call = (id: string) => (signal: AbortSignal) =>
    new Promise<string>((resolve, reject) => {
      asked.push(id);
      const missed = (why = "no answer") => reject(new Fault("timeout", `${id}: ${why}`));
      open.set(id, { answer: () => resolve(id), miss: missed });
      signal.addEventListener("abort", () => missed());
    });
  const run = (id: string, signal = never) =>
    outcome(opened.run({ failureKey: id, description: `queue ${id}`, signal }, call(id)));
  const runAll = (name: string, signal = never) => outcome(opened.run({ description: name, signal }, call(name)));
  const answer = (id: string) => open.get(id)?.answer();
  const miss = (id: string, why?: string) => open.get(id)?.miss(why);
  /** Asks and misses at once. */
  const runMissed = async (id: string, why?: string) => {
    const result = run(id);
    await settled();
    miss(id, why);
    return result;
  };
  return { asked, run, runAll, answer, miss, runMissed };
}

const outcome = (promise: Promise<string>) => promise.catch((error: unknown) => (error as Error).message);
const settled = () => jest.advanceTimersByTimeAsync(0);

beforeEach(() => jest.useFakeTimers({ now: start }));
afterEach(() => jest.useRealTimers());

describe("places", () => {
  test("at most the limit at a time, in the order of the calls", async () => {
    const { asked, run, answer } = limiter();
    const all = ["a", "b", "c"].map((id) => run(id));
    await settled();
    expect(asked).toEqual(["a", "b"]);
    answer("b");
    await settled();
    expect(asked).toEqual(["a", "b", "c"]);
    answer("a");
    answer("c");
    expect(await Promise.all(all)).toEqual(["a", "b", "c"]);
  });

  test("a slow call gives up its permit and still gets its answer; eight such calls at most", async () => {
    const { asked, run, answer } = limiter();
    const ids = Array.from({ length: 12 }, (_, index) => `slow-${index}`);
    const all = ids.map((id) => run(id));
    await jest.advanceTimersByTimeAsync(5_000);
    expect(asked).toEqual(ids.slice(0, 10)); // eight overflow, two have permits
    for (const id of ids.slice(0, 10)) answer(id);
    await settled();
    expect(asked).toEqual(ids);
    for (const id of ids.slice(10)) answer(id);
    expect(await Promise.all(all)).toEqual(ids);
  });

  test("calls without a failure key keep their permits: a slow endpoint is not crowded", async () => {
    const { asked, runAll, answer } = limiter();
    const names = ["a", "b", "c"];
    const all = names.map((name) => runAll(name));
    await jest.advanceTimersByTimeAsync(5_000);
    expect(asked).toEqual(["a", "b"]);
    answer("a");
    await settled();
    for (const name of names) answer(name);
    expect(await Promise.all(all)).toEqual(names);
  });

  test("work that ignores its limit gives its permit back, and counts as a miss", async () => {
    const opened = openEndpointLimiter({ endpoint: "Prometheus", limit: 1, now: () => Date.now() });
    const stuck = (signal: AbortSignal) => withinTime(5_000, signal, () => new Promise<string>(() => undefined));
    const run = (id: string) =>
      outcome(opened.run({ failureKey: id, description: `query ${id}`, signal: never }, stuck));
    const both = Promise.all([run("a"), run("b")]);
    await jest.advanceTimersByTimeAsync(6_000);
    expect(await both).toEqual(["query a: no answer within 5 s", "query b: no answer within 5 s"]);
    expect(await run("a")).toBe("query a: no answer within 5 s"); // it is not tried again so soon
  });

  test("a caller whose time is up while it waits makes no call", async () => {
    const { asked, run, answer } = limiter(1);
    const first = run("a");
    const leaving = new AbortController();
    const left = run("b", leaving.signal);
    await settled();
    leaving.abort(new Fault("timeout", "the slot's time is up"));
    expect(await left).toBe("the slot's time is up");
    answer("a");
    await first;
    expect(asked).toEqual(["a"]);
  });
});

describe("an id that did not answer", () => {
  test("is not asked again for 5 s, 10 s, 20 s, and reports its first failure", async () => {
    const { asked, run, answer, runMissed } = limiter();
    const alive = async () => {
      const result = run("alive");
      await settled();
      answer("alive");
      await result;
    };
    await alive();
    expect(await runMissed("dead")).toBe("dead: no answer");
    for (const wait of [5_000, 10_000, 20_000, 40_000, 60_000, 60_000]) {
      await alive();
      asked.length = 0;
      await jest.advanceTimersByTimeAsync(wait - 1);
      expect(await run("dead")).toBe("dead: no answer");
      expect(asked).toEqual([]);
      await jest.advanceTimersByTimeAsync(1);
      expect(await runMissed("dead")).toBe("dead: no answer");
      expect(asked).toEqual(["dead"]);
    }
    await jest.advanceTimersByTimeAsync(60_000);
    const back = run("dead");
    await settled();
    answer("dead");
    expect(await back).toBe("dead");
  });

  test("reports its first failure as long as it lasts, whatever the later ones say, and then a new one", async () => {
    const { run, answer, runMissed } = limiter();
    const answered = async (id: string) => {
      const result = run(id);
      await settled();
      answer(id);
      expect(await result).toBe(id);
    };
    expect(await runMissed("dead", "refused at 12:00:00")).toBe("dead: refused at 12:00:00");
    for (const seconds of [5, 10, 20]) {
      await answered("alive"); // the endpoint is not down
      await jest.advanceTimersByTimeAsync(seconds * 1_000);
      // Another text in each slot would be a new failure in each slot: an event, a line and a state write.
      expect(await runMissed("dead", `refused after ${seconds} s`)).toBe("dead: refused at 12:00:00");
      expect(await run("dead")).toBe("dead: refused at 12:00:00");
    }
    await jest.advanceTimersByTimeAsync(40_000);
    await answered("dead");
    expect(await runMissed("dead", "refused again")).toBe("dead: refused again");
  });

  test("waits no longer because a caller's own time was up while it was asked again", async () => {
    const { asked, run, answer, runMissed } = limiter();
    await runMissed("slow");
    await jest.advanceTimersByTimeAsync(5_000);
    const leaving = new AbortController();
    const left = run("slow", leaving.signal);
    await settled();
    leaving.abort(new Fault("timeout", "the slot's time is up"));
    await left;
    const next = run("slow"); // a second miss would bar it for 10 s
    await settled();
    expect(asked).toEqual(["slow", "slow", "slow"]);
    answer("slow");
    expect(await next).toBe("slow");
  });

  test("is called without a permit, and for two seconds only", async () => {
    const { asked, run, runMissed } = limiter();
    for (const id of ["x", "y"]) await runMissed(id);
    await jest.advanceTimersByTimeAsync(5_000);
    const retried = run("x");
    const healthy = ["a", "b"].map((id) => run(id));
    await settled();
    expect(asked.slice(2)).toEqual(["x", "a", "b"]);
    await jest.advanceTimersByTimeAsync(2_000);
    expect(await retried).toBe("x: no answer");
    void healthy;
  });

  test("an error is an answer", async () => {
    const opened = openEndpointLimiter({ endpoint: "SQS", limit: 2, now: () => Date.now() });
    const refuse = () => Promise.reject(new Fault("forbidden", "no"));
    for (let i = 0; i < 10; i++) {
      const refused = opened.run({ failureKey: "a", description: "a", signal: never }, refuse);
      await expect(refused).rejects.toThrow("no");
    }
  });

  test("after the clock was set back, nothing is barred for longer than a minute", async () => {
    const { asked, run, runMissed, answer } = limiter();
    await runMissed("a");
    jest.setSystemTime(start - 3_600_000);
    const again = run("a");
    await settled();
    answer("a");
    expect(await again).toBe("a");
    expect(asked).toEqual(["a", "a"]);
  });
});

describe("an endpoint that is down", () => {
  /** Three calls during which nothing answered. */
  async function down(limit?: number) {
    const far = limiter(limit);
    for (const id of ["x", "y", "z"]) await far.runMissed(id);
    far.asked.length = 0;
    return far;
  }

  test("gets four probes in 5 s; all other calls wait for them, and fail with one text", async () => {
    const far = await down();
    const crowd = Array.from({ length: 50 }, (_, index) => far.run(`q${index}`));
    await settled();
    expect(far.asked).toEqual(["q0", "q1", "q2", "q3"]);
    await jest.advanceTimersByTimeAsync(2_000);
    const texts = await Promise.all(crowd);
    expect(new Set(texts.slice(4))).toEqual(new Set(["SQS in eu-west-1 does not answer (x: no answer)"]));
    expect(await far.run("late-comer")).toBe("SQS in eu-west-1 does not answer (x: no answer)");
    expect(far.asked).toHaveLength(4);
  });

  test("opens for all calls with the first answer", async () => {
    const far = await down(50);
    const crowd = Array.from({ length: 50 }, (_, index) => far.run(`q${index}`));
    await settled();
    far.answer("q2");
    await settled();
    expect(far.asked).toHaveLength(50);
    for (let index = 0; index < 50; index++) far.answer(`q${index}`);
    expect(await Promise.all(crowd)).toHaveLength(50);
  });

  test("failure keys probe in turn, so that one live queue among dead ones is found", async () => {
    const far = await down();
    const probed = new Set<string>();
    for (let round = 0; round < 6; round++) {
      await jest.advanceTimersByTimeAsync(5_000);
      far.asked.length = 0;
      const crowd = Array.from({ length: 20 }, (_, index) => far.run(`q${index}`));
      await jest.advanceTimersByTimeAsync(2_000);
      await Promise.all(crowd);
      for (const id of far.asked) probed.add(id);
    }
    expect(probed.size).toBe(20);
  });

  test("one dead queue does not make an endpoint dead while other queues answer", async () => {
    const far = limiter(10);
    for (let round = 0; round < 5; round++) {
      const dead = far.run(`dead-${round}`);
      const alive = far.run("alive");
      await settled();
      far.answer("alive");
      await alive;
      far.miss(`dead-${round}`);
      await dead;
    }
    far.asked.length = 0;
    const crowd = Array.from({ length: 10 }, (_, index) => far.run(`q${index}`));
    await settled();
    expect(far.asked).toHaveLength(10);
    for (let index = 0; index < 10; index++) far.answer(`q${index}`);
    await Promise.all(crowd);
  });

  test("calls without a failure key fail with the endpoint", async () => {
    const far = limiter(4);
    const crowd = Array.from({ length: 40 }, (_, index) => far.runAll(`call-${index}`));
    await settled();
    expect(far.asked).toHaveLength(4);
    for (const name of far.asked.slice()) far.miss(name);
    const texts = await Promise.all(crowd);
    expect(far.asked).toHaveLength(4);
    expect(texts.filter((text) => text === "SQS in eu-west-1 does not answer (call-0: no answer)")).toHaveLength(36);
  });

  test("says why with its first miss, and not with those that follow", async () => {
    const far = limiter();
    for (const id of ["x", "y", "z"]) await far.runMissed(id, `no answer to ${id}`);
    const crowd = ["a", "b", "c", "d", "e"].map((id) => far.run(id));
    await settled();
    for (const id of far.asked.slice(3)) far.miss(id, "still no answer");
    expect(await Promise.all(crowd)).toContain("SQS in eu-west-1 does not answer (x: no answer to x)");
    expect(await far.run("late-comer")).toBe("SQS in eu-west-1 does not answer (x: no answer to x)");
  });

  test("a caller that gives up says nothing about the endpoint", async () => {
    const far = limiter(10);
    const leaving = new AbortController();
    const left = Array.from({ length: 5 }, (_, index) => far.run(`q${index}`, leaving.signal));
    await settled();
    leaving.abort(new Fault("timeout", "the slot's time is up"));
    await Promise.all(left);
    far.asked.length = 0;
    // A miss would bar q0 for 5 s, and five of them the endpoint: then only probes go out.
    const next = Array.from({ length: 8 }, (_, index) => far.run(`q${index}`));
    await settled();
    expect(far.asked).toHaveLength(8);
    for (const id of far.asked) far.answer(id);
    expect(await Promise.all(next)).toEqual(Array.from({ length: 8 }, (_, index) => `q${index}`));
  });
});
