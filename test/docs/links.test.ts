import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

const root = join(__dirname, "../..");
const pages = [
  ...["README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"],
  ...["docs", "examples", "bench", "cli", "lib", "scripts", "simulate", "test"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".md"))
      .map((file) => `${folder}/${file}`),
  ),
];
const read = (page: string) => readFileSync(join(root, page), "utf8");

/** As GitHub makes it of a heading. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");

const anchorsIn = (page: string) =>
  [
    ...read(page)
      .replaceAll(/^ *```[^]*?^ *```$/gm, "")
      .matchAll(/^#+ (.*)$/gm),
  ].map(([, heading = ""]) => anchorOf(heading));

/** What is linked to within the project: "docs/deploy.md#alarms". */
function linksIn(page: string): readonly string[] {
  const text = read(page).replaceAll(/^ *```[^]*?^ *```$/gm, "");
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = ""]) => link).filter((link) => !/^\w+:/.test(link));
}

test.each(pages)("every link of %s leads somewhere", (page) => {
  const broken = linksIn(page).filter((link) => {
    const [path = "", anchor] = link.split("#");
    const file = path === "" ? page : join(dirname(page), path);
    if (!existsSync(join(root, file))) return true;
    return anchor !== undefined && file.endsWith(".md") && !anchorsIn(file).includes(anchor);
  });
  expect(broken).toEqual([]);
});

test("there are links with anchors", () => {
  expect(pages.flatMap(linksIn).filter((link) => link.includes("#")).length).toBeGreaterThan(20);
});
