import { readFileSync } from "node:fs";
import { join } from "node:path";
import { buildCommand, type BuiltCommand } from "./build-command";
import { sitDown } from "./follow";
import { needsCluster, readPage } from "./page";
import { pages } from "./pages";

/**
 * Every page of docs/how-to is followed as a reader would follow it, beside a demo of its own. (Those that need more:
 * test/e2e/how-to.test.ts.)
 */
let built: BuiltCommand | undefined;
afterAll(() => built?.remove());

test.concurrent.each(pages.filter(([, text]) => !needsCluster(text)))(
  "%s",
  async (_, text) => {
    const steps = readPage(text);
    expect(steps.filter(({ kind }) => kind === "run")).not.toEqual([]);
    const reader = await sitDown((built ??= buildCommand()));
    try {
      for (const step of steps) await reader.follow(step);
    } finally {
      await reader.leave();
    }
  },
  300_000,
);

test("the table of contents lists every page", () => {
  const contents = readFileSync(join(__dirname, "../../docs/how-to/README.md"), "utf8");
  const listed = [...contents.matchAll(/\]\(([\w-]+\.md)\)/g)].map(([, name]) => name);
  expect(listed.sort()).toEqual(pages.map(([name]) => name).sort());
});
