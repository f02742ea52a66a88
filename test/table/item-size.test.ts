import { toItem, itemBytes } from "../../lib/table/items/attributes";

test.each<[string, object, number]>([
  ["names and text, in UTF-8", { pk: "é" }, 4],
  ["a moment of 13 digits: 7 bytes and 1", { at: 1700000012345 }, 2 + 8],
  ["a round moment", { at: 1700000000000 }, 2 + 2],
  ["zero", { at: 0 }, 2 + 1],
  ["a small fraction, whose zeros take nothing", { at: 0.0005 }, 2 + 2],
  ["a number below zero", { at: -12 }, 2 + 2],
  ["a flag and a null", { a: true, b: null }, 2 + 2],
  ["a list: 3, and 1 for each element", { a: ["x", "y"] }, 1 + 3 + 2 * (1 + 1)],
  ["a map: 3, and 1 for each pair", { a: { b: "x" } }, 1 + 3 + 1 + 2],
])("%s", (_name, document, bytes) => {
  expect(itemBytes(toItem(document))).toBe(bytes);
});

test("sets and bytes", () => {
  expect(
    itemBytes({
      a: { SS: ["x", "yz"] },
      b: { NS: ["12"] },
      c: { B: new Uint8Array(5) },
      d: { BS: [new Uint8Array(2)] },
    }),
  ).toBe(4 + 3 + 2 + 5 + 2);
});
