import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { version } from "../../package.json";
import { descriptions } from "../../lib/sources/descriptions";
import { readYaml } from "../infra/read-template";
import { listedPages } from "../how-to/pages";

/**
 * Claims about money and measurements grow old. So each paragraph with one has a date, or its page has one at its top,
 * or a marker names the test that holds its numbers: `<!-- held by test/cli/cost.test.ts -->`. Code blocks are outputs,
 * which tests compare, and docs/cli.md and docs/configuration.md are generated.
 */
const root = join(__dirname, "../..");
const read = (page: string) => readFileSync(join(root, page), "utf8");
const generated = ["docs/cli.md", "docs/configuration.md"];
const pages = [
  "README.md",
  ...["docs", "docs/how-to", "docs/sources", "bench/results"].flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter((file) => file.endsWith(".md"))
      .map((file) => `${folder}/${file}`),
  ),
].filter((page) => !generated.includes(page));

/** $0.44, 12 %, 150 ms, a tenth less, three times as fast */
const claim =
  /\$\d+(?:,\d{3})*\.\d+|\$\d{2,}|\$\d(?!`)\b|\d ?%|\d ms\b|\b(?:half|thirds?|quarters?|fifths?|tenths?|sixtieth)\b (?:of|as|less|more)|\btimes (?:as|faster|less|more)\b/;
const date =
  /\b20\d\d-\d\d(?:-\d\d)?\b|\b(?:January|February|March|April|May|June|July|August|September|October|November|December) 20\d\d\b/;
const marker = /<!-- held by (\S+) -->/;

/** What looks like a claim and is not one, by its page and its beginning. */
const noClaims: Readonly<Record<string, string>> = {
  "docs/entries.md - One answer of a cluster":
    "limits, and what they are a share of: test/faults/small-heap holds them",
  "docs/sources/postgresql.md ebb runs it in a read-only": "a time limit of the code: test/sources/postgresql holds it",
};

interface Paragraph {
  readonly page: string;
  readonly text: string;
}

/** With the marker above it, if it has one, and a table with what introduces it. */
function paragraphsOf(page: string): readonly Paragraph[] {
  const text = read(page).replaceAll(/^ *```[^]*?^ *```$/gm, "");
  const parts = text.split(/\n\s*\n/).map((part) => part.trim());
  return parts.map((part, index) => {
    const before = parts[index - 1] ?? "";
    const belongs = part.startsWith("|") || (before.startsWith("<!--") && marker.test(before));
    return { page, text: belongs ? `${before}\n${part}` : part };
  });
}

/** The date of a page is above its first section. */
function isDated(page: string): boolean {
  return date.test(read(page).split(/^## /m, 1)[0] ?? "");
}

const idOf = ({ page, text }: Paragraph) => `${page} ${text.replace(/\s+/g, " ").slice(0, 40).trim()}`;

function isExcused(paragraph: Paragraph): boolean {
  return Object.keys(noClaims).some((start) => idOf(paragraph).startsWith(start));
}

const claims = pages.flatMap(paragraphsOf).filter(({ text }) => claim.test(text));

test("there are claims, and the pattern finds the kinds of them", () => {
  expect(claims.length).toBeGreaterThan(20);
  for (const text of [
    "$9 more while values change, or $13.52",
    "150 ms",
    "12 %",
    "a tenth less",
    "twice: two times as fast",
  ])
    expect([text, claim.test(text)]).toEqual([text, true]);
});

test("each paragraph that claims an amount or a measurement has a date, or a test that holds it", () => {
  const open = claims.filter(
    (paragraph) =>
      !date.test(paragraph.text) && !marker.test(paragraph.text) && !isDated(paragraph.page) && !isExcused(paragraph),
  );
  expect(open.map(idOf)).toEqual([]);
});

test("a test that a marker names is there, and has the amounts of its paragraph", () => {
  const marked = pages.flatMap(paragraphsOf).flatMap(({ page, text }) => {
    const file = marker.exec(text)?.[1];
    return file === undefined ? [] : [{ page, file, text }];
  });
  const missing = marked.flatMap(({ page, file, text }) => {
    if (!existsSync(join(root, file))) return [`${page}: ${file}`];
    const held = read(file);
    const amounts = text.match(/(?<=\$)\d+(?:,\d{3})*\.\d+/g) ?? [];
    return amounts.filter((amount) => !held.includes(amount)).map((amount) => `${page}: ${amount} in ${file}`);
  });
  expect(missing).toEqual([]);
  expect(marked.length).toBeGreaterThan(0);
});

test("what is excused is there", () => {
  const ids = claims.map(idOf);
  expect(Object.keys(noClaims).filter((start) => !ids.some((id) => id.startsWith(start)))).toEqual([]);
});

const words = [
  "zero",
  "one",
  "two",
  "three",
  "four",
  "five",
  "six",
  "seven",
  "eight",
  "nine",
  "ten",
  "eleven",
  "twelve",
];

test("README.md counts the parts of the stack and the kinds of sources", () => {
  const { functions } = readYaml<{ readonly functions: object }>("serverless.yml");
  const always = Object.keys(functions).filter((name) => !["notify", "metrics"].includes(name));
  const { Resources: schedules } = readYaml<{ readonly Resources: object }>("infra/schedule.yml");
  const readme = read("README.md");
  expect(readme).toContain(`${words[Object.keys(schedules).length]} schedules`);
  expect(readme).toContain(`${words[always.length]} functions with a role each`);
  expect(readme).toContain(`${words[Object.keys(descriptions).length]} kinds of`);
});

test("docs/how-to counts its pages", () => {
  const [count = ""] = /^\w+(?= tasks)/m.exec(read("docs/how-to/README.md")) ?? [];
  expect(words.indexOf(count.toLowerCase())).toBe(listedPages.length);
});

test("no page speaks of a version of ebb that is not out yet, and the archive is this version's", () => {
  const partsOf = (text: string) => text.split(".").map(Number);
  const [major = 0, minor = 0] = partsOf(version);
  const named = pages.flatMap((page) =>
    [...read(page).matchAll(/\bebb (\d+\.\d+)(?![\d.]*\d| s\b)/g)].map(([, found = ""]) => ({ page, found })),
  );
  const newer = named.filter(({ found }) => {
    const [a = 0, b = 0] = partsOf(found);
    return a > major || (a === major && b > minor);
  });
  expect(newer).toEqual([]);
  const archives = pages.flatMap((page) => read(page).match(/\bebb-\d+\.\d+\.\d+\.tgz/g) ?? []);
  expect(new Set(archives)).toEqual(new Set([`ebb-${version}.tgz`]));
});
