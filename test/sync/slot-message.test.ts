import { decodeSlotMessage, encodeSlotMessage } from "../../lib/sync/slot-message";

const message = { cluster: "prod", from: "shop/", slot: 1_772_366_400_000, until: 1_772_366_415_000 };

test("a message survives the queue", () => {
  expect(decodeSlotMessage(encodeSlotMessage(message))).toEqual(message);
});

test.each([
  ["not JSON", "hello", "slot message: expected JSON, got hello"],
  ["an array", "[]", "slot message: expected an object {cluster, from, slot, until}, got []"],
  ["null", "null", "slot message: expected an object {cluster, from, slot, until}, got null"],
  [
    "no cluster",
    JSON.stringify({ ...message, cluster: "" }),
    'slot message, field cluster: expected a cluster\'s name, got ""',
  ],
  [
    "from is no text",
    JSON.stringify({ ...message, from: 3 }),
    "slot message, field from: expected the shard's first key, got 3",
  ],
  [
    "a slot as text",
    JSON.stringify({ ...message, slot: "x" }),
    'slot message, field slot: expected milliseconds since the epoch, got "x"',
  ],
  [
    "an end before its slot",
    JSON.stringify({ ...message, until: 5 }),
    "slot message, field until: expected milliseconds since the epoch, after slot, got 5",
  ],
])("%s is refused, naming what is wrong", (_name, body, error) => {
  expect(() => decodeSlotMessage(body)).toThrow(error);
});

test("a long body is quoted in part", () => {
  expect(() => decodeSlotMessage("x".repeat(1000))).toThrow(`got ${"x".repeat(80)}…`);
});
