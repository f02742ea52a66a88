import { Fault, rephrased, requestIdIn } from "../../lib/model/fault";

const failed = (message: string, requestId: unknown) => new Fault("forbidden", message, { requestId });

test("a text that quotes a failure has the id of its newest request", () => {
  failed("queue orders: access denied", "id-1");
  failed("queue orders: access denied", "id-2");
  expect(requestIdIn("no metric: queue orders: access denied (again)")).toBe("id-2");
  expect(requestIdIn("queue payments: access denied")).toBeUndefined();
});

test("a failure in other words keeps the id", () => {
  const { requestId } = rephrased(failed("queue mails: access denied", "id-3"), "mails cannot be read");
  expect([requestId, requestIdIn("mails cannot be read")]).toEqual(["id-3", "id-3"]);
});

test.each([undefined, 7, "", "two words", "id\nlevel=ERROR", "x".repeat(129)])("%j is no id", (given) => {
  const fault = failed("queue lies: access denied", given);
  expect(fault.requestId).toBeUndefined();
  expect(requestIdIn(fault.message)).toBeUndefined();
});

test("of ten thousand failures, the newest are known", () => {
  for (let n = 0; n < 10_000; n++) failed(`queue-${n}. access denied`, `id-${n}`);
  expect(requestIdIn("queue-9999. access denied")).toBe("id-9999");
  expect(requestIdIn("queue-9799. access denied")).toBeUndefined();
});
