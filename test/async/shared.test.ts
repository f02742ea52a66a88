import { shared, sharedAfter } from "../../lib/async/shared";

/** Work that ends on request, and says how often it was begun and why it was aborted. */
function controlled() {
  const runs: { resolve: (value: string) => void; reject: (error: Error) => void; signal: AbortSignal }[] = [];
  const work = (signal: AbortSignal) =>
    new Promise<string>((resolve, reject) => {
      runs.push({ resolve, reject, signal });
    });
  return { runs, call: shared(work) };
}

const never = new AbortController().signal;

describe("shared work", () => {
  test("runs once for concurrent callers, and again afterwards", async () => {
    const { runs, call } = controlled();
    const both = [call(never), call(never)];
    runs[0]?.resolve("first");
    expect(await Promise.all(both)).toEqual(["first", "first"]);
    const next = call(never);
    runs[1]?.resolve("second");
    expect(await next).toBe("second");
  });

  test("fails for all waiting callers, and the next caller tries again", async () => {
    const { runs, call } = controlled();
    const both = [call(never), call(never)];
    runs[0]?.reject(new Error("no"));
    for (const outcome of await Promise.allSettled(both)) expect(outcome).toMatchObject({ status: "rejected" });
    const next = call(never);
    runs[1]?.resolve("yes");
    expect(await next).toBe("yes");
  });

  test("continues while one caller is left", async () => {
    const { runs, call } = controlled();
    const leaving = new AbortController();
    const left = call(leaving.signal);
    const stayed = call(never);
    leaving.abort(new Error("out of time"));
    await expect(left).rejects.toThrow("out of time");
    expect(runs[0]?.signal.aborted).toBe(false);
    runs[0]?.resolve("done");
    expect(await stayed).toBe("done");
  });

  test("is aborted when the last caller has left; the next caller starts it again", async () => {
    const { runs, call } = controlled();
    const leaving = new AbortController();
    const left = call(leaving.signal);
    leaving.abort(new Error("out of time"));
    await expect(left).rejects.toThrow("out of time");
    expect(runs[0]?.signal.aborted).toBe(true);
    const next = call(never);
    runs[1]?.resolve("again");
    expect(await next).toBe("again");
  });

  test("is not begun for a caller whose signal has fired", async () => {
    const { runs, call } = controlled();
    await expect(call(AbortSignal.abort("gone"))).rejects.toThrow("aborted: gone");
    expect(runs).toEqual([]);
  });
});

describe("work that begins after its callers asked", () => {
  function controlledAfter() {
    const runs: { resolve: (value: string) => void; reject: (error: Error) => void }[] = [];
    const call = sharedAfter(() => new Promise<string>((resolve, reject) => void runs.push({ resolve, reject })));
    return { runs, call };
  }

  test("who asks while it runs gets the next run, and shares it", async () => {
    const { runs, call } = controlledAfter();
    const first = call();
    const later = [call(), call()];
    expect(runs).toHaveLength(1);
    runs[0]?.resolve("before");
    expect(await first).toBe("before");
    await Promise.resolve();
    expect(runs).toHaveLength(2);
    const last = call();
    runs[1]?.resolve("after");
    expect(await Promise.all(later)).toEqual(["after", "after"]);
    await Promise.resolve();
    runs[2]?.resolve("at the end");
    expect(await last).toBe("at the end");
    expect(runs).toHaveLength(3);
  });

  test("a run that fails fails its own callers alone", async () => {
    const { runs, call } = controlledAfter();
    const first = call();
    const second = call();
    runs[0]?.reject(new Error("no"));
    await expect(first).rejects.toThrow("no");
    runs[1]?.resolve("yes");
    expect(await second).toBe("yes");
  });

  test("every caller gets a run that began after its call", async () => {
    let started = 0;
    const call = sharedAfter(async () => {
      const run = ++started;
      await new Promise((done) => setImmediate(done));
      return run;
    });
    const askers = Array.from({ length: 200 }, async (_, at) => {
      for (let turn = 0; turn < at % 7; turn++) await new Promise((done) => setImmediate(done));
      const before = started;
      expect(await call()).toBeGreaterThan(before); // never a run that had begun
    });
    await Promise.all(askers);
    expect(started).toBeLessThan(20);
  });
});
