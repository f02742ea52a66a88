import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Files move, and what names them stays behind: comments that name a page, and pages that name a file of the code. */
const root = join(__dirname, "../..");
const read = (file: string) => readFileSync(join(root, file), "utf8");
const filesIn = (folder: string, ends: RegExp) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => ends.test(file))
    .map((file) => `${folder}/${file}`);

const code = [
  ...["bench", "cli", "functions", "infra", "lib", "local", "scripts", "simulate", "test"].flatMap((folder) =>
    filesIn(folder, /\.(ts|mts|mjs|cjs|yml)$/),
  ),
  ...readdirSync(root).filter((file) => /\.(ts|mjs|yml)$/.test(file)),
];
const decisions = new Set(readdirSync(join(root, "docs/decisions")).map((file) => file.slice(0, 4)));

/** A kind of source that tests add to a copy of the project. */
const madeUp = "docs/sources/made-up.md";

const isPage = (page: string) => existsSync(join(root, page));
const isNamed = (name: string) => {
  const [, number] = /^docs\/decisions\/(\d{4})$/.exec(name) ?? [];
  return number === undefined ? isPage(name) : decisions.has(number);
};

/** "docs/how-fast.md", or "docs/decisions/0056". */
const pagesNamedIn = (text: string) =>
  [...text.matchAll(/(?<![\w./-])(?:docs|bench\/results)\/(?:[\w-]+\/)*(?:[\w-]+\.md|\d{4}\b(?!-))/g)].map(
    ([name]) => name,
  );

test("every page that the code names is there", () => {
  const named = code.flatMap((file) => pagesNamedIn(read(file)).map((page) => ({ file, page })));
  expect(named.length).toBeGreaterThan(50);
  expect(named.filter(({ page }) => page !== madeUp && !isNamed(page))).toEqual([]);
});

const pages = [
  ...["README.md", "CONTRIBUTING.md", "SECURITY.md"],
  ...["bench", "cli", "docs", "examples", "lib", "scripts", "simulate", "test"].flatMap((folder) =>
    filesIn(folder, /\.md$/),
  ),
];

/** `lib/core/evaluate.ts` between backquotes: a whole path without placeholders. */
const codeNamedIn = (text: string) =>
  [...text.matchAll(/`((?:bench|cli|functions|infra|lib|local|scripts|simulate|test)\/[\w./-]*)`/g)].map(
    ([, path = ""]) => path,
  );

test("every file of the code that a page names is there", () => {
  const named = pages.flatMap((page) => codeNamedIn(read(page)).map((path) => ({ page, path })));
  expect(named.length).toBeGreaterThan(50);
  expect(named.filter(({ path }) => !["", ".ts", ".mjs"].some((end) => existsSync(join(root, path + end))))).toEqual(
    [],
  );
});

test("what is looked for is found", () => {
  expect(pagesNamedIn("// docs/decisions/0056, docs/decisions/README.md and docs/plots/a.svg")).toEqual([
    "docs/decisions/0056",
    "docs/decisions/README.md",
  ]);
  expect(codeNamedIn("see `lib/core/gate.ts`, `lib/sources/<kind>/fields.ts` and `npm test`")).toEqual([
    "lib/core/gate.ts",
  ]);
});
