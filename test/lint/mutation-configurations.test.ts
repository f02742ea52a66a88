import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

interface Configuration {
  readonly bundledTests: { readonly files: readonly string[] };
  readonly mutate: readonly string[];
}

const root = join(__dirname, "../..");
const names = readdirSync(root).filter((file) => /^stryker\..*config\.mjs$/.test(file));

/** Nothing else runs them, so a folder that is renamed would end the next run before it begins. */
test.each(names)("%s names tests and code that exist", async (name) => {
  const { default: configuration } = (await import(join(root, name))) as { readonly default: Configuration };
  const { bundledTests, mutate } = configuration;
  expect(bundledTests.files).not.toEqual([]);
  expect(bundledTests.files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
  const folders = mutate.map((glob) => glob.replace(/^!/, "").replace(/\/\*.*$/, ""));
  expect(folders.filter((folder) => !existsSync(join(root, folder)))).toEqual([]);
});

test("there is a configuration for each of them", () => {
  expect(names.length).toBeGreaterThan(4);
});
