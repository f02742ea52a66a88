import { encodeQueueMessage } from "../../lib/model/messages";
import { planWakes } from "../../lib/scheduler/plan-wakes";

const at = Date.parse("2026-03-01T12:00:20Z");
const hpa = (cluster: string, namespace: string, name: string) => ({ cluster, namespace, name });

test("one message for each namespace of each cluster, each HPA once", () => {
  const changed = [
    hpa("prod", "shop", "orders"),
    hpa("prod", "shop", "invoices"),
    hpa("prod", "shop", "orders"),
    hpa("prod", "mail", "orders"),
    hpa("test", "shop", "orders"),
  ];
  expect(planWakes(changed, at)).toEqual([
    { cluster: "prod", namespace: "shop", names: ["orders", "invoices"], at },
    { cluster: "prod", namespace: "mail", names: ["orders"], at },
    { cluster: "test", namespace: "shop", names: ["orders"], at },
  ]);
});

test("no change: no message", () => expect(planWakes([], at)).toEqual([]));

test.each([
  ["as long as a name may be", (index: number) => String(index).padStart(253, "x")],
  ["far longer, of characters that JSON writes with six", (index: number) => "\u0001".repeat(900) + index],
])("names %s: any ten messages fit into one call", (_what, name) => {
  const names = Array.from({ length: 500 }, (_, index) => name(index));
  const messages = planWakes(
    names.map((each) => hpa("prod", "shop", each)),
    at,
  );
  expect(messages.flatMap((message) => message.names)).toEqual(names);
  const bytes = messages.map((message) => Buffer.byteLength(encodeQueueMessage(message)));
  expect(Math.max(...bytes) * 10).toBeLessThan(262_144);
});

test.each([
  ["exactly fill a message", 7_997, 1],
  ["are one byte too long", 7_998, 2],
])("two names that %s", (_what, second, messages) => {
  const names = ["x".repeat(7_998), "y".repeat(second)];
  const woken = names.map((name) => hpa("prod", "shop", name));
  expect(planWakes(woken, at)).toHaveLength(messages);
});
