import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { commandProblem } from "../cli/command-problem";

/** Each command line of ebb on a page for users has a verb and flags that the command knows. */
const root = join(__dirname, "../..");
const read = (page: string) => readFileSync(join(root, page), "utf8");
const inFolder = (folder: string) =>
  readdirSync(join(root, folder))
    .filter((file) => file.endsWith(".md"))
    .map((file) => `${folder}/${file}`);
const pages = [
  ...["README.md", "CHANGELOG.md", "examples/prometheus-adapter/README.md"],
  ...["docs", "docs/how-to", "docs/sources"].flatMap(inFolder),
];

const fence = /^ *```(\w*)\n([^]*?)^ *```$/gm;

/** In blocks of shell; those in a line of text may lack operands: `ebb diff`. */
function typed(markdown: string): readonly string[] {
  const blocks = [...markdown.matchAll(fence)].filter(([, language = ""]) => ["sh", "shell", ""].includes(language));
  const lines = blocks.flatMap(([, , text = ""]) => text.split("\n"));
  return lines.flatMap((line) => line.match(/^(?:ebb|npm run -s ebb --) [a-z][^|#>]*/g) ?? []);
}

function mentioned(markdown: string): readonly string[] {
  const text = markdown.replaceAll(fence, "");
  return [...text.matchAll(/`(ebb [a-z][^`|>]*)`/g)].map(([, line = ""]) => line);
}

const asTyped = (line: string) => line.replace(/^npm run -s ebb --/, "ebb").replace(/ (?:\|\|| &&|…).*/, "");

test.each(pages)("the commands of %s exist", (page) => {
  const markdown = read(page);
  const problems = [
    ...typed(markdown).map((line) => commandProblem(asTyped(line))),
    ...mentioned(markdown).map((line) => {
      const problem = commandProblem(asTyped(line));
      return problem?.endsWith(" operands") === true ? undefined : problem;
    }),
  ];
  expect(problems.filter((problem) => problem !== undefined)).toEqual([]);
});

test("there are such commands, and one that does not exist is found", () => {
  expect(pages.flatMap((page) => typed(read(page))).length).toBeGreaterThan(60);
  expect(pages.flatMap((page) => mentioned(read(page))).length).toBeGreaterThan(100);
  expect(typed("```sh\nebb gets hpa --foo\n```\n").map(commandProblem)).toEqual(["ebb gets hpa --foo: no verb"]);
  expect(mentioned("`ebb get hpa --foo`").map(commandProblem)).toEqual(["ebb get hpa --foo: --foo"]);
});
