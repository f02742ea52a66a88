import { readFileSync } from "node:fs";
import { join } from "node:path";
import { readPage } from "./page";
import { filesFolder, listedPages, pages } from "./pages";

/** What holds of the pages of docs/how-to before anybody follows them: test/e2e/how-to.test.ts. */
test.each(pages)("%s has commands to run", (_, text) => {
  const steps = readPage(text, ["sh", "shell"]);
  expect(steps.filter(({ kind }) => kind === "run")).not.toEqual([]);
});

test("the table of contents lists every page", () => {
  expect([...listedPages].sort()).toEqual(pages.map(([name]) => name).sort());
});

test("Git ignores the folder for the files of the pages", () => {
  const ignored = readFileSync(join(__dirname, "../../.gitignore"), "utf8").split("\n");
  expect(filesFolder).toMatch(/./);
  expect(ignored).toContain(`/${filesFolder}/`);
});
