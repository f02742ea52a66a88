import { Fault } from "../../lib/model/fault";
import { retryThrottled } from "../../lib/scheduler/tick";

const busy = new Fault("throttled", "the table is busy");

test.each([
  { name: "the table answers at last", failures: [busy, busy], tries: 3, outcome: "read" },
  { name: "the table stays busy", failures: [busy, busy, busy, busy], tries: 3, outcome: busy },
  { name: "it refuses", failures: [new Fault("forbidden", "no")], tries: 1, outcome: new Fault("forbidden", "no") },
])("$name", async ({ failures, tries, outcome }) => {
  const left = [...failures];
  let asked = 0;
  const read = () => {
    asked += 1;
    const failure = left.shift();
    return failure === undefined ? Promise.resolve("read") : Promise.reject(failure);
  };
  const { signal } = new AbortController();
  const given = await retryThrottled(read, signal, [1, 1]).catch((error: unknown) => error);
  expect([asked, given]).toEqual([tries, outcome]);
});

test("it does not wait for the table when the invocation is over", async () => {
  const controller = new AbortController();
  const over = new Fault("timeout", "out of time");
  const asked = retryThrottled(() => Promise.reject(busy), controller.signal, [3_600_000]);
  controller.abort(over);
  await expect(asked).rejects.toBe(over);
});
