import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Nobody reads a page that keeps growing. Words are counted as `wc -w` counts them. */
const docs = join(__dirname, "../../docs");
const wordsIn = (text: string) => text.split(/\s+/).filter((word) => word !== "").length;

const limits = [
  ...[{ page: "protocol.md", most: 1_500 }],
  ...[{ page: "development.md", most: 1_500 }],
  ...[{ page: "performance.md", most: 1_000 }],
  ...readdirSync(join(docs, "decisions"))
    .filter((file) => file !== "README.md")
    .map((file) => ({ page: `decisions/${file}`, most: 400 })),
];

test.each(limits)("docs/$page has at most $most words", ({ page, most }) => {
  expect(wordsIn(readFileSync(join(docs, page), "utf8"))).toBeLessThanOrEqual(most);
});

test("words are counted by white space, the marks of a table included", () => {
  expect(wordsIn("| a | b |\n| - | - |\n\n`c  d`, e.\n")).toBe(13);
});
