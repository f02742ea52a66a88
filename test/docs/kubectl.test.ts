import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * A reader who types a command of a page must never change the cluster of the current context by accident: kubectl is
 * always given one. docs/cli.md is the help of the command itself.
 */
const root = join(__dirname, "../..");
const pages = ["README.md", "docs", "examples"].flatMap((place) =>
  place.endsWith(".md")
    ? [place]
    : readdirSync(join(root, place), { recursive: true, encoding: "utf8" })
        .filter((file) => file.endsWith(".md"))
        .map((file) => `${place}/${file}`),
);
const ofTheProject = new Set(["docs/cli.md", "docs/development.md"]);

/** Lines of code blocks in which kubectl is called. */
function callsIn(markdown: string): readonly string[] {
  const blocks = [...markdown.matchAll(/^ *```\w*\n([^]*?)^ *```/gm)].map(([, text = ""]) => text);
  return blocks.flatMap((text) => text.split("\n")).flatMap((line) => line.match(/\bkubectl (?!ebb\b)[^|]*/g) ?? []);
}

test.each(pages.filter((page) => !ofTheProject.has(page)))("%s gives kubectl its cluster", (page) => {
  const calls = callsIn(readFileSync(join(root, page), "utf8"));
  expect(calls.filter((call) => !/^kubectl (--context|--kubeconfig) \S/.test(call))).toEqual([]);
});

test("there are such calls, and a bare one is found", () => {
  const all = pages.flatMap((page) => callsIn(readFileSync(join(root, page), "utf8")));
  expect(all.length).toBeGreaterThan(10);
  expect(callsIn("```sh\nebb rbac prod | kubectl apply -f -\n```\n")).toEqual(["kubectl apply -f -"]);
});
