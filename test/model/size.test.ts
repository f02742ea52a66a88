import { sizeOf } from "../../lib/model/size";

test.each<[string, unknown, number]>([
  ["text, in UTF-8", "é€😀", 2 + 3 + 4],
  ["a lone surrogate, as its replacement", "\ud800", 3],
  ["a number", 1e300, 8],
  ["true, null and undefined", [true, null, undefined], 3 + 3 * (1 + 1)],
  ["bytes", new Uint8Array(100), 100],
  ["a map: names, members, and one for each", { a: 1, é: "xy" }, 3 + (1 + 1 + 8) + (1 + 2 + 2)],
  ["a name that every map inherits", JSON.parse('{"__proto__": "x"}'), 3 + 1 + 9 + 1],
  ["nothing in a list or a map", [[], {}], 3 + 2 * (1 + 3)],
])("%s", (_, value, bytes) => {
  expect(sizeOf(value)).toBe(bytes);
});
