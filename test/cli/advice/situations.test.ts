import { rows } from "../../e2e/advice/situation";
import { situations } from "../../e2e/advice/situations";

/** test/e2e/advice.test.ts follows the advice. Here, nothing runs. */
test("each row of the table of advice has a situation, and each situation a row", () => {
  expect([...new Set(situations.map(({ row }) => row))].sort()).toEqual(Object.keys(rows).sort());
});

test("no two situations of a row have the same name", () => {
  const names = situations.map(({ row, when }) => `${row}: ${when}`);
  expect(names).toEqual([...new Set(names)]);
});

test("the words of each row are enough to find it in what is printed", () => {
  for (const [name, { words }] of Object.entries(rows)) expect([name, words.join("").length > 8]).toEqual([name, true]);
});
