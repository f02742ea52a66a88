import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(__dirname, "../..");
const text = readFileSync(join(root, "docs/security.md"), "utf8");
const named = [...new Set([...text.matchAll(/`(test\/[^`]+)`/g)].map(([, path]) => path ?? ""))];

test("every test that the security model names is there", () => {
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

test("every attempt names its test", () => {
  const section = text.split("\n## What an attacker reaches\n")[1]?.split("\n## ")[0] ?? "";
  const attempts = section.match(/^- .*/gm) ?? [];
  expect(attempts.length).toBeGreaterThan(40);
  expect(attempts.filter((line) => !/^- \*\*.+\.\*\* .*`test\/[^`]+`\)$/.test(line))).toEqual([]);
});
