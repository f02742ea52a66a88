import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(__dirname, "../..");
const text = readFileSync(join(root, "docs/security.md"), "utf8");
const named = [...new Set([...text.matchAll(/`(test\/[^`]+)`/g)].map(([, path]) => path ?? ""))];

test("every test that the security model names is there", () => {
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

test("every row of a threat names its test", () => {
  const rows = [...text.matchAll(/^\| attempt .*\n\|[ -|]+\n((?:\|.*\n)+)/gm)].flatMap(([, table = ""]) =>
    table.trim().split("\n"),
  );
  expect(rows.length).toBeGreaterThan(10);
  expect(rows.filter((row) => !/`test\/[^`]+` *\|$/.test(row))).toEqual([]);
});
