import fc from "fast-check";
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

/** The definition, without a bound. */
function edits(from: string, to: string): number {
  const cell = (row: number, column: number): number => {
    if (row === 0 || column === 0) return row + column;
    const swap = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
    return Math.min(
      at(row - 1, column) + 1,
      at(row, column - 1) + 1,
      at(row - 1, column - 1) + Number(from[row - 1] !== to[column - 1]),
      swap ? at(row - 2, column - 2) + 1 : Infinity,
    );
  };
  const known = new Map<string, number>();
  const at = (row: number, column: number): number => {
    const key = `${row},${column}`;
    const value = known.get(key) ?? cell(row, column);
    known.set(key, value);
    return value;
  };
  return at(from.length, to.length);
}

test("the first of those with the fewest edits, if these are a third of the word or fewer", () => {
  const word = fc.string({ unit: fc.constantFrom("a", "b", "c"), minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(word, fc.array(word, { maxLength: 8 }), (asked, candidates) => {
      const most = Math.max(1, Math.floor(asked.length / 3));
      const fewest = Math.min(...candidates.map((one) => edits(asked, one)));
      const expected = fewest > most ? undefined : candidates.find((one) => edits(asked, one) === fewest);
      expect(closest(asked, candidates)).toBe(expected);
    }),
    { numRuns: 500 },
  );
});

test("ten thousand long names that begin alike are compared in their differences alone", () => {
  const begin = "a-long-beginning-that-all-of-the-names-have-in-common-".repeat(4);
  const names = Array.from({ length: 10_000 }, (_, index) => `${begin}${String(index).padStart(5, "0")}`);
  expect(closest(`${begin}0x042`, names)).toBe(`${begin}00042`);
});
