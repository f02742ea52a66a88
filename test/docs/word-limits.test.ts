import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Nobody reads a page that keeps growing. Words are counted as `wc -w` counts them. */
const root = join(__dirname, "../..");
const docs = join(root, "docs");
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

/** History, metrics, the dashboard and busy pods bring pages of their own. CHANGELOG.md does not count. */
const mostOfAll = 50_000;

test(`all pages together have at most ${mostOfAll} words`, () => {
  const pages = [
    ...["README.md", "CONTRIBUTING.md", "SECURITY.md"],
    ...["bench", "cli", "docs", "examples", "lib", "scripts", "simulate", "test"].flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
        .filter((file) => file.endsWith(".md"))
        .map((file) => `${folder}/${file}`),
    ),
  ];
  expect(pages.length).toBeGreaterThan(100);
  const total = pages.reduce((sum, page) => sum + wordsIn(readFileSync(join(root, page), "utf8")), 0);
  expect(total).toBeLessThanOrEqual(mostOfAll);
  expect(total).toBeGreaterThan(mostOfAll / 2);
});

test("words are counted by white space, the marks of a table included", () => {
  expect(wordsIn("| a | b |\n| - | - |\n\n`c  d`, e.\n")).toBe(13);
});
