import { closest } from "../../../lib/model/check/closest";

const words = ["queue", "region", "account", "queueOwner", "includeInFlight"];

test.each([
  ["queu", "queue"],
  ["qeuue", "queue"],
  ["Queue", "queue"],
  ["regoin", "region"],
  ["includeInflight", "includeInFlight"],
  ["QUEUE", "queue"],
  ["queueowner", "queueOwner"],
  ["colour", undefined],
  ["q", undefined],
  ["", undefined],
  ["x".repeat(10_000), undefined],
])("%s: %s", (word, meant) => {
  expect(closest(word, words)).toBe(meant);
});
