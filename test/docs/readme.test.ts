import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ebb } from "../cli/run-ebb";

const root = join(__dirname, "../..");
const readme = readFileSync(join(root, "README.md"), "utf8");

test("README.md is short: at most 1,300 words, as wc counts them", () => {
  expect(readme.split(/\s+/).filter((word) => word !== "").length).toBeLessThanOrEqual(1_300);
});

test("README.md is in its reader's order", () => {
  expect(readme.match(/(?<=^## ).*/gm)).toEqual([
    "When not to use it",
    "Try it in a minute",
    "A decision explained",
    "Deploy",
    "Configure",
    "Sources",
    "Operate",
    "Cost",
    "How it works",
    "Develop",
  ]);
});

test("it lists every verb of the command", async () => {
  const { stdout } = await ebb(["--help"]);
  const section = /^## Operate\n([^]*?)^## /m.exec(readme)?.[1] ?? "";
  const verbs = [...stdout.matchAll(/^ {2}([a-z][a-z-]+)(?: |$)/gm)].map(([, verb = ""]) => verb);
  expect(verbs.length).toBeGreaterThan(20);
  const missing = verbs.filter((verb) => !new RegExp(`\`${verb}[\` ]`).test(section));
  expect(missing.filter((verb) => !["help", "config"].includes(verb))).toEqual([]);
});

test("docs/evaluate.md shows the steps that the command prints", async () => {
  const { stdout } = await ebb(["evaluate", join(root, "examples/situation.jsonl")]);
  const { steps } = JSON.parse(stdout) as { readonly steps: readonly object[] };
  const page = readFileSync(join(root, "docs/evaluate.md"), "utf8");
  expect(page).toContain(`\`\`\`\n${steps.map((step) => JSON.stringify(step)).join("\n")}\n\`\`\``);
});
