import { readFileSync } from "node:fs";
import { join } from "node:path";
import { descriptions } from "../../lib/sources/descriptions";

/** docs/configuration.md describes a field once, and names it wherever it is the same. */
const page = readFileSync(join(__dirname, "../../docs/configuration.md"), "utf8");

const sectionOf = (title: string) => page.split(`**\`${title}\`**`)[1]?.split(/^(?:\*\*`|##)/m)[0] ?? "";

const kinds = Object.entries(descriptions);

test.each(kinds)("each parameter of %s is in its section: described, or as another's", (name, { fields }) => {
  const section = sectionOf(`kind: ${name}`);
  expect(Object.keys(fields).length).toBeGreaterThan(1);
  const isNamed = (field: string) => section.includes(`\`${field}\``) || section.includes(`\`${field}[]\``);
  expect(Object.keys(fields).filter((field) => !isNamed(field))).toEqual([]);
});

test("what a section refers to is described there", () => {
  const references = [...page.matchAll(/^As `(kind: \w+)` has them: (.*)\.$/gm)];
  expect(references.length).toBeGreaterThan(3);
  for (const [, title = "", names = ""] of references)
    for (const name of names.split(", ")) expect(sectionOf(title)).toContain(`\n- ${name}`);
});

test("no line is there twice", () => {
  const sections = page.split(/^(?=##)/m).filter((section) => /^### (?:source|cluster)/.test(section));
  const lines = sections.flatMap((section) => section.match(/^- `.*/gm) ?? []);
  expect(lines.length).toBeGreaterThan(80);
  expect(lines.filter((line, at) => lines.indexOf(line) !== at)).toEqual([]);
});
