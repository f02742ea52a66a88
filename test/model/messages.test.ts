import { decodeQueueMessage, encodeQueueMessage } from "../../lib/model/messages";

const slot = { cluster: "prod", from: "shop/", slot: 1_772_366_400_000, until: 1_772_366_415_000 };
const wake = { cluster: "prod", namespace: "shop", names: ["orders", "invoices"], at: 1_772_366_404_321 };

test.each([slot, wake, { ...wake, until: wake.at + 5_000 }])("a message survives the queue: %j", (message) => {
  expect(decodeQueueMessage(encodeQueueMessage(message))).toEqual(message);
});

const either = "an object {cluster, from, slot, until} or {cluster, namespace, names, at}";

test.each<[string, unknown, string]>([
  ["an array", [], `queue message: expected ${either}, got []`],
  ["null", null, `queue message: expected ${either}, got null`],
  [
    "no cluster",
    { ...slot, cluster: "" },
    'slot message, field cluster: expected a cluster\'s name of at most 2048 characters, got ""',
  ],
  ["from is no text", { ...slot, from: 3 }, "slot message, field from: expected the shard's first key, got 3"],
  [
    "a slot as text",
    { ...slot, slot: "x" },
    'slot message, field slot: expected milliseconds since the epoch, got "x"',
  ],
  [
    "an end before its slot",
    { ...slot, until: 5 },
    "slot message, field until: expected milliseconds since the epoch, after slot, got 5",
  ],
  [
    "a wake of no cluster",
    { ...wake, cluster: 1 },
    "wake message, field cluster: expected a cluster's name of at most 2048 characters, got 1",
  ],
  [
    "a wake of no namespace",
    { ...wake, namespace: undefined },
    "wake message, field namespace: expected a namespace of at most 2048 characters, got nothing",
  ],
  ["a wake of nobody", { ...wake, names: [] }, "wake message, field names: expected a list of names, got []"],
  ["a wake of one", { ...wake, names: "orders" }, 'wake message, field names: expected a list of names, got "orders"'],
  [
    "a name that is a number",
    { ...wake, names: ["a", 0] },
    "wake message, field names[1]: expected a name of at most 2048 characters, got 0",
  ],
  [
    "an end as text",
    { ...wake, until: "x" },
    'wake message, field until: expected milliseconds since the epoch, got "x"',
  ],
  [
    "a moment as text",
    { ...wake, at: "now" },
    'wake message, field at: expected milliseconds since the epoch, got "now"',
  ],
])("%s is refused, naming what is wrong", (_name, message, error) => {
  expect(() => decodeQueueMessage(JSON.stringify(message))).toThrow(error);
});

test("a body that is not JSON is quoted in part", () => {
  expect(() => decodeQueueMessage("x".repeat(1000))).toThrow(`queue message: expected JSON, got ${"x".repeat(80)}…`);
});
