import { shared } from "../../lib/async/shared";

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
