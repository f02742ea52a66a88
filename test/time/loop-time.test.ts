import { createServer, connect, type AddressInfo } from "node:net";
import { AsyncLocalStorage } from "node:async_hooks";
import timers from "node:timers/promises";
import { promisify } from "node:util";

/** As a busy machine does. */
const stopTheLoop = (ms: number) => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

/** Each arms a limit. Its promise resolves when the limit fires. */
const limits: Readonly<Record<string, (ms: number) => Promise<unknown>>> = {
  setTimeout: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  "setTimeout of timers/promises": (ms) => timers.setTimeout(ms),
  "AbortSignal.timeout": (ms) =>
    new Promise((resolve) => AbortSignal.timeout(ms).addEventListener("abort", resolve, { once: true })),
};

describe.each(Object.entries(limits))("%s", (_name, fires) => {
  test("a loop that stopped for longer than the limit reads the answer that is there before the limit fires", async () => {
    const server = createServer((socket) => socket.end("answer")).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const order: string[] = [];
    const limit = fires(200).then(() => order.push("limit"));
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
    const answer = new Promise((resolve) => socket.on("close", resolve)).then(() => order.push("answer"));
    socket.resume();
    stopTheLoop(500);
    await Promise.all([limit, answer]);
    expect(order).toEqual(["answer", "limit"]);
    await new Promise((resolve) => server.close(resolve));
  });

  test("limits keep their order, whenever the loop stops", async () => {
    const order: number[] = [];
    const all = [120, 60, 90].map((ms) => fires(ms).then(() => order.push(ms)));
    stopTheLoop(300);
    await Promise.all(all);
    expect(order).toEqual([60, 90, 120]);
  });
});

test("a limit that is begun again counts from there", async () => {
  const order: string[] = [];
  const renewed = new Promise<void>((resolve) => {
    const timer = setTimeout(() => resolve(void order.push("renewed")), 60);
    setTimeout(() => void timer.refresh(), 30);
  });
  const other = new Promise<void>((resolve) => setTimeout(() => resolve(void order.push("other")), 75));
  await Promise.all([renewed, other]);
  expect(order).toEqual(["other", "renewed"]);
});

test("a limit that is cleared never fires, also after the loop stopped beyond it", async () => {
  let fired = false;
  const timer = setTimeout(() => (fired = true), 50);
  stopTheLoop(100);
  await timers.setImmediate(); // its end in real time is over, and it waits for more turns
  clearTimeout(timer);
  await timers.setTimeout(100);
  expect(fired).toBe(false);
});

test("arguments, this, the context and the promise are those of Node's setTimeout", async () => {
  const context = new AsyncLocalStorage<string>();
  const seen = await context.run(
    "own",
    () =>
      new Promise((resolve) => {
        const timer = setTimeout(
          function (this: unknown, ...args: unknown[]) {
            resolve([this === timer, args, context.getStore()]);
          },
          20,
          "a",
          "b",
        );
      }),
  );
  expect(seen).toEqual([true, ["a", "b"], "own"]);
  expect(await promisify(setTimeout)(20, "value")).toBe("value");
});

test("a pause that is aborted rejects as Node's, and one that elapsed has its value", async () => {
  expect(await timers.setTimeout(20, "value")).toBe("value");
  const reason = new Error("enough");
  const aborting = new AbortController();
  const pause = timers.setTimeout(60_000, undefined, { signal: aborting.signal });
  aborting.abort(reason);
  await expect(pause).rejects.toMatchObject({ name: "AbortError", code: "ABORT_ERR", cause: reason });
});
