import { readFileSync } from "node:fs";
import { join } from "node:path";
import { buildCommand, type BuiltCommand } from "./build-command";
import { sitDown } from "./follow";
import { needsCluster, readPage } from "./page";
import { filesFolder, listedPages, pages } from "./pages";

/**
 * Every page of docs/how-to is followed as a reader would follow it, beside a demo of its own. It leaves no file in the
 * clone that Git does not ignore. (Those that need more: test/e2e/how-to.test.ts.)
 */
let built: BuiltCommand | undefined;
afterAll(() => built?.remove());

test.concurrent.each(pages.filter(([, text]) => !needsCluster(text)))(
  "%s",
  async (_, text) => {
    const steps = readPage(text);
    expect(steps.filter(({ kind }) => kind === "run")).not.toEqual([]);
    const { command, env } = (built ??= buildCommand());
    const reader = await sitDown({ command, env });
    try {
      for (const step of steps) await reader.follow(step);
    } finally {
      await reader.leave();
    }
  },
  300_000,
);

test("the table of contents lists every page", () => {
  expect([...listedPages].sort()).toEqual(pages.map(([name]) => name).sort());
});

test("Git ignores the folder for the files of the pages", () => {
  const ignored = readFileSync(join(__dirname, "../../.gitignore"), "utf8").split("\n");
  expect(filesFolder).toMatch(/./);
  expect(ignored).toContain(`/${filesFolder}/`);
});
